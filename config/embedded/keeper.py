"""The process that owns the embedded servers for as long as anybody uses the data folder.

Every ``./run`` process holds a shared lock on ``run.lock``; the kernel lets go of it however the
process ends. The keeper waits for that lock alone: once it has it, nobody is left, and it stops
the servers and ends. The servers are bound to the keeper's life in turn. So nothing outlives the
last user, not even after kill -9, and one user's end does not take the servers from the others.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from config.embedded import homes
from config.embedded.postgres import Postgres, make_roles
from config.embedded.valkey import Valkey

READY = b"ready"  # the word in the pipe; anything else is the reason why not
POSTGRES, VALKEY = "postgres", "valkey"
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 5.0


class Server(Protocol):
    """What the keeper asks of a server."""

    name: str
    process: subprocess.Popen[bytes] | None

    def start(self) -> None: ...
    def alive(self) -> bool: ...
    def stop(self) -> None: ...


def make_servers(data_dir: Path, parts: Sequence[str], secrets: Mapping[str, str]) -> list[Server]:
    """Return the servers that this house embeds, in the order they start."""
    sockets = homes.socket_folder(data_dir)
    homes.make_private(sockets, homes.server_account())
    logs = data_dir / "logs"
    servers: list[Server] = []
    if POSTGRES in parts:
        servers.append(
            Postgres(
                data_dir=data_dir,
                sockets=sockets,
                log=logs / "postgres.log",
                password=secrets["superuser"],
            )
        )
    if VALKEY in parts:
        servers.append(Valkey(data_dir=data_dir, sockets=sockets, log=logs / "valkey.log"))
    return servers


def start_all(servers: Sequence[Server], secrets: Mapping[str, str]) -> None:
    """Start each server and make the roles; the second one finds the first already up."""
    for server in servers:
        server.start()
        if isinstance(server, Postgres):
            make_roles(server, database=secrets["database"], passwords=dict(secrets))


def note_pids(data_dir: Path, servers: Sequence[Server]) -> None:
    """Write down which process serves what, for people and for tests."""
    pids = {server.name: server.process.pid for server in servers if server.process is not None}
    scratch = data_dir / "servers.new"
    scratch.write_text(json.dumps({"keeper": os.getpid(), **pids}))
    scratch.rename(data_dir / "servers.json")


def watch(data_dir: Path, servers: Sequence[Server], nobody_left: threading.Event) -> None:
    """Start a server again when it dies, with growing pauses, until nobody uses the house."""
    pause, quiet_since = FIRST_PAUSE_SECONDS, time.monotonic()
    while not nobody_left.wait(0.1):
        dead = [server for server in servers if not server.alive()]
        if not dead:
            if time.monotonic() - quiet_since > LONGEST_PAUSE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            continue
        for server in dead:
            print(f"{server.name} is gone; starting it again", flush=True)
            try:
                server.start()
                note_pids(data_dir, servers)
            except Exception as error:  # a keeper never gives up
                print(error, flush=True)
                nobody_left.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        quiet_since = time.monotonic()


def main(arguments: Sequence[str]) -> None:
    """Start the servers, say so through the pipe, and keep them until the lock is free."""
    data_dir, report = Path(arguments[0]), int(arguments[1])
    parts = arguments[2:]
    lock = os.open(data_dir / "keeper.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    secrets: dict[str, Any] = json.loads((data_dir / "secrets.json").read_text())
    nobody_left = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: nobody_left.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    servers: list[Server] = []
    try:
        servers = make_servers(data_dir, parts, secrets)
        start_all(servers, secrets)
        note_pids(data_dir, servers)
        os.write(report, READY)
    except Exception as error:  # the text goes to whoever waits at the pipe
        os.write(report, str(error).encode() or repr(error).encode())
        nobody_left.set()
    os.close(report)
    threading.Thread(target=_wait_alone, args=[data_dir, nobody_left], daemon=True).start()
    watch(data_dir, servers, nobody_left)
    for server in reversed(servers):
        server.stop()
    shutil.rmtree(homes.socket_folder(data_dir), ignore_errors=True)


def _wait_alone(data_dir: Path, nobody_left: threading.Event) -> None:
    """Take the lock that the users share; it is let go by the end of this process."""
    users = os.open(data_dir / "run.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_EX)
    nobody_left.set()


if __name__ == "__main__":
    main(sys.argv[1:])
