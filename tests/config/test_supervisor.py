"""The processes of the house: each comes back when it dies, and none outlives the supervisor."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded.postgres import GONE, process_state
from config.house import House
from config.supervisor import BASE_DIR, answers
from tests.config.processes import descendants, gone_within
from tests.databases import RunningHouse

SERVE = """
import sys, time
from config.house import House
house = House(sys.argv[1], {})
house.start(web=True, workers=1, beat=True)
print(house.web_url, flush=True)
time.sleep(600)
"""


@pytest.mark.faults
@pytest.mark.parametrize("name", ["web", "worker-1", "beat"])
def test_a_killed_process_comes_back_and_leaves_nothing(house: RunningHouse, name: str) -> None:
    before = house.pid(name)
    below = descendants(before)

    os.kill(before, signal.SIGKILL)
    assert gone_within(15, [before, *below])
    house.supervisor.wait_ready()

    assert house.pid(name) != before
    with urllib.request.urlopen(f"{house.web_url}/health/") as answer:
        assert answer.status == 200


@pytest.mark.faults
def test_nothing_outlives_a_killed_supervisor(
    make_folder: Callable[..., Path],
) -> None:
    data_dir = make_folder("with space")
    log = data_dir.with_name("serve.log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, data_dir],
            cwd=BASE_DIR,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert answers(f"{url}/health/"), log.read_text()
    servers = list(House(data_dir, {}).server_pids().values())
    everything = {*descendants(process.pid), *servers}
    everything |= {below for server in servers for below in descendants(server)}
    assert len(everything) > 10  # granian 2, worker 3, beat, keeper, PostgreSQL's, Valkey
    owner = json.loads((data_dir / "secrets.json").read_text())["owner"].encode()
    served = [Path(f"/proc/{pid}/environ").read_bytes() for pid in descendants(process.pid)]
    assert not any(owner in environment for environment in served)

    process.kill()
    process.communicate()

    assert gone_within(15, list(everything))
    assert not answers(f"{url}/health/")


def test_stopping_is_quick_and_complete(house: RunningHouse) -> None:
    children = [child.process for child in house.supervisor.children]
    pids = [pid for process in children if process for pid in [process.pid]]
    everything = [*pids, *(below for pid in pids for below in descendants(pid))]
    begun = time.monotonic()

    house.supervisor.stop()

    assert time.monotonic() - begun < 10
    assert all(process_state(pid) in GONE for pid in everything)
