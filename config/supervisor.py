"""Keep the web server, the workers and beat running; stop them together.

Each has a log of its own and a session of its own, is started again with a growing pause when it
dies, and is killed by the kernel when this process is gone.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded.launcher import log_end, spawn

BASE_DIR = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
WEB_THREADS = 32
WORKER_PROCESSES = 2
READY_SECONDS = 60
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.25, 8.0
SETTLED_SECONDS = 20  # a child that lived so long starts again without a pause


class ChildError(Exception):
    """A process of the house did not come up; the text names its log."""


@dataclass
class Child:
    """One process to keep: how it starts, how long it may take to stop."""

    name: str
    command: list[str]
    environment: dict[str, str]
    grace_seconds: float
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    next_start_at: float = 0.0
    pause_seconds: float = FIRST_PAUSE_SECONDS
    starts: int = 0

    def alive(self) -> bool:
        """Tell whether the process runs."""
        return self.process is not None and self.process.poll() is None

    def signal_group(self, what: int) -> None:
        """Signal the process and all it has started, also when itself is gone already."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, what)


@dataclass
class Supervisor:
    """The processes of one house over one database and one broker."""

    environment: Mapping[str, str]
    logs: Path
    web: bool = False
    workers: int = 0
    beat: bool = False
    port: int | None = None
    children: list[Child] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _reserved: socket.socket | None = None

    def start(self) -> None:
        """Start all and return when each says that it is ready."""
        self.logs.mkdir(parents=True, exist_ok=True)
        if self.web:
            self._reserved, self.port = reserve_port(self.port)
            self.children.append(self._web(self.port))
        self.children += [self._worker(number) for number in range(1, self.workers + 1)]
        if self.beat:
            self.children.append(self._beat())
        # The kernel ties a child to the thread that started it, so one thread starts them all
        # and lives until the last has stopped.
        self._thread = threading.Thread(target=self._keep, name="supervisor", daemon=True)
        self._thread.start()
        try:
            self.wait_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self, *, kill: bool = False) -> None:
        """Stop all together and return when all are gone; killed, they only roll back."""
        if kill:
            for child in self.children:
                child.grace_seconds = 0
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        if self._reserved is not None:
            self._reserved.close()

    @property
    def web_url(self) -> str:
        """Return the address of the web server, without a slash at its end."""
        return f"http://{HOST}:{self.port}"

    def child(self, name: str) -> Child:
        """Return a child by name: web, worker-1, worker-2, beat."""
        return next(child for child in self.children if child.name == name)

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Return when the web server answers and every worker listens to its queue."""
        deadline = time.monotonic() + seconds
        waiting = list(self.children)
        while waiting := [child for child in waiting if not self._is_ready(child)]:
            if time.monotonic() > deadline or any(child.starts > 3 for child in waiting):
                log = self.logs / f"{waiting[0].name}.log"
                raise ChildError(f"{waiting[0].name} did not start; {log} ends:\n{log_end(log)}")
            time.sleep(0.03)

    def _is_ready(self, child: Child) -> bool:
        if not child.alive():
            return False
        if child.name == "web":
            return answers(f"{self.web_url}/health/")
        ready = child.environment.get("READY_FILE")
        return ready is None or Path(ready).exists()

    def _keep(self) -> None:
        while not self._stopping.wait(0.05):
            for child in self.children:
                if not child.alive() and time.monotonic() >= child.next_start_at:
                    self._start_child(child)
        self._stop_children()

    def _start_child(self, child: Child) -> None:
        child.signal_group(signal.SIGKILL)  # what a dead one left would keep its port
        now = time.monotonic()
        settled = child.starts == 0 or now - child.started_at > SETTLED_SECONDS
        child.pause_seconds = (
            FIRST_PAUSE_SECONDS if settled else min(child.pause_seconds * 2, LONGEST_PAUSE_SECONDS)
        )
        child.started_at, child.next_start_at = now, now + child.pause_seconds
        child.starts += 1
        if ready := child.environment.get("READY_FILE"):
            Path(ready).unlink(missing_ok=True)
        child.process = spawn(
            child.command,
            log=self.logs / f"{child.name}.log",
            env={**os.environ, **child.environment},
            cwd=BASE_DIR,
        )

    def _stop_children(self) -> None:
        running = [child for child in self.children if child.process is not None]
        for child in running:
            if child.process is not None and child.alive():
                child.process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        for child in running:
            while child.alive() and time.monotonic() - begun < child.grace_seconds:
                time.sleep(0.02)
            child.signal_group(signal.SIGKILL)
            if child.process is not None:
                child.process.wait()

    def _web(self, port: int) -> Child:
        command = [sys.executable, "-m", "granian", "--interface", "wsgi"]
        command += ["--host", HOST, "--port", str(port), "--workers", "1", "--no-ws"]
        command += ["--blocking-threads", str(WEB_THREADS), "--workers-kill-timeout", "2"]
        command += ["--backlog", "256", "config.wsgi:application"]
        return Child("web", command, {**self.environment, "DATABASE_POOL": "1"}, grace_seconds=4)

    def _worker(self, number: int) -> Child:
        name = f"worker-{number}"
        command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--queues", "lanes"]
        command += ["--pool", "prefork", "--concurrency", str(WORKER_PROCESSES)]
        command += ["--hostname", f"{name}@%h", "--without-gossip", "--without-mingle"]
        command += ["--loglevel", "INFO"]
        ready = str(self.logs / f"{name}.ready")
        # Long enough to end a batch; what is cut off rolls back and is found by the next sweep.
        return Child(name, command, {**self.environment, "READY_FILE": ready}, grace_seconds=3)

    def _beat(self) -> Child:
        # In memory: the schedule is a literal, and there is no file to break by a kill.
        command = [sys.executable, "-m", "celery", "-A", "config", "beat"]
        command += ["--scheduler", "celery.beat:Scheduler", "--pidfile=", "--loglevel", "INFO"]
        return Child("beat", command, dict(self.environment), grace_seconds=2)


def answers(url: str) -> bool:
    """Tell whether a web server answers at all; an error page is an answer."""
    try:
        with urllib.request.urlopen(url, timeout=2):  # noqa: S310  # our own loopback address
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def reserve_port(asked: int | None) -> tuple[socket.socket, int]:
    """Return the asked port if it is free, else any, held so that no neighbour is given it.

    Bound and never listened to: granian binds beside it, and the kernel offers it to nobody else.
    """
    for port in filter(lambda wanted: wanted is not None, (asked, 0)):
        holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HOST, port))  # alone: refused where anybody serves there
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            holder.bind((HOST, port))
        except OSError:
            holder.close()
            continue
        return holder, holder.getsockname()[1]
    raise ChildError("No port is free on this machine.")
