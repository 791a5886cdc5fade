from helpers_lint import GROUP2, array2, array3, fails, group3, passes


def copy(**entries: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}}


def inline(**entries: object) -> dict[str, object]:
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return group3(consolidated_metadata=copy)


FAILING = [
    fails(
        {".zgroup": GROUP2, "new/.zarray": array2(), ".zmetadata": copy()}, {"key": ".zmetadata"}
    ),
]

FAILING += [
    fails(
        {"zarr.json": inline(), "a/zarr.json": array3()},
        {"key": "zarr.json", "pointer": "/consolidated_metadata/metadata"},
    ),
]

PASSING = [
    passes(
        {".zgroup": GROUP2, "a/.zarray": array2(), ".zmetadata": copy(**{"a/.zarray": array2()})}
    )
]

PASSING += [
    passes({"zarr.json": inline(a=array3()), "a/zarr.json": array3()}),
]
