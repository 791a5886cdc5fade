from helpers_lint import GROUP2, array3, encoded, fails, group3, passes


def copy(**entries: object) -> bytes:
    return encoded({"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, **entries}})


def inline(**entries: object) -> dict[str, object]:
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return group3(consolidated_metadata=copy)


FAILING = [
    fails(
        {".zgroup": GROUP2, ".zattrs": {"a": 2}, ".zmetadata": copy(**{".zattrs": {"a": 1}})},
        {"key": ".zmetadata", "pointer": "/metadata/.zattrs"},
    ),
    fails({".zgroup": GROUP2, ".zattrs": {"a": 2}, ".zmetadata": copy()}, {"key": ".zmetadata"}),
    fails({".zgroup": GROUP2, ".zmetadata": copy(**{".zattrs": {"a": 1}})}),
]

FAILING += [
    fails({"zarr.json": inline(a=array3(attributes={"x": 1})), "a/zarr.json": array3()}),
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
