"""Paths and URLs: told apart, named, and shown without their secrets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.errors import UsageError
from zarrdb.location import default_name, default_output, is_url, parse, redact

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "text",
    [
        "x.zarr",
        "/a/b",
        "./a:b",
        "C:/x",
        "C:\\x",
        "c:x",
        "a b://c",
        "-",
        "",
        "://x",
        "1a://x",
        "é://x",
        "x:y",
    ],
)
def test_paths(text: str) -> None:
    place = parse(text)
    assert not place.is_url
    assert place.path == place.text == text


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("https://host/a/plate.ome.zarr", "/a/plate.ome.zarr", "plate.ome.zarr"),
        ("https://host/a%20b.zarr?sig=1/2#x", "/a b.zarr", "a b.zarr"),
        ("s3://bucket/a%20b.zarr", "bucket/a%20b.zarr", "a%20b.zarr"),
        ("S3://bucket", "bucket", "bucket"),
        ("https://host", "", ""),
        ("zip::https://host/x.zip?sig=1", "/x.zip", "x.zip"),
        ("simplecache::s3://bucket/d/x.zarrdb", "bucket/d/x.zarrdb", "x.zarrdb"),
        ("zip://inner.zarr::https://host/x.zip", "inner.zarr", "inner.zarr"),
        ("zip://*.zarr::https://host/x.zip", "/x.zip", "x.zip"),
        ("github://owner:repo@main/x.zarr", "main/x.zarr", "x.zarr"),
        ("https://[::1]:8000/x.zarr", "/x.zarr", "x.zarr"),
    ],
)
def test_urls_are_named_by_their_path_alone(text: str, path: str, name: str) -> None:
    place = parse(text)
    assert place.is_url
    assert (place.text, place.path, place.name) == (text, path, name)


@pytest.mark.parametrize(
    "text", ["https://[::1/x.zarr", f"https://u:{SECRET}@[x/y", f"https://u:{SECRET}@h\u2100/x"]
)
def test_a_url_that_is_none_is_an_error_without_the_secret(text: str) -> None:
    with pytest.raises(UsageError, match="is no URL") as caught:
        parse(text)
    assert SECRET not in str(caught.value)


def test_a_file_url_is_a_path() -> None:
    for text in ("file:///tmp/a%20b.zarr", "file://localhost/tmp/a%20b.zarr"):
        place = parse(text)
        assert (place.is_url, place.text, place.path) == (False, "/tmp/a b.zarr", "/tmp/a b.zarr")
    with pytest.raises(UsageError, match="another machine"):
        parse("file://host/tmp/x")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"https://user:{SECRET}@host/x.zarr", "https://…@host/x.zarr"),
        (f"https://host/x.zarr?sig={SECRET}", "https://host/x.zarr?…"),
        (f"https://host/x.zarr#{SECRET}", "https://host/x.zarr#…"),
        (f"https://host/x.zarr?a={SECRET}#b?{SECRET}", "https://host/x.zarr?…"),
        (f"https://{SECRET}@host?{SECRET}", "https://…@host?…"),
        (f"https://user:a?{SECRET}@host/x", "https://…@host/x"),
        (f"https://user:a@{SECRET}@host/x", "https://…@host/x"),
        (f"zip::https://{SECRET}@host/x.zip?{SECRET}", "zip::https://…@host/x.zip?…"),
        (
            f"zip://a?{SECRET}::https://host/x.zip?{SECRET} {SECRET}",
            "zip://a?…::https://host/x.zip?…",
        ),
        ("https://host/x.zarr?", "https://host/x.zarr?"),
        ("https://host/@user/x.zarr", "https://host/@user/x.zarr"),
        ("https://host/a\x1b[31mb", "https://host/a\\x1b[31mb"),
    ],
)
def test_what_is_shown_of_a_url(text: str, shown: str) -> None:
    assert parse(text).display == shown
    assert SECRET not in redact(f"GET {text.replace(' ', '%20')} failed")


def test_messages_lose_the_secrets_of_all_urls_in_them() -> None:
    message = f"cannot open 'https://u:{SECRET}@h/x?y={SECRET}', (s3://b/k#{SECRET}) at a:b"
    assert redact(message) == "cannot open 'https://…@h/x?…', (s3://b/k#… at a:b"
    assert redact("50 % of a://b? or so") == "50 % of a://b? or so"
    assert redact("no URL: a\tb") == "no URL: a\\x09b"


@given(st.text(min_size=1).filter(lambda t: "://" not in t and "::" not in t))
def test_no_part_of_a_query_is_ever_shown(secret: str) -> None:
    shown = parse("https://host/x.zarr?" + secret + SECRET).display
    assert shown == "https://host/x.zarr?…"


@given(st.text(max_size=30))
def test_any_text_can_be_parsed_and_shown(text: str) -> None:
    try:
        place = parse(text)
    except UsageError:
        return
    assert place.is_url == is_url(text) or text.lower().startswith("file:")
    assert place.display.isprintable()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("plate.ome.zarr", "plate.ome.zarrdb"),
        ("climate.zarr/", "climate.zarrdb"),
        ("d/climate.zarr//", "d/climate.zarrdb"),
        ("foo.zarr.zip", "foo.zarr.zarrdb"),
        ("x.ozx", "x.zarrdb"),
        ("old.db", "old.zarrdb"),
        ("old.sqlite", "old.zarrdb"),
        ("a.b2nd", "a.zarrdb"),
        ("X.ZARR", "X.zarrdb"),
        ("data", "data.zarrdb"),
        ("data.n5", "data.n5.zarrdb"),
        ("v1.2", "v1.2.zarrdb"),
        (".zarr", ".zarr.zarrdb"),
        ("/abs/x.zarr", "/abs/x.zarrdb"),
        ("https://host/d/x.zarr?sig=a.zip", "x.zarrdb"),
        ("s3://bucket/d/x.zip", "x.zarrdb"),
        ("https://host/d/a%2Fb.zarr", "b.zarrdb"),
        ("https://host/..%2F..%2Fetc%2Fx.zarr", "x.zarrdb"),
    ],
)
def test_default_names(source: str, name: str) -> None:
    assert default_output(parse(source)) == name
    assert default_name(parse(source)) == Path(name).name


@pytest.mark.parametrize(
    "source", ["-", "/", "//", "https://host", "https://host/", "https://host/.."]
)
def test_what_has_no_name_needs_one(source: str) -> None:
    with pytest.raises(UsageError, match="no name") as caught:
        default_output(parse(source))
    assert caught.value.hint == "add -o FILE"


def test_the_current_directory_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "x.zarr"
    (store / "sub").mkdir(parents=True)
    monkeypatch.chdir(store)
    assert default_output(parse(".")) == str(tmp_path / "x.zarrdb")
    monkeypatch.chdir(store / "sub")
    assert default_output(parse("..")) == str(tmp_path / "x.zarrdb")
    assert default_output(parse("../")) == str(tmp_path / "x.zarrdb")


def test_suffixes_are_those_of_the_path() -> None:
    assert parse("https://host/x.ZIP?y=.zarrdb").suffix == ".zip"
    assert parse("x.zarr/").suffix == ".zarr"
    assert parse(".zarrdb").suffix == ""
    assert parse("-").is_stdin
    assert not parse("./-").is_stdin
