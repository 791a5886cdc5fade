from helpers_lint import GROUP2, array2, fails, passes

FAILING = [fails({".zgroup": GROUP2, "a/.zarray": array2(), "a/.zgroup": GROUP2}, {"node": "a"})]

PASSING = [passes({".zgroup": GROUP2, "a/.zarray": array2()})]
