"""Writes the expected tables anew, from the miniatures and their recomputations; tpq has no part in it.

    python3 -B tests/mini/make_expected.py [pytorch]...

What changes must be read and explained before it is committed.
"""
import os
import sys

import reference_inference
import reference_jax
import reference_pytorch
import reference_ranks
import reference_ttmetal
import serve
import tables
import tenstorrent
import train


def pytorch():
    yield "pytorch/step_6", reference_pytorch.sheets_of_step(train.trace(0), "ProfilerStep#6")
    for mode in ("default", "compat"):
        yield f"pytorch/{mode}", reference_pytorch.sheets(train.trace(0), mode == "compat")
        yield f"ranks/{mode}", reference_ranks.sheets([train.trace(0), train.trace(1)], mode == "compat")


def inference():
    yield "inference/default", reference_inference.sheets(serve.trace(), serve.capture(), False)
    yield "inference/compat", reference_inference.sheets(serve.trace(), None, True)


def ttmetal():
    for mode in ("default", "compat"):
        yield f"ttmetal/{mode}", reference_ttmetal.sheets(tenstorrent.lines(), mode == "compat")


def jax():
    for mode in ("default", "compat"):
        yield f"jax/{mode}", reference_jax.sheets(mode == "compat")


MAKERS = {"pytorch": pytorch, "inference": inference, "jax": jax, "ttmetal": ttmetal}

if __name__ == "__main__":
    for name in sys.argv[1:] or MAKERS:
        for folder, sheets in MAKERS[name]():
            for sheet, rows in sheets.items():
                tables.write(os.path.join(tables.EXPECTED, folder, sheet + ".csv"), rows)
