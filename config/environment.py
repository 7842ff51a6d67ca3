"""Make ``.venv`` from the pinned requirements, then hand over to the front door inside it.

Runs under the machine's own Python, so the standard library only. Safe when two runs start at
once: one makes the environment, the other waits. Made anew when the requirements have changed.
"""

import fcntl
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
VENV = BASE_DIR / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "requirements.json"
RUNTIME, TESTS = "requirements.txt", "tests/requirements.txt"

USAGE = """\
usage: ./run VERB

  demo [--once] [--port N]   set everything up, play a simulated gaming day, show where to look
  test [--all] [ARGUMENTS]   run the tests (--all: the slow ones too); arguments go to pytest
  check                      format, lint, types, import contracts, migrations: all but tests
  bench [ARGUMENTS]          measure
  manage COMMAND             run a management command; starts the servers it needs

DATA_DIR (default .data) holds everything they keep. With DATABASE_URL and REDIS_URL set nothing
is embedded."""
VERBS_WITH_TESTS = ("test", "check", "bench")
VERBS = ("demo", "manage", *VERBS_WITH_TESTS)


def main(arguments: Sequence[str]) -> None:
    """Refuse an unknown verb before anything is installed; else prepare and hand over."""
    if not arguments or arguments[0] not in VERBS:
        print(USAGE)
        sys.exit(0 if arguments and arguments[0] in ("help", "-h", "--help") else 2)
    wanted = [RUNTIME, TESTS] if arguments[0] in VERBS_WITH_TESTS else [RUNTIME]
    if not is_ready(wanted):
        try:
            with alone():
                if not is_ready(wanted):
                    prepare(wanted)
        except PermissionError as error:
            sys.exit(
                f"./run: {error.filename} belongs to another user, and the environment there "
                "cannot be used by you. Make a clone of your own."
            )
    if data_dir := os.environ.get("DATA_DIR"):
        os.environ["DATA_DIR"] = os.path.abspath(data_dir)
    os.chdir(BASE_DIR)
    os.execv(PYTHON, [os.fspath(PYTHON), "-m", "config.front", *arguments])  # noqa: S606


def is_ready(wanted: Sequence[str]) -> bool:
    """Tell whether the environment was made from just these requirements, and can be run."""
    stamps = read_stamps()
    return os.access(PYTHON, os.X_OK) and all(
        stamps.get(name) == digest_of(name) for name in wanted
    )


def prepare(wanted: Sequence[str]) -> None:
    """Make the environment anew if what the product runs on has changed; add what is missing."""
    if VENV.is_symlink():  # making it anew would empty somebody else's
        sys.exit("./run: .venv is a link to another environment. Remove the link and run again.")
    begun = time.monotonic()
    if not is_ready([RUNTIME]):
        version = ".".join(map(str, sys.version_info[:3]))
        say(f"Making .venv with Python {version} ({sys.executable})")
        STAMP.unlink(missing_ok=True)
        has_pip = importlib.util.find_spec("ensurepip") is not None
        venv.EnvBuilder(clear=True, symlinks=True, with_pip=has_pip).create(VENV)
    for name in wanted:
        if read_stamps().get(name) != digest_of(name):
            install(name)
            STAMP.write_text(json.dumps({**read_stamps(), name: digest_of(name)}))
    say(f"The environment is ready ({time.monotonic() - begun:.0f} s).")


def install(name: str) -> None:
    """Install one file of requirements: wheels only, each with its hash."""
    total = sum("==" in line for line in (BASE_DIR / name).read_text().splitlines())
    say(f"Installing {total} pinned packages from {name}")
    process = subprocess.Popen(
        [
            *pip(),
            *("install", "--require-hashes", "--only-binary", ":all:", "--no-input"),
            *("--disable-pip-version-check", "--progress-bar", "off", "-r", BASE_DIR / name),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        if sys.stderr.isatty() and line.startswith(("Collecting", "Requirement")):
            seen = sum(text.startswith(("Collecting", "Requirement")) for text in lines)
            sys.stderr.write(f"\r  {min(seen, total)} of {total} found ")
        elif sys.stderr.isatty() and line.startswith("Installing collected"):
            sys.stderr.write("\r  unpacking them all    \n")
    if process.wait() != 0:
        sys.exit("".join(lines[-25:]) + f"\n./run: {name} could not be installed.")


def pip() -> list[str]:
    """Return the environment's pip, or the machine's turned to it (Debian without ensurepip)."""
    if importlib.util.find_spec("ensurepip") is not None:
        return [os.fspath(PYTHON), "-m", "pip"]
    if importlib.util.find_spec("pip") is None:
        sys.exit("./run needs pip. On Debian: apt-get install python3-venv")
    return [sys.executable, "-m", "pip", "--python", os.fspath(PYTHON)]


def read_stamps() -> dict[str, str]:
    """Return which requirements the environment was made from; nothing when in doubt."""
    try:
        found: dict[str, str] = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found


def digest_of(name: str) -> str:
    """Return the hash of a file of requirements."""
    return hashlib.sha256((BASE_DIR / name).read_bytes()).hexdigest()


@contextmanager
def alone() -> Iterator[None]:
    """Hold the lock of the one who makes the environment."""
    lock = os.open(BASE_DIR / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def say(text: str) -> None:
    """Tell the person who waits; standard output is kept for what was asked for."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
