"""The same fields and documents, read here and by zarr-metadata."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_metadata import KINDS, described, exact, problems
from helpers_zarr_metadata import (
    OUTCOMES,
    conflicts_of,
    name_of,
    numbers,
    peer,
    plain,
    problems_of,
    walk,
)
from helpers_zarr_metadata import definition as peer_definition
from zarrdb.metadata import resolve
from zarrdb.metadata.fill_value import canonical_fill_value, fill_value_problems
from zarrdb.metadata.repair import repaired
from zarrdb.metadata.v2 import CODECS_V2, CORE_V2, ZarrV2DataTypeDefinition, ZarrV2Reader
from zarrdb.metadata.v2.repair import repairs

peer_v2 = pytest.importorskip("zarr_metadata.v2.definition")

PEER_KINDS = {
    "data_type": peer_v2.ZarrV2DataTypeDefinition,
    "codec": peer_v2.ZarrV2CodecDefinition,
}

digits = st.sampled_from(["", "0", "1", "2", "3", "4", "04", "8", "16", "10", "2147483648"])
units = st.sampled_from(
    [
        "",
        "[ns]",
        "[10ns]",
        "[0s]",
        "[\u03bcs]",
        "[\u00b5s]",
        "[generic]",
        "[001D]",
        "[M]",
        "[]",
        "[x",
    ]
)
typestrs = st.one_of(
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["<", ">", "|", "=", ""]),
        st.sampled_from("biufcSUVOMmtTgx?"),
        digits,
        units,
    ),
    st.sampled_from(["struct", "float", "float32", "object", "", "<f4 ", "r16"]),
)
good_typestrs = st.sampled_from(
    [
        "|b1",
        "|i1",
        "<i1",
        "<i2",
        ">i4",
        "<i8",
        "|u1",
        ">u2",
        "<u8",
        "<f2",
        "<f4",
        ">f8",
        "<f08",
        "<c8",
        ">c16",
        "|S3",
        "|S0",
        "<U2",
        "|V4",
        "<M8[ns]",
        ">M8[10D]",
        "<m8[μs]",
        "|O",
    ]
)
texts = st.one_of(
    typestrs,
    st.sampled_from(
        ["NaN", "nan", "Infinity", "-Infinity", "NaT", "0", "AAAA", "AA==", "AAA=", "A"]
    ),
    st.sampled_from(
        ["QUJD", "QUJDRA==", "lz4", "start", "end", "C", "F", ".", "/", "x y", "a\ud800"]
    ),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "id", "x"]), inner, max_size=3),
    ),
    max_leaves=6,
)


def structs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Arrays of records, some of them of a wrong form."""
    names = st.sampled_from(["a", "b", "c", ""])
    record = st.one_of(
        st.tuples(names, inner),
        st.tuples(names, inner, st.lists(st.integers(0, 3), max_size=2)),
    ).map(list)
    odd = st.one_of(
        st.tuples(st.one_of(names, scalars), inner, st.lists(numbers, max_size=2)).map(list),
        st.tuples(st.one_of(names, scalars), inner, scalars).map(list),
        values,
    )
    return st.lists(st.one_of(record, record, record, odd), max_size=3)


good_dtypes = st.one_of(
    good_typestrs, st.lists(st.tuples(texts, good_typestrs).map(list), max_size=2)
)
dtypes = st.one_of(
    typestrs,
    good_dtypes,
    values,
    st.recursive(st.one_of(good_typestrs, good_typestrs, typestrs), structs, max_leaves=5),
)
MEMBERS = sorted(
    {name for each in CODECS_V2 for name in each.configuration.__annotations__} | {"extra", "ID"}
)
codecs = st.one_of(
    st.builds(
        lambda name, members: {"id": name, **members},
        st.sampled_from([each.name for each in CODECS_V2] + ["unknown", ""]),
        st.dictionaries(st.sampled_from(MEMBERS), st.one_of(typestrs, values), max_size=4),
    ),
    values,
)


