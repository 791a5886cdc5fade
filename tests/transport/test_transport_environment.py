"""Proxies, .netrc and certificates from the environment, as fsspec and aiohttp take them."""

import os
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from helpers_http import RangeServer, Threads, serving
from helpers_transport import Naps
from zarrdb.errors import UnreachableError
from zarrdb.transport.opening import open_reader

DATA = bytes(i % 251 for i in range(2 << 20))


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        running.put("file", DATA)
        yield running


class Proxy(Threads):
    """Passes requests on, and remembers for what they were."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        super().__init__(("127.0.0.1", 0), _Passing)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Passing(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        opener = build_opener(ProxyHandler({}))
        with opener.open(Request(self.path, headers={"Range": self.headers["Range"]})) as answer:
            body = answer.read()
            self.send_response(answer.status)
            for name in ("Content-Range", "ETag"):
                self.send_header(name, answer.headers[name])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    running = Proxy()
    threading.Thread(target=running.serve_forever, args=(0.05,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def clear_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def test_a_proxy_of_the_environment_is_used(
    server: RangeServer, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_proxies(monkeypatch)
    monkeypatch.setenv("http_proxy", proxy.url)
    reader = open_reader(server.url("file"))
    assert reader.head_tail(100, 50) == (DATA[:100], DATA[-50:])
    assert proxy.seen == [server.url("file")] * 2
    reader.close()


def test_a_host_without_proxy_is_asked_itself(
    server: RangeServer, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_proxies(monkeypatch)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    reader = open_reader(server.url("file"))
    assert reader.read_ranges([(5, 5)]) == [DATA[5:10]]
    assert proxy.seen == []
    reader.close()


def test_a_proxy_that_is_not_there(server: RangeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    clear_proxies(monkeypatch)
    gone = Proxy()
    gone.server_close()
    monkeypatch.setenv("http_proxy", gone.url)
    reader = open_reader(server.url("file"), sleep=Naps())
    with pytest.raises(UnreachableError, match="cannot be reached"):
        reader.read_ranges([(5, 5)])
    reader.close()


def test_credentials_come_from_netrc(
    server: RangeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear_proxies(monkeypatch)
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password word\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.required = ("Authorization", "Basic dXNlcjp3b3Jk")
    reader = open_reader(server.url("file"))
    assert reader.read_ranges([(5, 5)]) == [DATA[5:10]]
    reader.close()


def test_credentials_in_a_url_are_sent_and_not_shown(server: RangeServer) -> None:
    server.required = ("Authorization", "Basic dXNlcjp3b3Jk")
    reader = open_reader(server.url("file").replace("//", "//user:word@"))
    assert reader.read_ranges([(5, 5)]) == [DATA[5:10]]
    assert "word" not in reader.name
    reader.close()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_certificates_of_an_authority_of_ones_own(server: RangeServer, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        " -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    )
    subprocess.run(
        [*command.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    assert server._server is not None
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
    url = server.url("file").replace("http:", "https:")
    code = (
        "import sys; from zarrdb.transport.opening import open_reader\n"
        "reader = open_reader(sys.argv[1], sleep=lambda _: None)\n"
        "print(reader.read_ranges([(5, 5)])[0].hex())"
    )

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, url],
            env={**os.environ, "no_proxy": "*", **environment},
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert run(SSL_CERT_FILE=str(certificate)).stdout.strip() == DATA[5:10].hex()
    refused = run()
    assert "UnreachableError" in refused.stderr
    assert "its certificate is not trusted" in refused.stderr
