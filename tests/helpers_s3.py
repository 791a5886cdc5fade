"""An S3 server on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest


class Bucket(NamedTuple):
    """A bucket of a running server, and the storage options that reach it."""

    filesystem: Any
    options: dict[str, Any]


@contextmanager
def bucket() -> Iterator[Bucket]:
    """An empty bucket named `bucket`; the test is skipped without moto and s3fs."""
    server_module = pytest.importorskip("moto.server", exc_type=ImportError)
    s3fs = pytest.importorskip("s3fs", exc_type=ImportError)
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {
        "key": "a",
        "secret": "b",
        "client_kwargs": {"endpoint_url": f"http://{host}:{port}"},
    }
    s3fs.S3FileSystem.clear_instance_cache()
    filesystem = s3fs.S3FileSystem(**options)
    filesystem.mkdir("bucket")
    try:
        yield Bucket(filesystem, options)
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
