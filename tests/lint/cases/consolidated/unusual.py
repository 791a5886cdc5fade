from helpers_lint import GROUP2, array2, array3, fails, group3, passes

COPY = {"zarr_consolidated_format": 1, "metadata": {".zgroup": GROUP2, "a/.zarray": array2()}}


def inline(**entries: object) -> dict[str, object]:
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return group3(consolidated_metadata=copy)


FAILING = [
    fails({".zgroup": GROUP2, "a/.zarray": array2(), "zmetadata": COPY}, {"key": "zmetadata"}),
    fails(
        {".zgroup": GROUP2, "g/.zgroup": GROUP2, "g/a/.zarray": array2(), "g/.zmetadata": COPY},
        {"key": "g/.zmetadata"},
    ),
    fails({".zmetadata": COPY, "a/0": b"01234567"}, {"key": ".zmetadata"}),
]

FAILING += [
    fails({"zarr.json": inline(a=array3(), b=group3())}, {"key": "zarr.json", "level": "info"}),
]

BAD_COPY = {
    "zarr_consolidated_format": 1,
    "metadata": {".zgroup": GROUP2, "a/.zarray": array2(dtype="<i3")},
}
FAILING += [
    fails({".zmetadata": BAD_COPY}, {"key": ".zmetadata"}, also=("dtype/invalid",)),
    fails({"zarr.json": inline(a=array3(shape=None))}, {}, also=("array/invalid-shape",)),
]

PASSING = [passes({".zgroup": GROUP2, "a/.zarray": array2(), ".zmetadata": COPY})]
