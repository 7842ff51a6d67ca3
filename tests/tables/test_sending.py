"""A gateway's connection: what it does when the server goes away, answers late, or refuses."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tables.models import AccessKey
from tables.services.keys import find_key
from tables.services.sending import Gateway, NotSent, gateway_key

EVENTS = [b'{"n":1}', b'{"n":2}']


class Server:
    """A small real server that answers as it is told, and remembers what came."""

    def __init__(self) -> None:
        self.answers: list[int | None] = []  # a status, or None: hang up without a word
        self.received: list[tuple[str, str | None, bytes]] = []
        self.connections = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                outer.connections += 1
                super().setup()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append((self.path, self.headers["Authorization"], body))
                status = outer.answers.pop(0) if outer.answers else 202
                if status is None:
                    self.close_connection = True
                    return
                told = {"results": [{"status": "accepted"} for _ in json.loads(body)]}
                raw = json.dumps(told).encode() if status == 202 else b"no"
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


@pytest.fixture
def gateway(server: Server) -> Iterator[Callable[..., Gateway]]:
    opened: list[Gateway] = []

    def open_one(tries: int = 3) -> Gateway:
        opened.append(Gateway(server.url, "secret", tries))
        return opened[-1]

    yield open_one
    for one in opened:
        one.__exit__(None, None, None)


Open = Callable[..., Gateway]


def test_a_list_goes_out_with_the_key_on_a_connection_that_stays(
    server: Server, gateway: Open
) -> None:
    with gateway() as sender:
        assert sender.send(EVENTS) == [{"status": "accepted"}] * 2
        sender.send(EVENTS[:1])
    assert server.received == [
        ("/api/v1/events/", "Key secret", b'[{"n":1},{"n":2}]'),
        ("/api/v1/events/", "Key secret", b'[{"n":1}]'),
    ]
    assert server.connections == 1


@pytest.mark.parametrize("trouble", [None, 503, 502, 429])
def test_after_a_dropped_connection_or_a_busy_answer_the_same_is_sent_again(
    server: Server, gateway: Open, trouble: int | None
) -> None:
    server.answers = [trouble]
    assert len(gateway().send(EVENTS)) == 2
    first, second = server.received
    assert first == second


def test_tries_are_bounded(server: Server, gateway: Open) -> None:
    server.answers = [503, 503, 503]
    with pytest.raises(NotSent, match="in 2 tries: the answer was 503"):
        gateway(tries=2).send(EVENTS)
    assert len(server.received) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 413, 422, 500])
def test_an_answer_that_is_no_matter_of_time_is_not_asked_for_again(
    server: Server, gateway: Open, status: int
) -> None:
    server.answers = [status]
    with pytest.raises(NotSent, match=f"refused with {status}"):
        gateway().send(EVENTS)
    assert len(server.received) == 1


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(NotSent, match=r"127\.0\.0\.1:9 could not be reached"):
        Gateway("http://127.0.0.1:9", "secret", tries=1).send(EVENTS)


@pytest.mark.parametrize("url", ["", "house", "ftp://house/", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(NotSent, match="no address"):
        Gateway(url, "secret")


@pytest.mark.django_db
def test_the_key_lives_as_long_as_the_sending() -> None:
    secrets = []

    def break_off() -> None:
        with gateway_key("replay", []) as secret:
            key = find_key(secret)
            assert key is not None
            assert key.kind == AccessKey.Kind.GATEWAY
            secrets.append(secret)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert find_key(secrets[0]) is None
