from helpers_lint import GROUP2, array2, fails, passes


def copy(**entries: object) -> dict[str, object]:
    return {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}}


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
