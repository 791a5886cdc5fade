from helpers_lint import array3, fails, passes

BAD: tuple[object, ...] = ("x", [1], {}, 1)

FAILING = [
    fails({"zarr.json": array3(dimension_names=value)}, {"pointer": "/dimension_names"})
    for value in BAD
]

PASSING = [passes({"zarr.json": array3(dimension_names=["x"])}), passes({"zarr.json": array3()})]
