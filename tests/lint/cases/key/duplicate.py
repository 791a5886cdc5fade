from helpers_lint import GROUP3, fails, passes
from zarrdb.keys import Remark

FAILING = [
    fails({"zarr.json": GROUP3}, {"key": "a/b"}, remarks=(Remark(kind, "a/b", "why"),))
    for kind in ("duplicate-key",)
]

PASSING = [passes({"zarr.json": GROUP3}, remarks=(Remark("empty-directory", "a/b"),))]
