from helpers_lint import array3, fails, passes

FAILING = [
    fails({"zarr.json": array3(**{name: None})}, {"pointer": f"/{name}", "fixable": True})
    for name in ("dimension_names", "storage_transformers")
]

PASSING = [passes({"zarr.json": array3(dimension_names=[None], storage_transformers=[])})]
