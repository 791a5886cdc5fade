from helpers_lint import GROUP3, fails, passes
from zarrdb.keys import Remark

TEMPORARY = f"zarr.json.{'0a' * 16}.partial"

FAILING = [
    *(
        fails({"zarr.json": GROUP3, key: b""}, {"key": key})
        for key in (TEMPORARY, ".nfs0001", "a/.DS_Store", "._zarr.json")
    ),
    fails({"zarr.json": GROUP3, "__MACOSX/a": b"", "__MACOSX/b": b""}, {"node": "__MACOSX"}),
    fails({"zarr.json": GROUP3}, {"key": "a/._b"}, remarks=(Remark("junk", "a/._b"),)),
    fails(
        {"zarr.json": GROUP3},
        {"node": "a/__MACOSX", "count": 1},
        remarks=(Remark("junk", "a/__MACOSX/"),),
    ),
]

PASSING = [
    passes({"zarr.json": GROUP3, "x.partial": b"", ".hidden": b"", "_b": b"", "nfs": b""}),
    passes({"zarr.json": GROUP3}, remarks=(Remark("junk", ".git/"), Remark("junk", "x~"))),
]
