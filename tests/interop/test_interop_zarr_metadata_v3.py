"""The same v3 fields and documents, read here and by zarr-metadata."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_metadata import described, exact, problems
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
from zarrdb.metadata.v3 import (
    CORE_V3,
    ZarrV3ChunkGridDefinition,
    ZarrV3ChunkKeyEncodingDefinition,
    ZarrV3CodecDefinition,
    ZarrV3DataTypeDefinition,
    ZarrV3Reader,
    ZarrV3StorageTransformerDefinition,
)
from zarrdb.metadata.v3.repair import repairs

peer_v3 = pytest.importorskip("zarr_metadata.v3.definition")
PEER_SCOPE = peer_v3.CORE_AND_EXTENSIONS
KINDS: dict[str, tuple[Any, Any]] = {
    "data_type": (ZarrV3DataTypeDefinition, peer_v3.DataTypeDefinition),
    "codec": (ZarrV3CodecDefinition, peer_v3.CodecDefinition),
    "chunk_grid": (ZarrV3ChunkGridDefinition, peer_v3.ChunkGridDefinition),
    "encoding": (ZarrV3ChunkKeyEncodingDefinition, peer_v3.ChunkKeyEncodingDefinition),
    "transformer": (
        ZarrV3StorageTransformerDefinition,
        peer_v3.StorageTransformerDefinition,
    ),
}

scalar_names = st.sampled_from(
    [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128", "r8", "r16", "r024"),
        *("string", "bytes"),
    ]
)
odd_names = st.sampled_from(
    [
        *("r0", "r12", "r*", "r", "struct", "numpy.datetime64", "float", "<f4", "|u1", "f4", ""),
        *("Float32", "mystery", "a", "ab", "a/b", "https://example.com/x", "urn:x", "x:", "é"),
        *("int32\n", "r" + "8" * 101),
    ]
)
texts = st.one_of(
    st.sampled_from(
        [
            *("NaN", "nan", "Infinity", "-Infinity", "NaT", "0", "1.5", "QQ==", "QR==", "AAA", ""),
            *("0x7fc00000", "0x7FC00001", "0xffc00000", "0x7e00", "0x7e01", "0x0001", "0xff80"),
            *("0x7ff8000000000000", "0x3ff0000000000001", "0x", "0X7e00", "0x7e0g", "0x80000000"),
            *("a\ud800", "little", "big", "/", ".", "inline", "start", "end"),
        ]
    ),
    odd_names,
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["a", "b", "name", "configuration", "x"]), inner, max_size=3
        ),
    ),
    max_leaves=6,
)


TABLE: dict[str, st.SearchStrategy[Any]] = {}
"""The larger strategies by name: `drawn` keeps them out of each other's descriptions."""


@st.composite
def drawn(draw: st.DrawFn, name: str) -> Any:
    """A value of a strategy of the table."""
    return draw(TABLE[name])


def changed(given: dict[str, Any], change: dict[str, Any], gone: str | None) -> dict[str, Any]:
    """An object with other members, and one of its own left out."""
    return {name: item for name, item in {**given, **change}.items() if name != gone}


def mostly(members: dict[str, st.SearchStrategy[Any]], *optional: str) -> st.SearchStrategy[Any]:
    """Objects that mostly have the right members, and sometimes one that is not."""
    needed = {name: item for name, item in members.items() if name not in optional}
    right = st.fixed_dictionaries(needed, optional={name: members[name] for name in optional})
    odd = st.builds(
        changed,
        right,
        st.dictionaries(st.sampled_from([*members, "x"]), values, max_size=1),
        st.sampled_from([None, None, *members]),
    )
    return st.one_of(right, right, right, odd)


