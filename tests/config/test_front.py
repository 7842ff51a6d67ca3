"""``./run`` itself: what it refuses, and how it shares a house with another ``./run``."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded import homes
from config.house import House
from config.supervisor import BASE_DIR, answers
from tests.config.processes import descendants, gone_within

# What the test session itself tells its processes must not reach a ./run of its own.
OURS = ("DATABASE_URL", "MIGRATE_DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DATA_DIR")


def run(
    *arguments: str, clone: Path = BASE_DIR, user: int | None = None, **changes: str
) -> subprocess.Popen[str]:
    """Start ``./run`` with a clean environment."""
    clean = {name: value for name, value in os.environ.items() if name not in OURS}
    return subprocess.Popen(
        [clone / "run", *arguments],
        env={**clean, **changes},
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )


@pytest.mark.parametrize(("arguments", "status"), [((), 2), (("fly",), 2), (("help",), 0)])
def test_an_unknown_verb_shows_the_verbs_and_installs_nothing(
    arguments: tuple[str, ...], status: int
) -> None:
    process = run(*arguments)
    printed, _ = process.communicate()

    assert process.returncode == status
    for verb in ("demo", "test", "check", "bench", "manage"):
        assert f"  {verb} " in printed


def test_a_python_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 126\n")
    broken.chmod(0o755)
    process = run("help", PATH=f"{tmp_path}:/usr/bin:/bin:{Path(sys.executable).parent}")

    assert "usage: ./run" in process.communicate()[0]
    assert process.returncode == 0


def test_two_commands_at_once_share_one_house_and_leave_nothing(
    make_folder: Callable[..., Path],
) -> None:
    data_dir = make_folder("with space")
    command = ("manage", "showmigrations", "--plan")
    processes = [run(*command, DATA_DIR=str(data_dir)) for _ in range(2)]
    printed = [process.communicate()[0] for process in processes]

    assert printed[0] == printed[1]
    assert "[X]  audit.0001_initial" in printed[0]
    assert gone_within(0, list(House(data_dir, {}).server_pids().values()))


def test_a_plain_command_runs_as_the_application_and_starts_no_web_server(
    make_folder: Callable[..., Path],
) -> None:
    data_dir = make_folder()
    ask = "import os; from django.db import connection as c; c.ensure_connection(); "
    ask += "print(c.settings_dict['USER'], 'WEB_URL' in os.environ)"
    process = run("manage", "shell", "--no-imports", "-c", ask, DATA_DIR=str(data_dir))

    assert process.communicate()[0].splitlines()[-1] == "app False"


def test_the_demo_plays_a_short_day_that_adds_up_and_a_command_goes_on_from_there(
    make_folder: Callable[..., Path],
) -> None:
    data_dir = make_folder()

    demo = run("demo", "--once", DATA_DIR=str(data_dir))
    printed = demo.communicate()[0]

    assert demo.returncode == 0, printed
    assert "reconcile to the cent" in printed
    assert gone_within(0, list(House(data_dir, {}).server_pids().values()))

    # This command declares that it needs a web server and a worker; nothing of it is running.
    more = run("manage", "play_day", "--rounds", "3", DATA_DIR=str(data_dir))
    printed = more.communicate()[0]

    assert more.returncode == 0, printed
    assert " 0 refused" in printed
    assert gone_within(0, list(House(data_dir, {}).server_pids().values()))


@pytest.mark.faults
def test_a_demo_serves_until_it_is_interrupted(make_folder: Callable[..., Path]) -> None:
    data_dir = make_folder()
    demo = run("demo", DATA_DIR=str(data_dir))
    assert demo.stdout is not None
    printed = []
    while "Ctrl-C" not in (line := demo.stdout.readline()):
        printed.append(line)
        assert line, printed
    url = (data_dir / "web.url").read_text().strip()
    assert answers(f"{url}/health/")
    guest = run("demo", DATA_DIR=str(data_dir))
    assert url in guest.communicate()[0]
    assert guest.returncode == 1
    everything = [*descendants(demo.pid), *House(data_dir, {}).server_pids().values()]

    demo.send_signal(signal.SIGINT)
    demo.communicate()

    assert demo.returncode == 0
    assert gone_within(0, everything)
    assert not answers(f"{url}/health/")


@pytest.mark.faults
def test_an_interrupted_command_leaves_nothing(make_folder: Callable[..., Path]) -> None:
    data_dir = make_folder()
    wait = "print('here', flush=True); import time; time.sleep(60)"
    process = run("manage", "shell", "--no-imports", "-c", wait, DATA_DIR=str(data_dir))
    assert process.stdout is not None
    while (line := process.stdout.readline()) != "here\n":
        assert line, process.returncode
    pids = list(House(data_dir, {}).server_pids().values())

    process.terminate()
    process.communicate()

    assert process.returncode in (130, -signal.SIGINT)  # by exit or, from exec, by the signal
    assert gone_within(0, pids)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a clone", "nobody's clone"])
def test_an_empty_clone_opens_twice_at_once(make_folder: Callable[..., Path], name: str) -> None:
    """Root in a folder with a space; and an ordinary user, where we are root and can become one."""
    clone = make_folder(name)
    account = homes.server_account() if "nobody" in name else None
    subprocess.run(["git", "clone", "--quiet", BASE_DIR, clone], check=True)  # noqa: S607
    if account:
        for path in [clone, *clone.rglob("*")]:
            os.chown(path, *account, follow_symlinks=False)
    user = account.uid if account else None

    runs = [run("manage", "check", clone=clone, user=user) for _ in range(2)]
    printed = [process.communicate()[0] for process in runs]

    assert [process.returncode for process in runs] == [0, 0], printed
    assert "".join(printed).count("Making .venv") == 1
    shutil.rmtree(clone / ".venv")
