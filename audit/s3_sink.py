"""Checkpoints in an S3-compatible store, signed by hand (AWS Signature Version 4, path style).

``If-None-Match: *`` has the store refuse to write over what it holds; give the bucket an object
lock and the house cannot take anything back.
"""

import hmac
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from audit.sink_errors import SinkConflict, SinkError

SECONDS = 10


class S3Sink:
    """A bucket and a prefix at an endpoint."""

    def __init__(
        self, endpoint: str, bucket: str, prefix: str, environment: Mapping[str, str]
    ) -> None:
        self.endpoint, self.bucket, self.prefix = endpoint.rstrip("/"), bucket, prefix
        self.access = environment.get("AWS_ACCESS_KEY_ID", "")
        self.secret = environment.get("AWS_SECRET_ACCESS_KEY", "")
        self.region = environment.get("AWS_REGION", "us-east-1")

    def put(self, name: str, body: bytes) -> None:
        """Store a file, or find the same one there already."""
        try:
            self._send("PUT", name, body, {"if-none-match": "*"})
        except urllib.error.HTTPError as error:
            if error.code not in (HTTPStatus.PRECONDITION_FAILED, HTTPStatus.CONFLICT):
                raise SinkError(f"The store answered {error.code} to {name}.") from error
            if self._get(name) != body:
                raise SinkConflict(f"{name} in {self.bucket} holds other bytes.") from error
        except OSError as error:
            raise SinkError(f"The store {self.endpoint} cannot be reached: {error}.") from error

    def _get(self, name: str) -> bytes:
        try:
            return self._send("GET", name, b"", {})
        except OSError as error:
            raise SinkError(f"The store did not give {name} back: {error}.") from error

    def _send(self, method: str, name: str, body: bytes, more: dict[str, str]) -> bytes:
        key = "/".join(part for part in (self.bucket, self.prefix, name) if part)
        url = f"{self.endpoint}/{quote(key)}"
        headers = signed_headers(
            method, url, body, more, (self.access, self.secret, self.region), datetime.now(UTC)
        )
        request = urllib.request.Request(  # noqa: S310  # the operator's own address
            url, data=body if method == "PUT" else None, headers=headers, method=method
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            told: bytes = answer.read()
        return told


def signed_headers(
    method: str,
    url: str,
    body: bytes,
    more: Mapping[str, str],
    who: tuple[str, str, str],
    now: datetime,
) -> dict[str, str]:
    """Return a request's headers with its signature. ``who``: access key, secret, region."""
    access, secret, region = who
    parts, stamp = urlsplit(url), now.strftime("%Y%m%dT%H%M%SZ")
    digest = sha256(body).hexdigest()
    headers = {"host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": stamp, **more}
    names = ";".join(sorted(headers))
    told = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join((method, parts.path, parts.query, told, names, digest))
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{sha256(request.encode()).hexdigest()}"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.new(key, text.encode(), "sha256").hexdigest()
    credential = f"Credential={access}/{scope}"
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
    )
    return headers
