from helpers_lint import GROUP2, array2, array3, fails, group3, passes


def copy(**entries: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}}


def inline(**entries: object) -> dict[str, object]:
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return group3(consolidated_metadata=copy)


FAILING = [
    fails(
        {
            ".zgroup": GROUP2,
            "a/.zarray": array2(),
            ".zmetadata": copy(**{"a/.zarray": array2(shape=[6])}),
        },
        {"key": ".zmetadata", "pointer": "/metadata/a~1.zarray"},
    ),
    fails(
        {
            ".zgroup": GROUP2,
            "a/.zarray": array2(),
            ".zmetadata": copy(**{"a/.zarray": array2(fill_value=1)}),
        },
    ),
]

FAILING += [
    fails(
        {"zarr.json": inline(a=array3(shape=[2])), "a/zarr.json": array3()},
        {"key": "zarr.json", "pointer": "/consolidated_metadata/metadata/a"},
    ),
    fails({"zarr.json": inline(a=group3()), "a/zarr.json": array3()}),
]

PASSING = [
    passes({".zgroup": GROUP2, "a/.zarray": array2(), ".zmetadata": copy(**{"a/.zarray": entry})})
    for entry in (array2(), array2(dimension_separator="."))
] + [
    passes(
        {
            ".zgroup": GROUP2,
            "a/.zarray": array2(dtype="<f4", fill_value="NaN", compressor={"id": "zlib"}),
            ".zmetadata": copy(
                **{
                    "a/.zarray": array2(
                        dtype="<f4", fill_value="NaN", compressor={"id": "zlib", "level": 1}
                    )
                }
            ),
        }
    )
]

PASSING += [
    passes({"zarr.json": inline(a=entry), "a/zarr.json": array3()})
    for entry in (array3(), array3(attributes=...), array3(storage_transformers=[]))
]

NESTED = {"metadata": {}, "must_understand": False, "kind": "inline"}

# Copies of groups carry copies of their own, which the documents need not have.
PASSING += [
    passes(
        {
            ".zgroup": GROUP2,
            "g/.zgroup": GROUP2,
            ".zmetadata": copy(**{"g/.zgroup": {**GROUP2, "consolidated_metadata": NESTED}}),
        }
    ),
    passes({"zarr.json": inline(g=group3(consolidated_metadata=NESTED)), "g/zarr.json": group3()}),
]
FAILING += [
    fails(
        {
            ".zgroup": GROUP2,
            "g/.zgroup": GROUP2,
            ".zmetadata": copy(**{"g/.zgroup": {**GROUP2, "other": NESTED}}),
        }
    ),
]
