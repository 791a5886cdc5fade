"""Conformance vectors: one JSON value a line, a file for each thing that is read."""

import json
import pickle
from typing import Any

import pytest

from helpers_metadata import (
    KINDS,
    SLOTS,
    OtherKind,
    bytes_of,
    described,
    exact,
    expected_problems,
    own_definition,
    problems,
    rows,
    scope,
    slots,
    value_of,
)
from zarrdb.errors import MetadataError, ScopeConflictError
from zarrdb.metadata import Scope, resolve
from zarrdb.metadata.fill_value import canonical_fill_value, fill_value_problems
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.repair import repaired
from zarrdb.metadata.v2 import (
    CORE_V2,
    ZarrV2Context,
    ZarrV2DataTypeDefinition,
    ZarrV2Reader,
    ZarrV2UnknownReading,
)
from zarrdb.metadata.v2.read_array import ZarrV2ArrayReading
from zarrdb.metadata.v2.repair import repairs

READER = ZarrV2Reader()
READERS = dict.fromkeys((".zarray", ".zgroup", ".zattrs", ".zmetadata"), READER)
"""What reads a document, by its name; the rows of other documents are left out."""


FILES = {
    "field_row": "fields.jsonl",
    "fill_row": "fill_values.jsonl",
    "document_row": "documents.jsonl",
    "node_row": "nodes.jsonl",
    "equality_row": "equality.jsonl",
    "scope_row": "scope.jsonl",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a row of the file that an argument stands for."""
    for argument in FILES.keys() & set(metafunc.fixturenames):
        cases = [row for row in rows(FILES[argument], metafunc.config) if _is_decided(row)]
        metafunc.parametrize(argument, cases, ids=[row["id"] for row in cases])


def _is_decided(row: dict[str, Any]) -> bool:
    """Whether a row expects something that is read here and is no matter of Python's limits."""
    if "python_limit" in row.get("tags", ()) or row.get("expect") == "oracle_raises":
        return False
    return row.get("key", ".zarray") in READERS


def test_field(field_row: dict[str, Any]) -> None:
    field, found = resolve(value_of(field_row, "value"), KINDS[field_row["kind"]], CORE_V2)
    said = described(field, found)
    assert said["problems"] == expected_problems(field_row)
    for member in ("expect", "family_or_id", "configuration", "canonical", "nested"):
        if member != "canonical" or "canonical_raises" not in field_row:
            assert exact(said.get(member)) == exact(field_row.get(member)), member


def test_fill_value(fill_row: dict[str, Any]) -> None:
    data_type, found = resolve(fill_row["dtype"], ZarrV2DataTypeDefinition, CORE_V2)
    assert described(data_type, found)["expect"] == fill_row["dtype_expect"]
    value = value_of(fill_row, "fill_value")
    wrong = fill_value_problems(value, data_type)
    assert problems(wrong) == expected_problems(fill_row)
    if "canonical" in fill_row:
        assert exact(canonical_fill_value(value, data_type)) == exact(fill_row["canonical"])


def test_document(document_row: dict[str, Any]) -> None:
    name = document_row["key"]
    reading = READERS[name].document_from_bytes(name, bytes_of(document_row))
    assert problems(reading.problems) == expected_problems(document_row)
    assert (document_row["expect"] == "valid") == (not reading.problems)
    if name != ".zmetadata":
        assert unclaimed(reading) == document_row.get("unclaimed", [])
    if "repairs" in document_row:
        value = json.loads(bytes_of(document_row))
        made = repairs(name, value)
        start = [] if name == ".zmetadata" else [name]
        named = [{"loc": [*start, *each.loc], "kind": each.kind} for each in made]
        assert named == document_row["repairs"]
        left = READERS[name].document(name, repaired(value, made)).problems
        assert problems(left) == expected_problems(document_row, "problems_after_repair")


def test_node(node_row: dict[str, Any]) -> None:
    files = {name: text.encode() for name, text in node_row["files"].items()}
    reading = READER.node_from_bytes(files)
    assert problems(reading.problems) == expected_problems(node_row)
    if node_row["expect"] == "valid":
        is_array = isinstance(reading, ZarrV2ArrayReading)
        assert ("array" if is_array else "group") == node_row["node_type"]
        assert not isinstance(reading, ZarrV2UnknownReading)


def test_equality(equality_row: dict[str, Any]) -> None:
    first, second = (value_of(equality_row, side) for side in "ab")
    kind = equality_row["kind"]
    if kind in KINDS:
        read = [resolve(value, KINDS[kind], CORE_V2) for value in (first, second)]
        assert [not found for _, found in read] == equality_row["clean"]
        one, other = read[0][0], read[1][0]
        assert [described(one, ())["expect"], described(other, ())["expect"]] == (
            equality_row["outcomes"]
        )
        assert (one == other) == equality_row["equal"]
        assert not equality_row["equal"] or hash(one) == hash(other)
    elif kind == "fill_value":
        data_type, _ = resolve(equality_row["dtype"], ZarrV2DataTypeDefinition, CORE_V2)
        said = [exact(canonical_fill_value(value, data_type)) for value in (first, second)]
        assert (said[0] == said[1]) == equality_row["equal"]
    else:
        read_document = READER.array if kind == "array" else READER.group
        assert (read_document(first) == read_document(second)) == equality_row["equal"]


def test_scope(scope_row: dict[str, Any]) -> None:
    OPERATIONS[scope_row["op"]](scope_row)


def unclaimed(reading: Reading) -> list[dict[str, Any]]:
    """The unclaimed fields as a vector lists them."""
    return [
        {"loc": list(each.loc), "kind": SLOTS[each.slot], "name": each.name}
        for each in reading.unclaimed
    ]


def conflicts(error: ScopeConflictError) -> list[dict[str, Any]]:
    """The conflicts as a vector lists them."""
    return [
        {"kind": SLOTS[each.claimed.slot], "name": each.claimed.name}
        | ({} if each.loc is None else {"loc": list(each.loc)})
        | {"found": each.found is not None}
        for each in error.conflicts
    ]


def contents(built: Scope) -> dict[str, Any]:
    """The names in each slot of a scope, in any order."""
    return {slot: set(built.definitions_of(kind)) for slot, kind in built.kinds.items()}


def check_built(row: dict[str, Any], build: Any) -> None:
    expect = row["expect"]
    if expect.get("error") == "TypeError":
        with pytest.raises(TypeError):
            build()
    elif expect.get("error") == "ScopeConflictError":
        with pytest.raises(ScopeConflictError) as caught:
            build()
        assert conflicts(caught.value) == expect["conflicts"]
    else:
        built = build()
        assert contents(built) == {slot: set(names) for slot, names in expect.items()}
        restored = pickle.loads(pickle.dumps(built))
        assert restored == built
        assert hash(restored) == hash(built)


def check_build(row: dict[str, Any]) -> None:
    check_built(row, lambda: ZarrV2Context(**slots(row["slots"], ZarrV2Context())))


def check_update(row: dict[str, Any]) -> None:
    held = scope(row["scope"])
    check_built(row, lambda: held.update(**slots(row["slots"], held)))


def check_union(row: dict[str, Any]) -> None:
    first, *others = map(scope, row["scopes"])
    check_built(row, lambda: first.union(*others))


def check_define(row: dict[str, Any]) -> None:
    if "error" in row["expect"]:
        with pytest.raises(TypeError):
            own_definition(row["name"], row["variant"], row["kind"])
    else:
        built = own_definition(row["name"], row["variant"], row["kind"])
        assert built.name == row["expect"]["built"]


def check_equal(row: dict[str, Any]) -> None:
    one, other = scope(row["a"]), scope(row["b"])
    assert (one == other) == row["expect"]["equal"]
    assert not row["expect"]["equal"] or hash(one) == hash(other)


def check_claimant(row: dict[str, Any]) -> None:
    held, kind = scope(row["scope"]), KINDS.get(row["kind"], OtherKind)
    if "error" in row["expect"]:
        with pytest.raises(TypeError):
            held.claimant(kind, row["name"])
    else:
        found = held.claimant(kind, row["name"])
        assert (found and found.name) == row["expect"]["claimant"]


def check_resolve(row: dict[str, Any]) -> None:
    held, kind = scope(row["scope"]), KINDS.get(row["kind"], OtherKind)
    if "error" in row["expect"]:
        with pytest.raises(TypeError):
            resolve(row["value"], kind, held)
        return
    expect = {**row["expect"], "problems": expected_problems(row["expect"])}
    assert exact(described(*resolve(row["value"], kind, held))) == exact(expect)


def check_read_array(row: dict[str, Any]) -> None:
    reading = ZarrV2Reader(scope(row["scope"])).array(row["document"])
    assert problems(reading.problems) == expected_problems(row["expect"])
    assert unclaimed(reading) == row["expect"]["unclaimed"]


def check_move(row: dict[str, Any]) -> None:
    reading = ZarrV2Reader(scope(row["from"])).array(row["document"])
    assert problems(reading.problems) == expected_problems(row["expect"], "read")
    for move in (reading.refined_in, reading.with_context):
        expect = row["expect"].get(move.__name__)
        if expect is None:
            continue
        if expect.get("error") == "ScopeConflictError":
            with pytest.raises(ScopeConflictError) as caught:
                move(scope(row["to"]))
            assert conflicts(caught.value) == expect["conflicts"]
        elif expect.get("error") == "MetadataValidationError":
            with pytest.raises(MetadataError) as refused:
                move(scope(row["to"]))
            assert problems(refused.value.problems) == expected_problems(expect)
        else:
            assert unclaimed(move(scope(row["to"]))) == expect["unclaimed"]


def check_refines(row: dict[str, Any]) -> None:
    kind = KINDS[row["kind"]]
    one, other = (resolve(row["value"], kind, scope(row[side]))[0] for side in "ab")
    expect = row["expect"]
    assert [described(each, ())["expect"] for each in (one, other)] == expect["outcomes"]
    assert one.refines(other) == expect["a_refines_b"]
    assert other.refines(one) == expect["b_refines_a"]
    assert (one == other) == expect["equal"]


OPERATIONS = {
    "build": check_build,
    "define": check_define,
    "update": check_update,
    "union": check_union,
    "equal": check_equal,
    "claimant": check_claimant,
    "resolve": check_resolve,
    "read_array": check_read_array,
    "move": check_move,
    "refines": check_refines,
}
