from helpers_lint import CHUNK, GROUP2, array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(), "0": CHUNK, "notes.txt": b"x", "old/0": CHUNK},
        {"node": "", "count": 2, "size": 9},
    )
]

PASSING = [
    passes({".zgroup": GROUP2, "notes.txt": b"x", "a/.zarray": array2(), "a/1": CHUNK}),
    passes({".zarray": array2(), ".zattrs": {}, "0": CHUNK}),
]