GOOD_PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "level": st.integers(-1, 9),
    "clevel": st.integers(0, 9),
    "format": st.integers(0, 3),
    "check": st.integers(-1, 10),
    "preset": st.one_of(st.none(), st.integers(0, 9)),
    "filters": st.one_of(st.none(), st.lists(values, max_size=2)),
    "cname": st.sampled_from(["lz4", "zstd", "snappy"]),
    "shuffle": st.one_of(st.booleans(), st.integers(-1, 2)),
    "blocksize": st.integers(-(2**31), 2**31 - 1),
    "typesize": st.one_of(st.none(), st.integers(1, 8)),
    "checksum": st.booleans(),
    "acceleration": st.integers(-5, 5),
    "elementsize": st.integers(-5, 5),
    "digits": st.integers(-308, 307),
    "keepbits": st.integers(0, 60),
    "location": st.sampled_from([None, "start", "end"]),
    "offset": st.floats(-1e3, 1e3),
    "scale": st.integers(-5, 5),
}


def right_codec(name: str, members: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """A codec whose parameters are mostly right and mostly there."""
    good = {
        member: GOOD_PARAMETERS.get(member, st.one_of(good_typestrs, typestrs))
        for member in members
    }
    return st.builds(
        lambda given, odd: {"id": name, **given, **odd},
        st.fixed_dictionaries({}, optional=good) | st.fixed_dictionaries(good),
        st.just({}) | st.dictionaries(st.sampled_from([*members, "x"]), values, max_size=1),
    )


right_codecs = st.sampled_from(CODECS_V2).flatmap(
    lambda each: right_codec(each.name, list(each.configuration.__annotations__))
)


def peer_described(field: Any, found: Any, loc: tuple[Any, ...] = ()) -> dict[str, Any]:
    said: dict[str, Any] = {
        "expect": OUTCOMES[type(field)],
        "family_or_id": name_of(field),
        "configuration": plain(getattr(field, "configuration", None)),
        "problems": problems_of(found),
    }
    if not found and said["expect"] != "refused":
        said["canonical"] = plain(peer_definition.canonical_of(field, found))
    nested = list(walk(field, ()))
    if nested:
        said["nested"] = [
            {"loc": list(at), "expect": OUTCOMES[type(each)], "family_or_id": name_of(each)}
            for at, each in nested
        ]
    return said


def compare_field(kind: str, value: Any) -> None:
    field, found = peer_definition.resolve(value, PEER_KINDS[kind], peer_v2.CORE_V2)
    ours = described(*resolve(value, KINDS[kind], CORE_V2))
    assert exact(ours) == exact(peer_described(field, found))


@given(dtypes)
def test_data_types(value: Any) -> None:
    compare_field("data_type", value)


@given(st.one_of(codecs, right_codecs))
def test_codecs(value: Any) -> None:
    compare_field("codec", value)


fill_values = st.one_of(
    values,
    scalars,
    st.lists(st.one_of(numbers, texts), min_size=2, max_size=2),
    st.binary(max_size=16).map(lambda data: base64.b64encode(data).decode()),
)


@given(st.one_of(good_dtypes, dtypes), fill_values)
def test_fill_values(dtype: Any, value: Any) -> None:
    theirs, _ = peer_definition.resolve(dtype, PEER_KINDS["data_type"], peer_v2.CORE_V2)
    ours, _ = resolve(dtype, ZarrV2DataTypeDefinition, CORE_V2)
    expected = peer_definition.fill_value_problems(theirs, value)
    found = fill_value_problems(value, ours)
    assert problems(found) == problems_of(expected)
    if not found:
        canonical = plain(peer_definition.canonical_fill_value(theirs, value))
        assert exact(canonical_fill_value(value, ours)) == exact(canonical)


ARRAY = {
    "zarr_format": 2,
    "shape": [4, 4],
    "chunks": [2, 2],
    "dtype": "<f4",
    "compressor": {"id": "zlib"},
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
lengths = st.lists(st.one_of(st.integers(-1, 5), scalars), min_size=1, max_size=2)
MEMBER_VALUES = {
    "zarr_format": scalars,
    "shape": st.one_of(lengths, values),
    "chunks": st.one_of(lengths, values),
    "dtype": st.one_of(good_dtypes, dtypes),
    "compressor": st.one_of(right_codecs, codecs, values),
    "fill_value": fill_values,
    "order": st.one_of(st.sampled_from("CF"), scalars),
    "filters": st.one_of(st.lists(st.one_of(right_codecs, values), max_size=2), values),
    "dimension_separator": st.one_of(st.sampled_from("./"), scalars),
    "attributes": st.one_of(st.dictionaries(st.sampled_from("ab"), values), values),
    "extra": values,
}
changes = st.sets(st.sampled_from(sorted(MEMBER_VALUES)), max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: MEMBER_VALUES[name] for name in sorted(names)})
)
arrays = st.builds(
    lambda change, gone: {k: v for k, v in {**ARRAY, **change}.items() if k not in gone},
    changes,
    st.one_of(st.just(set()), st.sets(st.sampled_from(sorted(ARRAY)), max_size=1)),
)
stored_arrays = arrays.map(lambda each: {k: v for k, v in each.items() if k != "attributes"})
groups = st.builds(
    lambda change: {"zarr_format": 2, **change},
    st.fixed_dictionaries(
        {}, optional={"zarr_format": scalars, "attributes": values, "extra": values}
    ),
)
files = st.fixed_dictionaries(
    {},
    optional={
        ".zarray": st.one_of(arrays, values),
        ".zgroup": st.one_of(groups, values),
        ".zattrs": st.one_of(values, st.dictionaries(texts, values, max_size=2)),
    },
)
keys = st.builds(
    "{}{}".format,
    st.sampled_from(["", "a/", "a/b/", "a//", "/a/", "g/h/i/", "../", "a/./", "b/"]),
    st.sampled_from([".zarray", ".zgroup", ".zattrs", "0.0", "zarr.json"]),
)
listed = st.one_of(st.just({"zarr_format": 2}), stored_arrays, arrays, groups, values)
consolidated = st.builds(
    lambda metadata, change: {"zarr_consolidated_format": 1, "metadata": metadata, **change},
    st.dictionaries(keys, listed, max_size=5),
    st.just({})
    | st.fixed_dictionaries(
        {}, optional={"zarr_consolidated_format": scalars, "extra": values, "metadata": values}
    ),
)


