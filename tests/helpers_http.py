"""A web server on loopback that serves ranges well, or badly in the ways that real ones do."""

import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Seen(NamedTuple):
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]

    @property
    def range(self) -> str | None:
        return self.headers.get("range")


class RangeServer:
    """Files and how they are served; every switch may be turned between requests.

    `ranges`: `all`, `no-suffix` (a range from the end is answered with the whole file),
    `none` (every range is), `shifted` (a 206 for another place), `starless` (no
    Content-Range). `multipart`: `all`, `none` (200), `first` (the first range alone),
    `missing` (the last part left out), `reversed`, `garbled`. `body`: `whole`, `cut`
    (connection closed half-way), `short` (half of it, and said so), `long` (a byte more than
    the range). `failures` are answers (status, headers) given before any other, in turn.
    `redirects` maps a path to a location. `stall` holds every answer until `release`.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.etags = True
        self.weak_etags = False
        self.ranges = "all"
        self.multipart = "none"
        self.body = "whole"
        self.encoding: str | None = None
        self.chunked = False
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.redirects: dict[str, tuple[int, str]] = {}
        self.latency = 0.0
        self.stall = False
        self.release = threading.Event()
        self.log: list[Seen] = []
        self.required: tuple[str, str] | None = None
        """A header field and its value without which the answer is 401."""
        self._lock = threading.Lock()
        self._server: Threads | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.server_address[1])

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"

    def put(self, name: str, data: bytes) -> str:
        """Serve the bytes under a name; its URL."""
        self.files["/" + name] = data
        return self.url(name)

    def etag(self, data: bytes) -> str:
        # Python keeps the hash of bytes, so that only the first request waits for it.
        tag = f'"{hash(data) & 0xFFFFFFFFFFFFFFFF:016x}"'
        return "W/" + tag if self.weak_etags else tag

    def start(self) -> None:
        outer = self

        class Handler(_Handler):
            server_state = outer

        self._server = Threads(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self.release.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def record(self, seen: Seen) -> tuple[int, dict[str, str]] | None:
        """Log a request; the failure to answer it with, if any."""
        with self._lock:
            self.log.append(seen)
            return self.failures.pop(0) if self.failures else None


@contextmanager
def serving() -> Iterator[RangeServer]:
    """A running server; stopped at the end."""
    server = RangeServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Threads(ThreadingHTTPServer):
    """A thread a connection; clients that hang up are no news."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state: RangeServer
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(send_body=False)

    def do_GET(self) -> None:
        self._answer(send_body=True)

    def _answer(self, *, send_body: bool) -> None:
        state = self.server_state
        path = self.path.partition("?")[0]
        headers = {name.lower(): value for name, value in self.headers.items()}
        failure = state.record(Seen(self.command, self.path, headers))
        if state.latency:
            time.sleep(state.latency)
        if state.stall:
            state.release.wait(10)
        if failure is not None:
            return self._send(failure[0], failure[1], b"")
        if state.required and headers.get(state.required[0].lower()) != state.required[1]:
            return self._send(401, {"WWW-Authenticate": "Bearer"}, b"")
        if path in state.redirects:
            status, place = state.redirects[path]
            return self._send(status, {"Location": place}, b"")
        data = state.files.get(path)
        if data is None:
            return self._send(404, {}, b"")
        return self._serve(data, headers.get("range") if send_body else None)

    def _serve(self, data: bytes, asked: str | None) -> None:
        state = self.server_state
        fields = {"ETag": state.etag(data)} if state.etags else {}
        if state.encoding:
            fields["Content-Encoding"] = state.encoding
        spans = _spans(asked, len(data)) if asked and state.ranges != "none" else None
        if spans is None or (state.ranges == "no-suffix" and "=-" in (asked or "")):
            return self._send(200, fields, data)
        if not spans:
            return self._send(416, {**fields, "Content-Range": f"bytes */{len(data)}"}, b"")
        if len(spans) > 1 and state.multipart != "first":
            return self._parts(data, spans, fields)
        first, last = spans[0]
        if state.ranges == "shifted":
            first, last = first + 1, min(last + 1, len(data) - 1)
        if state.ranges != "starless":
            fields["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
        body = data[first : last + 1]
        if state.body == "short":
            body = body[: len(body) // 2]
        if state.body == "long":
            body += b"!"
        return self._send(206, fields, body)

    def _parts(self, data: bytes, spans: list[tuple[int, int]], fields: dict[str, str]) -> None:
        state = self.server_state
        if state.multipart == "none":
            return self._send(200, fields, data)
        if state.multipart == "missing":
            spans = spans[:-1]
        if state.multipart == "reversed":
            spans = spans[::-1]
        body = bytearray(b"preamble\r\n")
        for first, last in spans:
            body += b"--zz\r\nContent-Type: application/octet-stream\r\n"
            place = "nowhere" if state.multipart == "garbled" else f"{first}-{last}"
            body += f"content-range: bytes {place}/{len(data)}\r\n\r\n".encode()
            body += data[first : last + 1] + b"\r\n"
        body += b"--zz--\r\n"
        fields["Content-Type"] = "multipart/byteranges; boundary=zz"
        return self._send(206, fields, bytes(body))

    def _send(self, status: int, fields: dict[str, str], body: bytes) -> None:
        state = self.server_state
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if state.chunked and body:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if state.body == "cut":
            body = body[: len(body) // 2]
            self.close_connection = True
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except OSError:
            self.close_connection = True


def _spans(asked: str, size: int) -> list[tuple[int, int]] | None:
    """First and last bytes of what can be satisfied; None if the field is not understood."""
    match = re.fullmatch(r"bytes=([\d,\s-]+)", asked)
    if match is None:
        return None
    found: list[tuple[int, int]] = []
    for item in match[1].split(","):
        start, _, end = item.strip().partition("-")
        if start:
            first, last = int(start), min(int(end) if end else size - 1, size - 1)
        else:
            first, last = max(0, size - int(end)), size - 1
        if first <= last and first < size:
            found.append((first, last))
    return found
