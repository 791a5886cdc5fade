from helpers_lint import GROUP2, fails, passes


def copy(**members: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2}, **members}


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

PASSING = [passes({".zgroup": GROUP2, ".zmetadata": copy()})]
