"""Start a process that cannot outlive the one that started it.

This file is also the little program that runs between fork and exec: it may use the standard
library only, and is started with ``python -I -S`` so that it costs some ten milliseconds.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PR_SET_PDEATHSIG = 1
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class Account(NamedTuple):
    """The operating system's account that a server runs as."""

    uid: int
    gid: int


def die_with_parent(death_signal: int = signal.SIGKILL) -> None:
    """Ask the kernel to signal this process when the thread that started it is gone."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) refused")


def spawn(
    command: Sequence[str | Path],
    *,
    log: Path | int,
    env: Mapping[str, str],
    cwd: Path | str = "/",
    account: Account | None = None,
    death_signal: int = signal.SIGKILL,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, bound to the life of the calling thread.

    The pid is the command's own: the program between replaces itself. Both outputs go to the log,
    a file or an open descriptor.
    """
    between = [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(death_signal))]
    between += [str(account.uid), str(account.gid)] if account else ["-", "-"]
    output = log if isinstance(log, int) else os.open(log, APPEND, 0o600)
    try:
        return subprocess.Popen(
            [*between, *(os.fspath(part) for part in command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(env),
            cwd=cwd,
            pass_fds=pass_fds,
            start_new_session=True,
        )
    finally:
        if output != log:
            os.close(output)


def log_end(log: Path, lines: int = 15) -> str:
    """Return the last lines of a log, for the person who must see why something did not start."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return "(no log)"


def main(arguments: Sequence[str]) -> None:
    """Drop rights, bind this process to its parent, and become the command."""
    parent, death_signal, uid, gid, *command = arguments
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    die_with_parent(int(death_signal))  # after setuid, which clears it
    if os.getppid() != int(parent):  # the parent died before the kernel was asked
        sys.exit(1)
    os.umask(0o077)
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