def field(name: str, configuration: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Fields of one name in every spelling, some of them of a wrong form."""
    return st.one_of(
        configuration.map(lambda given: {"name": name, "configuration": given}),
        configuration.map(lambda given: {"name": name, "configuration": given}),
        st.just(name),
        st.builds(
            lambda given, change: {"name": name, "configuration": given, **change},
            configuration,
            st.fixed_dictionaries(
                {},
                optional={
                    "must_understand": st.one_of(st.booleans(), scalars),
                    "configuration": values,
                    "x": scalars,
                },
            ),
        ),
    )


nothing: st.SearchStrategy[Any] = st.just({})
odd_fields = st.one_of(
    odd_names,
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.one_of(odd_names, scalar_names, scalars),
            "configuration": values,
            "must_understand": scalars,
            "id": texts,
        },
    ),
)
times = mostly(
    {
        "unit": st.sampled_from(["ns", "us", "\u03bcs", "\u00b5s", "generic", "D", "x"]),
        "scale_factor": st.sampled_from([1, 10, 0, 2**31 - 1, 2**31]),
    }
)


def structs(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Structs whose fields have such types."""
    names = st.sampled_from(["a", "b", "c", ""])
    record = mostly({"name": names, "data_type": inner})
    return field("struct", mostly({"fields": st.lists(record, max_size=3)}))


TABLE["times"] = times
TABLE["good types"] = st.recursive(
    st.one_of(
        scalar_names,
        scalar_names,
        scalar_names.map(lambda name: {"name": name}),
        field("numpy.datetime64", drawn("times")),
        field("numpy.timedelta64", drawn("times")),
    ),
    structs,
    max_leaves=4,
)
TABLE["odd fields"] = odd_fields
good_types, odd_fields = drawn("good types"), drawn("odd fields")
TABLE["data types"] = st.one_of(
    good_types, good_types, scalar_names.flatmap(lambda name: field(name, nothing)), odd_fields
)
data_types = drawn("data types")

lengths = st.one_of(st.integers(1, 6), st.integers(1, 6), st.integers(-1, 1), scalars)
shapes = st.lists(lengths, max_size=3)
little = st.just({"name": "bytes", "configuration": {"endian": "little"}})
level = st.integers(-1, 10)


def codec_lists(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Pipelines, right ones and any."""
    right = st.tuples(little).map(list)
    return st.one_of(right, right, st.lists(inner, max_size=3))


def shards(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Shards with such codecs."""
    return field(
        "sharding_indexed",
        mostly(
            {
                "chunk_shape": shapes,
                "codecs": codec_lists(inner),
                "index_codecs": codec_lists(inner),
                "index_location": st.sampled_from(["start", "end", "middle"]),
            },
            "index_location",
        ),
    )


pairs = st.lists(st.one_of(st.tuples(scalars, scalars).map(list), values), max_size=2)
TABLE["flat codecs"] = st.one_of(
    little,
    field(
        "bytes",
        mostly({"endian": st.sampled_from(["little", "big", "x"])}, "endian"),
    ),
    field("gzip", mostly({"level": level})),
    field(
        "zstd",
        mostly(
            {"level": st.sampled_from([0, 22, 23, -(2**17), -(2**17) - 1]), "checksum": scalars},
            "checksum",
        ),
    ),
    field(
        "blosc",
        mostly(
            {
                "cname": st.sampled_from(["lz4", "zstd", "snappy", "LZ4"]),
                "clevel": level,
                "shuffle": st.sampled_from(["shuffle", "noshuffle", "bitshuffle", "x"]),
                "typesize": st.integers(-1, 9),
                "blocksize": st.integers(-1, 9),
            },
            "typesize",
        ),
    ),
    field("crc32c", nothing),
    field("transpose", mostly({"order": st.permutations([0, 1]) | st.lists(st.integers(0, 3))})),
    field(
        "scale_offset",
        mostly({"offset": scalars | values, "scale": scalars}, "offset", "scale"),
    ),
    field(
        "cast_value",
        mostly(
            {
                "data_type": data_types,
                "rounding": st.sampled_from(["nearest-even", "towards-zero", "x"]),
                "out_of_range": st.sampled_from(["clamp", "wrap", "x"]),
                "scalar_map": mostly({"encode": pairs, "decode": pairs}, "encode", "decode"),
            },
            *("rounding", "out_of_range", "scalar_map"),
        ),
    ),
    field("mystery", values),
)
flat_codecs = drawn("flat codecs")
TABLE["codecs"] = st.one_of(
    flat_codecs,
    st.recursive(flat_codecs, shards, max_leaves=4),
    shards(flat_codecs),
    odd_fields,
)
codecs = drawn("codecs")
runs = st.one_of(lengths, st.tuples(lengths, lengths).map(list))
edges = st.one_of(lengths, st.lists(runs, max_size=3))
TABLE["grids"] = st.one_of(
    field("regular", mostly({"chunk_shape": shapes})),
    field(
        "rectilinear",
        mostly({"kind": st.just("inline"), "chunk_shapes": st.lists(edges, max_size=3)}),
    ),
    field("hexagonal", values),
    odd_fields,
)
grids = drawn("grids")
separator = mostly({"separator": st.sampled_from(["/", ".", "-"])}, "separator")
encodings = st.one_of(field("default", separator), field("v2", separator), odd_fields)
FIELDS = {
    "data_type": data_types,
    "codec": codecs,
    "chunk_grid": grids,
    "encoding": encodings,
    "transformer": odd_fields,
}


def peer_described(read: Any, found: Any) -> dict[str, Any]:
    """A field of the peer, as `described` has ours."""
    said: dict[str, Any] = {
        "expect": OUTCOMES[type(read)],
        "family_or_id": name_of(read),
        "configuration": None,
        "problems": problems_of(found),
    }
    if said["expect"] == "accepted":
        said["configuration"] = plain(read.configuration)
    if not found and said["expect"] != "refused":
        said["canonical"] = plain(peer_definition.canonical_of(read, found))
    nested = sorted(walk(read, (), ("configuration",)), key=location)
    if nested:  # the peer spells what is nested in a configuration its own way
        said["configuration"] = None
        said["nested"] = [
            {"loc": list(at), "expect": OUTCOMES[type(each)], "family_or_id": name_of(each)}
            for at, each in nested
        ]
    return said


def location(found: tuple[Any, Any]) -> str:
    """What fields are sorted by: their order is the document's there, and the shape's here."""
    return str(list(found[0]))


@pytest.mark.parametrize("kind", list(KINDS))
@given(st.data())
def test_fields(kind: str, data: st.DataObject) -> None:
    value = data.draw(FIELDS[kind])
    ours, theirs = KINDS[kind]
    said = described(*resolve(value, ours, CORE_V3))
    if "nested" in said:
        said["nested"].sort(key=lambda each: str(each["loc"]))
        said["configuration"] = None
    if said["expect"] == "unclaimed":
        said["configuration"] = None
    expected = peer_described(*peer_definition.resolve(value, theirs, PEER_SCOPE))
    assert exact(said) == exact(expected)


@pytest.mark.parametrize("kind", list(KINDS))
@given(st.data())
def test_equal_fields(kind: str, data: st.DataObject) -> None:
    ours, theirs = KINDS[kind]
    pair = [data.draw(FIELDS[kind]) for _ in range(2)]
    one, other = (resolve(value, ours, CORE_V3) for value in pair)
    if one[1] or other[1]:
        return
    read = (peer_definition.resolve(value, theirs, PEER_SCOPE) for value in pair)
    # Equality there depends on the order of members that hold fields; spellings do not.
    first, second = (exact(plain(peer_definition.canonical_of(*each))) for each in read)
    assert (one[0] == other[0]) == (first == second)


records = st.dictionaries(st.sampled_from(["a", "b", "c"]), scalars, max_size=3)
fill_values = st.one_of(
    scalars,
    values,
    st.lists(scalars, min_size=2, max_size=2),
    st.lists(st.integers(-1, 256), max_size=3),
    st.recursive(records, lambda inner: st.dictionaries(st.sampled_from("abc"), inner)),
)


@given(good_types, fill_values)
def test_fill_values(data_type: Any, value: Any) -> None:
    theirs, _ = peer_definition.resolve(data_type, peer_v3.DataTypeDefinition, PEER_SCOPE)
    ours, _ = resolve(data_type, ZarrV3DataTypeDefinition, CORE_V3)
    expected = peer_definition.fill_value_problems(theirs, value)
    found = fill_value_problems(value, ours)
    assert problems(found) == problems_of(expected)
    if not found:
        canonical = plain(peer_definition.canonical_fill_value(theirs, value))
        assert exact(canonical_fill_value(value, ours)) == exact(canonical)


@given(st.sampled_from([2, 4, 8]), st.integers(0, 2**64 - 1), st.floats(width=32))
def test_floats_have_one_spelling(width: int, bits: int, number: float) -> None:
    data_type = f"float{8 * width}"
    theirs, _ = peer_definition.resolve(data_type, peer_v3.DataTypeDefinition, PEER_SCOPE)
    ours, _ = resolve(data_type, ZarrV3DataTypeDefinition, CORE_V3)
    written: list[Any] = [f"0x{bits >> (64 - 8 * width):0{2 * width}X}"]
    written += [number] if number - number == 0 else []
    for value in written:
        canonical = plain(peer_definition.canonical_fill_value(theirs, value))
        assert exact(canonical_fill_value(value, ours)) == exact(canonical)


ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4, 6],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}
MEMBERS = {
    "zarr_format": scalars,
    "node_type": st.one_of(st.just("array"), scalars, values),
    "shape": st.one_of(shapes, values),
    "data_type": data_types,
    "chunk_grid": grids,
    "chunk_key_encoding": encodings,
    "fill_value": fill_values,
    "codecs": st.one_of(st.lists(codecs, max_size=4), values),
    "attributes": st.one_of(st.dictionaries(st.sampled_from("ab"), values), values),
    "storage_transformers": st.one_of(st.lists(odd_fields, max_size=2), values),
    "dimension_names": st.one_of(
        st.lists(st.sampled_from(["x", "y", None]), min_size=2, max_size=2), values
    ),
    "extra": st.one_of(st.just({"must_understand": False}), values),
    "compressor": values,
}
changes = st.sets(st.sampled_from(sorted(MEMBERS)), max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: MEMBERS[name] for name in sorted(names)})
)
TABLE["arrays"] = st.builds(changed, st.just(ARRAY), changes, st.sampled_from([None, None, *ARRAY]))
arrays = drawn("arrays")
pipelines = st.builds(
    lambda shape, chunks, data_type, listed: {
        **ARRAY,
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "codecs": listed,
    },
    st.lists(st.integers(0, 9), min_size=2, max_size=2),
    st.lists(st.sampled_from([1, 2, 4, 6]), min_size=2, max_size=2),
    scalar_names,
    st.lists(codecs, min_size=1, max_size=4),
)


