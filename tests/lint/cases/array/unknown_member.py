from helpers_lint import array3, fails, passes

FAILING = [
    fails({"zarr.json": array3(extra=value)}, {"pointer": "/extra"})
    for value in (1, {"a": 1}, {"must_understand": True}, None)
]

PASSING = [passes({"zarr.json": array3(extra={"must_understand": False, "a": 1})})]
