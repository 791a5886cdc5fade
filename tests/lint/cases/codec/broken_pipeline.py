from helpers_lint import LITTLE, array3, fails, passes

GZIP = {"name": "gzip", "configuration": {"level": 1}}
TURN = {"name": "transpose", "configuration": {"order": [0]}}

FAILING = [
    fails({"zarr.json": array3(codecs=codecs)}, {"key": "zarr.json"})
    for codecs in ([], [GZIP], [LITTLE, LITTLE], [GZIP, LITTLE], [LITTLE, TURN])
]

PASSING = [passes({"zarr.json": array3(codecs=[TURN, LITTLE, GZIP])})]
