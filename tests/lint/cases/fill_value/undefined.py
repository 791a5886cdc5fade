from helpers_lint import CHUNK, array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(fill_value=None), "0": CHUNK},
        {"node": "", "count": 1, "level": "info"},
    )
]

PASSING = [
    passes({".zarray": array2(fill_value=None), "0": CHUNK, "1": CHUNK}),
    passes({".zarray": array2(), "0": CHUNK}),
]
