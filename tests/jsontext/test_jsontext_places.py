"""Positions: the span of every value, the nearest object of an absent one, oddities, splices."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers_json import NAMES, VALUES, written
from zarrdb import jsontext
from zarrdb.errors import NotFoundError, UsageError
from zarrdb.jsontext import CONSTANT, DUPLICATE, OVERFLOW, SURROGATE

Case = tuple[str, dict[str, tuple[int, int, int]]]


@settings(max_examples=300)
@given(written())
def test_every_value_has_its_span(case: Case) -> None:
    text, places = case
    found = jsontext.locate(text.encode(), places)
    for pointer, (start, end, member) in places.items():
        place = found[pointer]
        assert place.pointer == pointer
        assert (place.start, place.end, place.member) == (start, end, member)
        before = text[:start]
        assert place.line == before.count("\n") + 1
        assert place.column == len(before) - before.rfind("\n")


@given(written(), st.data())
def test_one_pointer_finds_what_many_find(case: Case, data: st.DataObject) -> None:
    text, places = case
    pointer = data.draw(st.sampled_from(sorted(places)))
    many = jsontext.locate(text.encode(), places)
    assert jsontext.locate(text.encode(), [pointer]) == {pointer: many[pointer]}


@given(written(), st.data())
def test_an_absent_member_is_reported_at_what_should_hold_it(
    case: Case, data: st.DataObject
) -> None:
    text, places = case
    parent = data.draw(st.sampled_from(sorted(places)))
    absent = f"{parent}/{data.draw(NAMES).replace('~', '').replace('/', '')}"
    assume(absent not in places)
    place = jsontext.locate(text.encode(), [absent + "/x/0"])[absent + "/x/0"]
    assert place == jsontext.locate(text.encode(), [parent])[parent]


def test_the_last_of_a_duplicate_member_counts() -> None:
    text = '{"a": {"b": 1},\n "a": {"c": 2}}'
    found = jsontext.locate(text.encode(), ["/a", "/a/b", "/a/c"])
    assert (found["/a"].line, found["/a"].column) == (2, 7)
    assert found["/a/b"] == found["/a"]
    assert text[found["/a/c"].start : found["/a/c"].end] == "2"


def test_columns_count_code_points_and_a_mark_is_none() -> None:
    data = b"\xef\xbb\xbf" + '{"é\U0001f600": 1}'.encode()
    assert jsontext.locate(data, ["/é\U0001f600"])["/é\U0001f600"].column == 8


def test_only_a_newline_ends_a_line() -> None:
    data = '{"a": "\u2028\x85",\r "b":\r\n 1}'.encode()
    assert jsontext.locate(data, ["/b"])["/b"][3:5] == (2, 2)


@pytest.mark.parametrize("step", ["00", "-1", "-", "1.0", "٠", "99999999999999999999"])
def test_an_index_is_written_in_one_way(step: str) -> None:
    assert jsontext.locate(b"[1, 2]", [f"/{step}"])[f"/{step}"].pointer == ""


def test_a_broken_document_has_places_up_to_the_break() -> None:
    data = b'{"a": [1, 2],\n "b": oops, "c": 3}'
    found = jsontext.locate(data, ["/a/1", "/b", "/c"])
    assert found["/a/1"].column == 11
    assert found["/b"].line == 2
    assert found["/c"].pointer == ""
    for cut in (b'{"a": 1', b'{"a": 1 2', b'{"a": 1]', b'{"a": 1, '):
        assert jsontext.locate(cut, ["/a", "/b"])["/a"].start == 6
        assert jsontext.locate(cut, ["/a", "/b"])["/b"].pointer == ""
    assert jsontext.locate(b"\xff", ["/a"]) == {}
    assert jsontext.locate(b"", [""]).keys() <= {""}


def test_a_pointer_deeper_than_any_document_does_no_harm() -> None:
    deep = "/0" * 5000
    place = jsontext.locate(b"[" * 5000 + b"]" * 5000, [deep])[deep]
    assert len(place.pointer) < len(deep)


def test_oddities_have_their_places() -> None:
    text = (
        '{"a": NaN, "a/b~c": {"x": [0, 1e999,\n -Infinity]},\n "a": {"y": 2},'
        ' "\\udc00": "ok", "s": ["\\ud800"]}'
    )
    found = list(jsontext.oddities(text.encode()))
    assert [(o.kind, o.place.pointer, o.text) for o in found] == [
        (CONSTANT, "/a", "NaN"),
        (OVERFLOW, "/a~1b~0c/x/1", "1e999"),
        (CONSTANT, "/a~1b~0c/x/2", "-Infinity"),
        (DUPLICATE, "/a", '{"y": 2}'),
        (SURROGATE, "/\udc00", '"\\udc00"'),
        (SURROGATE, "/s/0", '"\\ud800"'),
    ]
    duplicate = found[3]
    assert (duplicate.place.line, duplicate.place.column) == (3, 7)
    assert duplicate.other is not None
    assert (duplicate.other.line, duplicate.other.column) == (1, 7)
    assert duplicate.other_text == "NaN"


@given(written())
def test_a_plain_document_has_no_oddities(case: Case) -> None:
    assert list(jsontext.oddities(case[0].encode())) == []


def test_a_document_that_cannot_be_read_has_no_oddities() -> None:
    for data in (b'{"a": NaN', b"\xff", b"", b"]", b'"' * 3, b"[" * 3000 + b"NaN" + b"]" * 3000):
        assert list(jsontext.oddities(data)) == []


def test_many_oddities_take_time_in_proportion() -> None:
    data = b"{" + b", ".join(b'"a": NaN' for _ in range(20_000)) + b"}"
    assert sum(1 for _ in jsontext.oddities(data)) == 39_999


@settings(max_examples=200)
@given(written(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4)), st.data())
def test_a_splice_changes_one_value_and_no_other_byte(case: Case, data: st.DataObject) -> None:
    text, places = case
    pointer = data.draw(st.sampled_from(sorted(places)))
    new = json.dumps(data.draw(VALUES))
    start, end, _ = places[pointer]
    assert jsontext.splice(text.encode(), {pointer: new.encode()}).decode() == (
        text[:start] + new + text[end:]
    )


@settings(max_examples=200)
@given(written(st.dictionaries(NAMES, VALUES, min_size=1, max_size=5)), st.data())
def test_members_taken_out_leave_the_others(case: Case, data: st.DataObject) -> None:
    text, _ = case
    value = json.loads(text)
    gone = data.draw(st.lists(st.sampled_from(sorted(value)), unique=True))
    pointers = dict.fromkeys(map(jsontext.pointer, ([name] for name in gone)))
    left = json.loads(jsontext.splice(text.encode(), pointers))
    assert left == {name: inner for name, inner in value.items() if name not in gone}


@given(written(st.lists(VALUES, min_size=1, max_size=6)), st.data())
def test_items_taken_out_leave_the_others(case: Case, data: st.DataObject) -> None:
    text, _ = case
    value = json.loads(text)
    gone = data.draw(st.sets(st.integers(0, len(value) - 1)))
    left = json.loads(jsontext.splice(text.encode(), {f"/{index}": None for index in gone}))
    assert left == [inner for index, inner in enumerate(value) if index not in gone]


def test_a_splice_keeps_mark_and_encoding() -> None:
    assert jsontext.splice(b'\xef\xbb\xbf{"a": 1}', {"/a": b"2"}) == b'\xef\xbb\xbf{"a": 2}'
    data = '{"a": "\u00e9"}'.encode("utf-16-le")
    assert jsontext.splice(data, {"/a": "\u00fc".join('""').encode()}).decode("utf-16-le") == (
        '{"a": "\u00fc"}'
    )


def test_a_splice_that_makes_no_sense_is_refused() -> None:
    data = b'{"a": {"b": 1}}'
    with pytest.raises(NotFoundError, match="/c"):
        jsontext.splice(data, {"/c": b"1"})
    with pytest.raises(NotFoundError):
        jsontext.splice(data, {"/a/b/c": None})
    with pytest.raises(UsageError, match="inside"):
        jsontext.splice(data, {"/a": b"1", "/a/b": b"2"})
    with pytest.raises(UsageError):
        jsontext.splice(data, {"": None})
    with pytest.raises(UsageError):
        jsontext.splice(b"\xff", {"": b"{}"})


@given(st.lists(st.text(max_size=5) | st.integers(0, 99), max_size=5))
def test_pointers_follow_rfc_6901(steps: list[str | int]) -> None:
    parts = jsontext.pointer(steps).split("/")[1:]
    assert [p.replace("~1", "/").replace("~0", "~") for p in parts] == [str(s) for s in steps]
