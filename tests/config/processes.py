"""What the tests of processes ask the kernel."""

import time
from pathlib import Path

from config.embedded.postgres import GONE, process_state


def descendants(pid: int) -> list[int]:
    """Return all processes below one, the grandchildren too."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(entry.parent.name)] = int(fields[1])
    found = [pid]
    for known in found:  # grows while it is walked
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def gone_within(seconds: float, pids: list[int]) -> bool:
    """Wait until none of the processes runs any more."""
    deadline = time.monotonic() + seconds
    while any(process_state(pid) not in GONE for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
