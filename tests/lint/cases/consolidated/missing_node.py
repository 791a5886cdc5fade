from helpers_lint import GROUP2, array2, fails, passes


def copy(**entries: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}}


FAILING = [
    fails(
        {".zgroup": GROUP2, "new/.zarray": array2(), ".zmetadata": copy()}, {"key": ".zmetadata"}
    ),
]

PASSING = [
    passes(
        {".zgroup": GROUP2, "a/.zarray": array2(), ".zmetadata": copy(**{"a/.zarray": array2()})}
    )
]
