from helpers_lint import GROUP2, array3, fails, group3, passes


def copy(**members: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2}, **members}


def inline(**entries: object) -> dict[str, object]:
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return group3(consolidated_metadata=copy)


FAILING = [
    fails(
        {".zgroup": GROUP2, ".zmetadata": copy(zarr_consolidated_format=2)}, {"key": ".zmetadata"}
    ),
    fails({".zgroup": GROUP2, ".zmetadata": copy(metadata=[])}, {"pointer": "/metadata"}),
    fails({".zgroup": GROUP2, ".zmetadata": {"metadata": {}}}, {"line": 1, "column": 1}),
    fails(
        {".zgroup": GROUP2, ".zmetadata": copy(metadata={"../.zgroup": GROUP2})},
        {"pointer": "/metadata/..~1.zgroup"},
    ),
]

FAILING += [
    fails({"zarr.json": group3(consolidated_metadata={"kind": "inline", "metadata": {}})}),
    fails({"zarr.json": group3(consolidated_metadata="x")}, {"pointer": "/consolidated_metadata"}),
    fails(
        {"zarr.json": inline(**{"/abs": group3()})},
        {"pointer": "/consolidated_metadata/metadata/~1abs"},
    ),
    fails({"zarr.json": array3(consolidated_metadata={"kind": "inline"})}),
]

PASSING = [passes({".zgroup": GROUP2, ".zmetadata": copy()})]

PASSING += [
    passes({"zarr.json": inline()}),
]
