from helpers_lint import array2, array3, fails, passes

FAILING = [
    *(
        fails({".zarray": array2(shape=shape)}, {"key": ".zarray", "pointer": "/shape"})
        for shape in ([-4], [None], [4.0], [True], 4, "4", None)
    ),
    fails({".zarray": array2(chunks=[-1])}, {"pointer": "/chunks"}),
    fails({".zarray": array2(shape=None, chunks=None)}, {}, {}),
]

FAILING += [
    fails({"zarr.json": array3(shape=shape)}, {"pointer": "/shape"}) for shape in ([-4], [4.0], 4)
]

PASSING = [
    passes({".zarray": array2(shape=[0])}),
    passes({".zarray": array2(shape=[], chunks=[])}),
    passes({".zarray": array2(shape=[2**70], chunks=[1])}),
]