@given(st.one_of(arrays, values))
def test_arrays(value: Any) -> None:
    reading = peer.model.read_array_metadata_v2(value)
    ours = ZarrV2Reader().array(value)
    assert problems(ours.problems) == problems_of(reading.problems)
    fields = [(loc, name_of(field)) for loc, field in reading.fields()]
    assert [(loc, name_of(field)) for loc, field in ours.walk()] == fields


@given(arrays, changes)
def test_equal_arrays(value: Any, change: Any) -> None:
    other = {**value, **change}
    first, second = (peer.model.read_array_metadata_v2(each) for each in (value, other))
    if first.problems or second.problems:
        return
    ours = [ZarrV2Reader().array(each) for each in (value, other)]
    assert (ours[0] == ours[1]) == (first.metadata == second.metadata)


@given(groups)
def test_groups(value: Any) -> None:
    theirs = peer.model.read_group_metadata_v2(value).problems
    assert problems(ZarrV2Reader().group(value).problems) == problems_of(theirs)


@given(files)
def test_nodes(documents: dict[str, Any]) -> None:
    as_bytes = {name: json.dumps(value).encode() for name, value in documents.items()}
    expected: Any = ()
    try:
        peer.model.node_metadata_from_key_value_v2(as_bytes)
    except peer.MetadataValidationError as error:
        expected = error.problems
    found = ZarrV2Reader().node_from_bytes(as_bytes).problems
    assert problems(found) == problems_of(expected)


@given(st.one_of(consolidated, values))
def test_consolidated(value: Any) -> None:
    theirs = peer.model.read_consolidated_metadata_v2(value).problems
    assert problems(ZarrV2Reader().consolidated(value).problems) == problems_of(theirs)


