"""Files changed at random, of all formats, through the reader: ``python -m tests.fuzz_files``.

A changed file may be read, or refused with a sentence; its reader may even crash, which is counted.
Nothing else may happen, and whoever asked goes on.
"""

import argparse
import io
import struct
import time
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.io import savemat

from sdsc_core.datasets import Limits, apart
from tests.odd_files import FULL, X, Y, cells, faces, hdf5, mat, npy, npz, saved, table

SMALL = Limits(values=10**6, memory=300_000_000, seconds=5)
NUMBERS = (0, 1, 0x7F, 0x80, 0xFF)
LENGTHS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**20)
CRASHED = "crashes its reader"


def seeds():
    """Small honest files; which of a pair is changed decides where a change may hit."""
    names = np.array(["p", "q", "r"])
    cell = np.array(["a", "b", "c"], dtype=object)[Y]
    every = {"X": X, "y": names[Y], "S": sp.csc_array(X), "c": cell, "Z": X + 1j}
    return [
        ("a.csv", table()),
        ("b.tsv", table(comma="\t")),
        ("c.csv", table(comma=";")),
        ("a.npy", npy(X)),
        ("a.npz", npz(X=X, y=names[Y])),
        ("b.npz", saved(lambda f: np.savez(f, X=X, y=Y))),
        ("a.mat", mat(packed=False, X=X)),
        ("b.mat", mat(packed=False, **every)),
        ("c.mat", mat(**every)),
        ("d.mat", mat(packed=False, X=sp.csc_array(X), y=cell)),
        ("e.mat", saved(lambda f: savemat(f, {"X": X, "y": Y}, format="4"))),
        ("f.mat", hdf5(lambda root: root.update(fea=X.T, gnd=Y[None, :]))),
        ("g.mat", hdf5(lambda r: r.create_dataset("X", data=X, chunks=(4, 5), compression="gzip"))),
        ("h.mat", cells(12)),
        ("a.zip", faces()),
    ]


def changed(data, rng):
    """A few changes: bytes, lengths, parts that are lost, repeated or moved."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(len(data))) if data else 0
        end = at + int(rng.integers(1, 64))
        match rng.integers(7):
            case 0 | 1 if data:
                data[at] = NUMBERS[rng.integers(len(NUMBERS))]
            case 2 if data:
                data[at] ^= 1 << rng.integers(8)
            case 3:
                at -= at % 4
                data[at : at + 4] = struct.pack("<I", LENGTHS[rng.integers(len(LENGTHS))])
            case 4:
                del data[at:end]
            case 5:
                data[at:at] = data[at:end]
            case 6 if rng.random() < 0.2:
                del data[at:]
            case _:
                data[at:end] = rng.bytes(end - at)
    return bytes(data)


def fuzz(count, seed=0, keep=None):
    """How many changed files were read, refused, or crashed their reader; and the sentences."""
    rng, tally, said = np.random.default_rng(seed), Counter(), Counter()
    files = seeds()
    for name, data in files:
        found = apart.load(io.BytesIO(data), name=name, limits=SMALL)
        assert found.X.size, name
    for k in range(count):
        name, data = files[k % len(files)]
        data = changed(data, rng)
        try:
            apart.load(io.BytesIO(data), name=name, limits=SMALL)
            tally["read"] += 1
        except ValueError as problem:  # anything else ends the run
            sentence = str(problem)
            assert sentence.isprintable() and sentence.endswith("."), sentence
            crashed = CRASHED in sentence
            tally["crashed" if crashed else "refused"] += 1
            said[sentence.partition("; ")[2] or sentence] += 1
            if crashed and keep:
                (Path(keep) / f"{k}_{name}").write_bytes(data)
    whole = apart.load(io.BytesIO(table()), name="plain.csv", limits=SMALL)
    assert (whole.n_points, whole.n_features, whole.n_classes) == FULL
    return tally, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", metavar="DIR", help="folder for files that crash their reader")
    options = parser.parse_args()
    begun = time.monotonic()
    tally, said = fuzz(options.count, options.seed, options.keep)
    seconds = time.monotonic() - begun
    print(f"{options.count:,} files in {seconds:.0f} s: {dict(tally)}; the commonest sentences:")
    for sentence, n in said.most_common(12):
        print(f"{n:6,} {sentence}")


if __name__ == "__main__":
    main()
