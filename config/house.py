"""The house: its data folder, its servers, its processes.

    with House(data_dir) as house:
        house.start(web=True, workers=1, beat=True)
        print(house.web_url)

Several processes may open the same house: the first starts the servers, the last out stops them
(``config.embedded.keeper``). With ``DATABASE_URL`` or ``REDIS_URL`` in the environment that
server is not embedded.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from config.embedded import homes
from config.embedded.keeper import POSTGRES, READY, VALKEY
from config.supervisor import BASE_DIR, Supervisor

DATABASE = "house"
LEAVE_SECONDS = 30  # as long as the last one out waits for PostgreSQL's shutdown
SOURCES_OF_SCHEMA = ("audit", "progressives", "tables")


class HouseError(Exception):
    """The house cannot open; the text says why and what to do."""


class House:
    """One data folder with everything that serves from it."""

    def __init__(self, data_dir: Path | str, outside: Mapping[str, str] | None = None) -> None:
        outside = os.environ if outside is None else outside
        self.data_dir = Path(data_dir).resolve()
        self.supervisor: Supervisor | None = None
        self._run_lock: int | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._make_data_dir()
        self._secrets = self._read_secrets()
        sockets = homes.socket_folder(self.data_dir)
        self.database_url = outside.get("DATABASE_URL") or self._url(sockets, "app", DATABASE)
        self.owner_url = outside.get("MIGRATE_DATABASE_URL", "")
        self.embedded = []
        if not outside.get("DATABASE_URL"):
            self.embedded.append(POSTGRES)
            self.owner_url = self._url(sockets, "owner", DATABASE)
        self.redis_url = outside.get("REDIS_URL", "")
        if not self.redis_url:
            self.embedded.append(VALKEY)
            self.redis_url = f"redis+socket://{quote(str(sockets / 'valkey.sock'))}"

    def __enter__(self) -> "House":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def web_url(self) -> str:
        """Return the address of this process's own web server."""
        if self.supervisor is None or not self.supervisor.web:
            raise HouseError("No web server was started here.")
        return self.supervisor.web_url

    def server_pids(self) -> dict[str, int]:
        """Return the pids of keeper, postgres and valkey as last written down by the keeper."""
        found: dict[str, int] = json.loads((self.data_dir / "servers.json").read_text())
        return found

    def environment(self) -> dict[str, str]:
        """Return what ``config.settings`` reads, so that a process can serve in this house."""
        return {
            "DATA_DIR": os.fspath(self.data_dir),
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "SECRET_KEY": os.environ.get("SECRET_KEY") or self._secrets["secret_key"],
            "DJANGO_SETTINGS_MODULE": "config.settings",
            # Who serves never learns how to become the owner, also where we were told it.
            "MIGRATE_DATABASE_URL": "",
        }

    def start(
        self,
        *,
        web: bool = False,
        workers: int = 0,
        beat: bool = False,
        port: int | None = None,
        migrate: bool = True,
    ) -> None:
        """Start the servers if nobody has, bring the schema up to date, start the processes."""
        self.start_servers()
        if migrate and self.owner_url:
            with self._alone("start.lock"):
                self._migrate_if_changed()
        if web or workers or beat:
            self.supervisor = Supervisor(
                environment=self.environment(),
                logs=self.data_dir / "logs",
                web=web,
                workers=workers,
                beat=beat,
                port=port,
            )
            self.supervisor.start()
            if web:
                (self.data_dir / "web.url").write_text(f"{self.web_url}\n")

    def start_servers(self) -> None:
        """Open the house: share its lock, and see that the embedded servers run."""
        if self._run_lock is not None:
            return
        self._run_lock = os.open(self.data_dir / "run.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._run_lock, fcntl.LOCK_SH)  # waits while the last users' servers stop
        with self._alone("start.lock"):  # waits while another one starts them
            if self.embedded and not self._keeper_lives():
                self._start_keeper()

    def mend(self) -> None:
        """Start the embedded servers again if their keeper was killed; else change nothing."""
        if self.embedded and not self._keeper_lives():
            with self._alone("start.lock"):
                if not self._keeper_lives():
                    self._start_keeper()

    def stop(self) -> None:
        """Stop what was started here; the last one out waits until the servers are gone too."""
        if self.supervisor is not None:
            self.supervisor.stop()
            if self.supervisor.web:
                (self.data_dir / "web.url").unlink(missing_ok=True)
            self.supervisor = None
        if self._run_lock is None:
            return
        fcntl.flock(self._run_lock, fcntl.LOCK_UN)
        deadline = time.monotonic() + LEAVE_SECONDS
        while self._keeper_lives() and time.monotonic() < deadline:
            if self._others_are_here():
                break
            time.sleep(0.01)
        os.close(self._run_lock)
        self._run_lock = None
        if self._keeper is not None:
            self._keeper.poll()

    def _others_are_here(self) -> bool:
        """Tell whether somebody else shares the lock, so that the keeper goes on waiting for it."""
        assert self._run_lock is not None  # noqa: S101
        for kind, answer in ((fcntl.LOCK_EX, False), (fcntl.LOCK_SH, True)):
            try:
                fcntl.flock(self._run_lock, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            fcntl.flock(self._run_lock, fcntl.LOCK_UN)
            return answer
        return False  # the keeper has it: the servers are stopping

    def _make_data_dir(self) -> None:
        uid = os.geteuid()
        try:
            # Others may pass through: as root, PostgreSQL runs as nobody. Files are private.
            self.data_dir.mkdir(parents=True, exist_ok=True)
            owner = self.data_dir.stat().st_uid
        except OSError as error:
            raise HouseError(f"{self.data_dir} cannot be made ({error.strerror}).") from error
        if owner != uid:
            raise HouseError(
                f"{self.data_dir} belongs to another user (uid {owner}, you are {uid}). "
                "Run as that user, or set DATA_DIR to a folder of your own."
            )
        if not (self.data_dir / "logs").exists():
            (self.data_dir / "logs").mkdir(mode=0o700, exist_ok=True)

    def _read_secrets(self) -> dict[str, str]:
        """Return the house's passwords and keys, made at random when the house is new."""
        path = self.data_dir / "secrets.json"
        with self._alone("start.lock"):
            if not path.exists():
                made = {name: secrets.token_urlsafe(24) for name in ("superuser", "owner", "app")}
                made |= {"secret_key": secrets.token_urlsafe(48), "database": DATABASE}
                scratch = path.with_suffix(".new")
                scratch.touch(mode=0o600)
                scratch.write_text(json.dumps(made))
                scratch.rename(path)
        found: dict[str, str] = json.loads(path.read_text())
        return found

    def _url(self, sockets: Path, role: str, database: str) -> str:
        password = self._secrets[role]
        return f"postgresql://{role}:{password}@/{database}?host={quote(str(sockets), safe='')}"

    @contextlib.contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        lock = os.open(self.data_dir / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _keeper_lives(self) -> bool:
        lock = os.open(self.data_dir / "keeper.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: who asks is no keeper
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def _start_keeper(self) -> None:
        """Start the keeper in a session of its own and wait for its word."""
        report, told = os.pipe()
        log = os.open(
            self.data_dir / "logs" / "keeper.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
        )
        try:
            command = [sys.executable, "-m", "config.embedded.keeper", os.fspath(self.data_dir)]
            self._keeper = subprocess.Popen(
                [*command, str(told), *self.embedded],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=BASE_DIR,
                pass_fds=[told],
                start_new_session=True,
            )
        finally:
            os.close(told)
            os.close(log)
        with os.fdopen(report, "rb") as pipe:
            word = pipe.read()
        if word != READY:
            raise HouseError(
                f"The embedded servers did not start.\n{word.decode(errors='replace')}\n"
                f"More in {self.data_dir / 'logs'}."
            )

    def _migrate_if_changed(self) -> None:
        """Migrate as owner when any code that shapes the schema is new to this database."""
        record = self.data_dir / "migrated.json"
        done: dict[str, str] = json.loads(record.read_text()) if record.exists() else {}
        key = hashlib.sha256(self.owner_url.encode()).hexdigest()
        schema = fingerprint_of_schema()
        if done.get(key) == schema:
            return
        migrate(self.environment(), owner_url=self.owner_url)
        record.write_text(json.dumps({**done, key: schema}))


def fingerprint_of_schema() -> str:
    """Return a hash over all that decides the schema: the apps' sources and the pins."""
    digest = hashlib.sha256((BASE_DIR / "requirements.txt").read_bytes())
    for app in SOURCES_OF_SCHEMA:
        for path in sorted((BASE_DIR / app).rglob("*")):
            if path.suffix in (".py", ".sql"):
                digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def migrate(environment: Mapping[str, str], *, owner_url: str) -> None:
    """Bring a database's schema and the application's rights up to date, as its owner."""
    result = subprocess.run(
        [sys.executable, "-m", "config.migrate"],
        env={**os.environ, **environment, "DATABASE_URL": owner_url},
        cwd=BASE_DIR,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise HouseError(f"The migration failed.\n{result.stdout}{result.stderr}")
