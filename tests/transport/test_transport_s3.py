"""Ranges of objects of an S3 server."""

from collections.abc import Iterator

import pytest

from helpers_s3 import Bucket, bucket
from helpers_transport import Naps
from zarrdb.errors import RangeError, RemoteMissingError
from zarrdb.transport.download import download
from zarrdb.transport.opening import open_reader

DATA = bytes(i * 131 % 253 for i in range(3 << 20))


@pytest.fixture(scope="module")
def s3() -> Iterator[Bucket]:
    with bucket() as found:
        found.filesystem.pipe_file(f"{found.name}/a/file", DATA)
        found.filesystem.pipe_file(f"{found.name}/empty", b"")
        yield found


def test_ranges_come_without_asking_for_the_object_first(s3: Bucket) -> None:
    reader = open_reader(f"s3://{s3.name}/a/file", storage_options=s3.options)
    assert reader.head_tail(1000, 500) == (DATA[:1000], DATA[-500:])
    wanted = [(1 << 20, 300), (5, 100), (2 << 20, 50)]
    assert reader.read_ranges(wanted) == [DATA[o : o + n] for o, n in wanted]
    assert (reader.traffic.requests, reader.traffic.rounds) == (5, 2)
    assert reader.size == len(DATA)
    assert reader.stamp
    assert reader.traffic.requests == 6
    reader.close()


def test_what_is_not_there(s3: Bucket) -> None:
    reader = open_reader(f"s3://{s3.name}/none", storage_options=s3.options)
    with pytest.raises(RemoteMissingError, match="/none: "):
        reader.read_ranges([(0, 10)])
    reader.close()
    reader = open_reader(f"s3://{s3.name}/a/file", storage_options=s3.options, sleep=Naps())
    with pytest.raises(RangeError):
        reader.read_ranges([(len(DATA) + 5, 10)])
    reader.close()


def test_an_empty_object(s3: Bucket) -> None:
    reader = open_reader(f"s3://{s3.name}/empty", storage_options=s3.options)
    assert reader.head_tail(100, 100) == (b"", b"")
    reader.close()


def test_an_object_is_downloaded(s3: Bucket) -> None:
    reader = download(f"s3://{s3.name}/a/file", storage_options=s3.options)
    assert reader.read_ranges([(0, len(DATA))]) == [DATA]
    reader.close()