@given(st.one_of(arrays, arrays, pipelines, values))
def test_arrays(value: Any) -> None:
    theirs = peer.model.read_array_metadata_v3(value)
    ours = ZarrV3Reader().array(value)
    assert problems(ours.problems) == problems_of(theirs.problems)
    fields = [(loc, name_of(each)) for loc, each in sorted(theirs.fields(), key=location)]
    assert [(loc, name_of(each)) for loc, each in sorted(ours.walk(), key=location)] == fields
    if theirs.metadata is not None:
        assert ours.must_understand == tuple(theirs.metadata.must_understand_fields)


@given(st.one_of(arrays, pipelines), changes)
def test_equal_arrays(value: Any, change: Any) -> None:
    other = {**value, **change}
    first, second = (peer.model.read_array_metadata_v3(each) for each in (value, other))
    if first.problems or second.problems:
        return
    ours = [ZarrV3Reader().array(each) for each in (value, other)]
    assert (ours[0] == ours[1]) == (first.metadata == second.metadata)


groups = mostly(
    {
        "zarr_format": st.just(3),
        "node_type": st.just("group"),
        "attributes": st.dictionaries(st.sampled_from("ab"), values),
        "extra": values,
    },
    *("attributes", "extra"),
)
paths = st.sampled_from(
    [
        *(
            "a",
            "b",
            "a/b",
            "a/b/c",
            "g",
            "g/a",
            "g/h/b",
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/...",
        ),
        *("__x", "a/__x", "zarr.json", "a/zarr.json", "é", "a b"),
    ]
)


