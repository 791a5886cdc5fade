"""Local files as range readers, and the options that go with a URL."""

from pathlib import Path

import pytest

from zarrdb.errors import ClosedError, MissingError, ShortAnswerError, SourceError, UsageError
from zarrdb.transport.opening import open_reader
from zarrdb.transport.options import parse_storage_options
from zarrdb.transport.reader import RangeReader

DATA = bytes(range(256)) * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "file.b2nd"
    found.write_bytes(DATA)
    return found


def test_ranges_of_a_local_file(path: Path) -> None:
    reader = open_reader(path)
    assert isinstance(reader, RangeReader)
    assert reader.read_ranges([(100, 5), (0, 3), (7, 0)]) == [DATA[100:105], DATA[:3], b""]
    assert reader.head_tail(4, 6) == (DATA[:4], DATA[-6:])
    assert reader.head_tail(10**6, 10**6) == (DATA, DATA)
    assert (reader.size, reader.known_size) == (len(DATA), len(DATA))
    assert reader.name == str(path)
    with pytest.raises(ShortAnswerError, match=f"ends at {len(DATA)}") as caught:
        reader.read_ranges([(len(DATA) - 1, 2)])
    assert not caught.value.transient
    reader.close()
    reader.close()
    with pytest.raises(ClosedError):
        reader.read_ranges([(0, 1)])
    with pytest.raises(ClosedError):
        _ = reader.size


def test_a_local_file_that_grows(path: Path) -> None:
    reader = open_reader("file://" + str(path))
    before = reader.stamp
    with open(path, "ab") as file:
        file.write(b"more")
    reader.refresh()
    assert reader.stamp != before
    assert reader.read_ranges([(len(DATA), 4)]) == [b"more"]
    reader.close()


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        open_reader(tmp_path / "none")
    with pytest.raises(SourceError):
        open_reader(tmp_path)


def test_storage_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush\n")
    monkeypatch.setenv("THE_TOKEN", "quiet")
    texts = [
        "anon=true",
        "key=123",
        "empty=",
        f"secret=@{secret}",
        "token=env:THE_TOKEN",
        'headers={"Cookie": "a=b"}',
        "client_kwargs.endpoint_url=http://127.0.0.1:5000",
        "client_kwargs.verify=false",
        "equals=a=b",
    ]
    assert parse_storage_options(texts) == {
        "anon": True,
        "key": "123",
        "empty": "",
        "secret": "hush",
        "token": "quiet",
        "headers": {"Cookie": "a=b"},
        "client_kwargs": {"endpoint_url": "http://127.0.0.1:5000", "verify": False},
        "equals": "a=b",
    }


@pytest.mark.parametrize(
    "text",
    ["anon", "=x", "a=@/no/such/file", "a=env:NO_SUCH_VARIABLE", "a={HUSH", "a=[HUSH", "a.b=1"],
)
def test_bad_storage_options_are_usage_errors_without_their_value(text: str) -> None:
    with pytest.raises(UsageError, match="--storage-option") as caught:
        parse_storage_options(["a=HUSH", text] if text == "a.b=1" else [text])
    assert "HUSH" not in str(caught.value) + str(caught.value.hint)
