"""What the figures were measured on."""

import os
import platform
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep

import psycopg

SETTINGS = (
    *("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "data_checksums"),
    *("shared_buffers", "max_wal_size", "wal_level"),
)
FLUSHES = 50
REAPED_SECONDS = 0.1  # a backend that ended counts once its postmaster has noticed


def facts_of_machine(folder: Path, url: str) -> dict[str, str]:
    """Return what decides the figures besides the code."""
    with psycopg.connect(url) as connection:
        settings: dict[str, str] = dict(
            connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)",
                [list(SETTINGS)],
            ).fetchall()
        )
        version = connection.info.parameter_status("server_version") or ""
    return {
        "processor": processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "postgresql": version.split()[0],
        "settings": ", ".join(f"{name} {settings[name]}" for name in SETTINGS),
        "flush": f"{flush_seconds(folder) * 1e6:.0f} microseconds for 8 KiB",
    }


def processor() -> str:
    """Return the processor's name as the kernel knows it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def flush_seconds(folder: Path) -> float:
    """Return how long the disk below ``folder`` takes to keep a page."""
    path = folder / "flush"
    taken = []
    with path.open("wb", buffering=0) as file:
        for _ in range(FLUSHES):
            begun = perf_counter()
            file.write(bytes(8192))
            os.fdatasync(file.fileno())
            taken.append(perf_counter() - begun)
    path.unlink()
    return statistics.median(taken)


class Meter:
    """How much processor time this process and PostgreSQL's spend on each kind of work.

    Unlike a rate, it hardly depends on who else uses the machine.
    """

    def __init__(self, postmaster: int) -> None:
        self._postmaster = postmaster
        self.ours: dict[str, float] = defaultdict(float)
        self.servers: dict[str, float] = defaultdict(float)

    @contextmanager
    def spent_on(self, work: str) -> Iterator[None]:
        ours, servers = process_time(), server_seconds(self._postmaster)
        yield
        self.ours[work] += process_time() - ours
        sleep(REAPED_SECONDS)
        self.servers[work] += server_seconds(self._postmaster) - servers


def server_seconds(postmaster: int) -> float:
    """Return the processor time of a server's processes so far, those that ended too."""
    ticks = sum(map(int, stat_of(Path(f"/proc/{postmaster}"))[11:15]))
    for path in Path("/proc").glob("[0-9]*"):
        fields = stat_of(path)
        if fields and int(fields[1]) == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def stat_of(process: Path) -> list[str]:
    """Return what the kernel tells of a process after its name; nothing if it is gone."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