def copies(entries: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Groups that list such documents."""
    copy = mostly(
        {
            "kind": st.just("inline"),
            "must_understand": st.just(False),
            "metadata": st.dictionaries(paths, entries, max_size=4),
        }
    )
    return st.builds(
        lambda group, listed: {**group, "consolidated_metadata": listed} if group else group,
        st.just({"zarr_format": 3, "node_type": "group"}) | groups,
        copy,
    )


plain_group = st.just({"zarr_format": 3, "node_type": "group", "attributes": {}})
TABLE["entries"] = st.one_of(st.just(ARRAY), plain_group, arrays, groups, values)
entries = drawn("entries")
TABLE["copies"] = copies(entries)
consolidated = copies(st.one_of(entries, drawn("copies")))


@given(st.one_of(groups, consolidated, values))
def test_groups(value: Any) -> None:
    theirs = peer.model.read_group_metadata_v3(value)
    ours = ZarrV3Reader().group(value)
    assert problems(ours.problems) == problems_of(theirs.problems)
    if theirs.metadata is not None:
        assert ours.must_understand == tuple(theirs.metadata.must_understand_fields)


@given(consolidated)
def test_consolidated(value: Any) -> None:
    reader = ZarrV3Reader()
    group = reader.group(value)
    if group.problems:
        return
    member = value["consolidated_metadata"]
    theirs = peer.model.read_consolidated_metadata_v3(member).problems
    ours = [each._replace(loc=each.loc[1:]) for each in reader.consolidated(group).problems]
    assert problems(tuple(ours)) == problems_of(theirs)


@given(st.one_of(arrays, groups, consolidated, values))
def test_nodes(value: Any) -> None:
    theirs = peer.model.read_node_metadata_v3(value).problems
    assert problems(ZarrV3Reader().node(value).problems) == problems_of(theirs)


empty_axes = st.builds(
    lambda shape, chunks, number: {
        **ARRAY,
        "shape": shape,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "fill_value": number,
    },
    st.lists(st.integers(0, 1), min_size=2, max_size=2),
    st.lists(st.integers(0, 1), min_size=2, max_size=2),
    st.sampled_from([0, float("nan"), float("inf"), "NaN", [float("nan"), 0.0]]),
)
null_copy = st.just({"zarr_format": 3, "node_type": "group", "consolidated_metadata": None})


@given(st.one_of(empty_axes, null_copy, copies(st.one_of(empty_axes, null_copy, entries))))
def test_repairs(value: Any) -> None:
    mended, expected = peer.model.repair_node_metadata_v3(value)
    ours = repairs(value)
    assert [(each.loc, each.kind) for each in ours] == [(each.loc, each.kind) for each in expected]
    assert exact(repaired(value, ours)) == exact(plain(mended))


dropped = st.sets(
    st.sampled_from(["float32", "int16", "struct", "bytes", "gzip", "sharding_indexed", "regular"])
)


def left(core: Any, names: set[str]) -> Any:
    """A core scope without some of its definitions."""
    slots = ("data_types", "codecs", "chunk_grids")
    held = {slot: getattr(core, slot) for slot in slots}
    return core.update(
        **{
            slot: [each for name, each in table.items() if name not in names]
            for slot, table in held.items()
        }
    )


@given(st.one_of(st.just(ARRAY), pipelines), changes, dropped, dropped)
def test_refinement(value: Any, change: Any, first: set[str], second: set[str]) -> None:
    """What is read in one scope against another spelling, or another document, in another."""
    read = []
    for document, names in ((value, first), ({**value, **change}, second)):
        theirs = peer.model.read_array_metadata_v3(document, context=left(PEER_SCOPE, names))
        ours = ZarrV3Reader(left(CORE_V3, names)).array(document)
        if theirs.problems or ours.problems:
            return
        read.append((ours, theirs.metadata))
    for one, other in (read, read[::-1]):
        assert one[0].refines(other[0]) == one[1].refines(other[1])


@given(st.one_of(st.just(ARRAY), pipelines), dropped, dropped)
def test_moves_between_scopes(value: Any, first: set[str], second: set[str]) -> None:
    theirs = peer.model.read_array_metadata_v3(value, context=left(PEER_SCOPE, first))
    ours = ZarrV3Reader(left(CORE_V3, first)).array(value)
    assert problems(ours.problems) == problems_of(theirs.problems)
    if ours.problems:
        return
    outcomes = []
    for document, core in ((theirs.metadata, PEER_SCOPE), (ours, CORE_V3)):
        try:
            moved = document.refined_in(left(core, second))
        except Exception as error:
            outcomes.append(conflicts_of(error) or "has problems")
        else:
            outcomes.append([moved.refines(document), document.refines(moved)])
    assert outcomes[0] == outcomes[1]


def test_the_strategies_reach_every_definition() -> None:
    reached: set[str] = set()

    @settings(max_examples=500, database=None)
    @given(st.tuples(st.lists(data_types, min_size=5), codecs, grids, encodings))
    def collect(drawn: Any) -> None:
        reached.update(names_in(list(drawn)))

    collect()
    known = {name for kind in CORE_V3.kinds.values() for name in CORE_V3.definitions_of(kind)}
    assert known - reached <= {"r*", "consolidated_metadata"}


def names_in(value: Any) -> list[str]:
    """Every text of a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for each in inner for name in names_in(each)]