repaired_dtypes = st.sampled_from(["<f4", ">f8", "<c8", "<f04", "|f4", "<i4", "<f3"])
unnamed = st.sampled_from([float("nan"), float("-inf"), 0, "NaN"])
bare = st.builds(
    lambda change, gone: {k: v for k, v in {**ARRAY, **change}.items() if k not in gone},
    st.fixed_dictionaries(
        {"dtype": repaired_dtypes, "fill_value": unnamed | st.lists(unnamed, max_size=3)},
        optional={"zarr_format": scalars},
    ),
    st.sets(st.sampled_from(["zarr_format", "dtype"]), max_size=1),
)
old_copies = st.builds(
    lambda group, copied: {**group, "consolidated_metadata": copied},
    groups,
    st.just({"kind": "inline", "must_understand": False, "metadata": {}}) | values,
)
written_so = consolidated | st.dictionaries(keys, bare | old_copies, max_size=4).map(
    lambda metadata: {"zarr_consolidated_format": 1, "metadata": metadata}
)


@given(bare, written_so)
def test_repairs(array: Any, copy: Any) -> None:
    files, of_array = peer.model.repair_node_metadata_v2({".zarray": array})
    mended, of_copy = peer.model.repair_consolidated_metadata_v2(copy)
    ours = repairs(".zarray", array), repairs(".zmetadata", copy)
    assert [((".zarray", *each.loc), each.kind) for each in ours[0]] == made_of(of_array)
    assert [(each.loc, each.kind) for each in ours[1]] == made_of(of_copy)
    assert exact(repaired(array, ours[0])) == exact(plain(files[".zarray"]))
    assert exact(repaired(copy, ours[1])) == exact(plain(mended))


def made_of(made: Any) -> list[Any]:
    """The repairs of the peer."""
    return [(tuple(each.loc), each.kind) for each in made]


dropped = st.sets(st.sampled_from([*CORE_V2.data_types, "zlib", "gzip", "delta", "blosc"]))
readable = st.builds(
    lambda dtype, codec: {**ARRAY, "dtype": dtype, "compressor": codec, "fill_value": None},
    good_dtypes,
    st.one_of(
        st.none(), st.sampled_from([{"id": "zlib"}, {"id": "gzip", "level": 3}, {"id": "x"}])
    ),
)


def left(core: Any, names: set[str]) -> Any:
    """A core scope without some of its definitions."""
    slots = {"data_types": core.data_types, "codecs": core.codecs}
    return core.update(
        **{
            slot: [each for name, each in held.items() if name not in names]
            for slot, held in slots.items()
        }
    )


@given(readable, changes, dropped, dropped)
def test_refinement(value: Any, change: Any, first: set[str], second: set[str]) -> None:
    """What is read in one scope against another spelling, or another document, in another."""
    read = []
    for document, names in ((value, first), ({**value, **change}, second)):
        theirs = peer.model.read_array_metadata_v2(document, context=left(peer_v2.CORE_V2, names))
        ours = ZarrV2Reader(left(CORE_V2, names)).array(document)
        if theirs.problems or ours.problems:
            return
        read.append((ours, theirs.metadata))
    for one, other in (read, read[::-1]):
        assert one[0].refines(other[0]) == one[1].refines(other[1])


@given(readable, dropped, dropped)
def test_moves_between_scopes(value: Any, first: set[str], second: set[str]) -> None:
    theirs = peer.model.read_array_metadata_v2(value, context=left(peer_v2.CORE_V2, first))
    ours = ZarrV2Reader(left(CORE_V2, first)).array(value)
    assert problems(ours.problems) == problems_of(theirs.problems)
    if ours.problems:
        return
    outcomes = []
    for document, core in ((theirs.metadata, peer_v2.CORE_V2), (ours, CORE_V2)):
        try:
            moved = document.refined_in(left(core, second))
        except Exception as error:
            outcomes.append(conflicts_of(error) or "has problems")
        else:
            assert moved.refines(document)
            outcomes.append([moved.refines(document), document.refines(moved)])
    assert outcomes[0] == outcomes[1]
