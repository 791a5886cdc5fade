from helpers_lint import GROUP2, array2, fails, passes

FAILING = [
    fails(
        {".zgroup": GROUP2, "a/b/c/.zarray": array2()},
        {"node": "a", "fixable": True},
        {"node": "a/b"},
    ),
]

PASSING = [passes({".zgroup": GROUP2, "a/.zgroup": GROUP2, "a/b/.zarray": array2()})]
