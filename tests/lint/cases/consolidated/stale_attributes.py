from helpers_lint import GROUP2, encoded, fails, passes


def copy(**entries: object) -> bytes:
    return encoded({"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}})


FAILING = [
    fails(
        {".zgroup": GROUP2, ".zattrs": {"a": 2}, ".zmetadata": copy(**{".zattrs": {"a": 1}})},
        {"key": ".zmetadata", "pointer": "/metadata/.zattrs"},
    ),
    fails({".zgroup": GROUP2, ".zattrs": {"a": 2}, ".zmetadata": copy()}, {"key": ".zmetadata"}),
    fails({".zgroup": GROUP2, ".zmetadata": copy(**{".zattrs": {"a": 1}})}),
]

PASSING = [
    passes({".zgroup": GROUP2, ".zattrs": {"a": 1}, ".zmetadata": copy(**{".zattrs": {"a": 1}})}),
    passes({".zgroup": GROUP2, ".zattrs": {}, ".zmetadata": copy()}),
    passes(
        {
            ".zgroup": GROUP2,
            ".zattrs": b'{"a": NaN}',
            ".zmetadata": copy(**{".zattrs": {"a": "NaN"}}),
        },
        also=("json/bare-constant-in-attributes",),
    ),
]
