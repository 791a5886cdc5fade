"""An S3 server on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

import pytest

_numbers = count()


class Bucket(NamedTuple):
    """A bucket of a running server, and the storage options that reach it."""

    name: str
    filesystem: Any
    options: dict[str, Any]


@contextmanager
def bucket() -> Iterator[Bucket]:
    """An empty bucket; the test is skipped without moto and s3fs."""
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
    # All of moto's servers in one process have the same buckets.
    name = f"bucket-{next(_numbers)}"
    filesystem.mkdir(name)
    try:
        yield Bucket(name, filesystem, options)
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()
