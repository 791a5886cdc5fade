"""Frames on a real Caterva2 server, read over its HTTP ranges with its cookie.

Skipped where the package `caterva2[server]` is not installed.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import frame_of, parameters
from zarrdb.errors import RangeError
from zarrdb.frame import HttpNDSource

pytestmark = pytest.mark.skipif(
    find_spec("caterva2") is None or find_spec("fastapi") is None,
    reason="needs the package caterva2[server]",
)

USER, PASSWORD = "reader@example.com", "a long password"
ITEMS = np.cumsum(np.random.default_rng(1).normal(size=(1024, 1024)), axis=1)
DATA = frame_of(ITEMS, chunks=(512, 512), blocks=(32, 64), cparams=parameters("LZ4"))
KEY = np.s_[500:520, 100:300]


class Caterva2(NamedTuple):
    """A running server: where it listens, and the cookie of a user who has logged in."""

    port: int
    cookie: str
    shared: Path
    """The folder of what all users share."""


@pytest.fixture(scope="module")
def caterva2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caterva2]:
    folder = tmp_path_factory.mktemp("caterva2")
    environment = {**os.environ, "CATERVA2_SECRET": "for this test alone"}
    state = ["--statedir", str(folder / "state")]
    (folder / "state").mkdir()

    def command(module: str, *arguments: str) -> list[str]:
        return [sys.executable, "-W", "ignore", "-m", module, *state, *arguments]

    subprocess.run(
        command("caterva2.tools.admin", "adduser", USER, PASSWORD),
        check=True,
        capture_output=True,
        cwd=folder,
        env=environment,
        timeout=60,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        command("caterva2.services.server", "--listen", f"127.0.0.1:{port}"),
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Caterva2(port, logged_in(port, server), folder / "state" / "shared")
    finally:
        server.terminate()
        server.wait(30)


def logged_in(port: int, server: subprocess.Popen[bytes]) -> str:
    """The cookie of the user, once the server answers."""
    body = urlencode({"username": USER, "password": PASSWORD})
    fields = {"Content-Type": "application/x-www-form-urlencoded"}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", "/auth/jwt/login", body, fields)
            answer = connection.getresponse()
            answer.read()
            cookie = answer.headers["Set-Cookie"]
            assert cookie is not None
            return str(cookie.partition(";")[0])
        except ConnectionError:
            time.sleep(0.1)
        finally:
            connection.close()
    pytest.fail("the server does not start")


@pytest.fixture(scope="module")
def published(caterva2: Caterva2) -> str:
    """The URL of a frame that only users may read."""
    (caterva2.shared / "a.b2nd").write_bytes(DATA)
    return f"http://127.0.0.1:{caterva2.port}/api/fetch/@shared/a.b2nd"


def test_a_frame_is_read_in_ranges(caterva2: Caterva2, published: str) -> None:
    source = HttpNDSource(published, headers={"Cookie": caterva2.cookie})
    assert (source[KEY] == ITEMS[KEY]).all()
    assert source.traffic.rounds <= 3
    assert source.traffic.bytes < len(DATA) // 4
    assert source.stamp is not None
    source.close()


def test_a_proxy_reads_it_block_by_block(caterva2: Caterva2, published: str) -> None:
    source = HttpNDSource(published, headers={"Cookie": caterva2.cookie})
    assert (blosc2.Proxy(source)[KEY] == ITEMS[KEY]).all()
    assert source.traffic.bytes < len(DATA) // 4
    source.close()


def test_without_the_cookie_nothing_is_read(published: str) -> None:
    with pytest.raises(RangeError):
        HttpNDSource(published)
