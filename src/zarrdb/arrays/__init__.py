"""Arrays decoded: parts of them to print, and every chunk of them to verify.

Besides the store of zarr-python, the only place that uses zarr, numpy and numcodecs, all of
them inside functions.
"""
