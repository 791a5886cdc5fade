from helpers_lint import GROUP3, fails, group3, passes

BAD: tuple[object, ...] = (None, [], "x")

FAILING = [
    fails({"zarr.json": group3(attributes=value)}, {"key": "zarr.json", "pointer": "/attributes"})
    for value in BAD
]

PASSING = [passes({"zarr.json": GROUP3}), passes({"zarr.json": group3(attributes=...)})]
