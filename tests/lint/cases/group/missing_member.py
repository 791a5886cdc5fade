from helpers_lint import GROUP2, fails, passes

FAILING = [fails({".zgroup": {}}, {"key": ".zgroup", "line": 1})]

PASSING = [passes({".zgroup": GROUP2})]
