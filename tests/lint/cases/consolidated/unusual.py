from helpers_lint import GROUP2, array2, fails, passes

COPY = {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, "a/.zarray": array2()}}

FAILING = [
    fails({".zgroup": GROUP2, "a/.zarray": array2(), "zmetadata": COPY}, {"key": "zmetadata"}),
    fails(
        {".zgroup": GROUP2, "g/.zgroup": GROUP2, "g/a/.zarray": array2(), "g/.zmetadata": COPY},
        {"key": "g/.zmetadata"},
    ),
    fails({".zmetadata": COPY, "a/0": b"01234567"}, {"key": ".zmetadata"}),
]

PASSING = [passes({".zgroup": GROUP2, "a/.zarray": array2(), ".zmetadata": COPY})]
