"""Writes the files of sample_data/: ``python -m sdsc_core.datasets.write_samples [FOLDER]``.

The same bytes each time: times of creation are fixed, so a changed file means changed data.
"""

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.faces import make_faces
from sdsc_core.datasets.generators import digits, make_motion, make_subspaces
from sdsc_core.datasets.prepare import prepare

FOLDER = Path(__file__).parents[2] / "sample_data"
MAT_HEADER = b"MATLAB 5.0 MAT-file, written by sdsc_core.datasets.write_samples"
FIXED_TIME = (2000, 1, 1, 0, 0, 0)


def write_samples(folder: Path = FOLDER) -> list[Path]:
    """Write every sample file into ``folder`` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "subspaces.csv": _csv(make_subspaces(5, 4, 12, points_each=40)),
        "noisy_subspaces.npy": _npy(make_subspaces(5, 4, 30, points_each=40, noise=0.2)),
        "digits.npz": _npz(prepare(digits(), classes=range(5), per_class=80)),
        "motion.mat": _mat(make_motion(noise=1.0)),
        "overlapping_subspaces_v73.mat": _mat73(
            make_subspaces(4, 4, 15, points_each=40, overlap=2)
        ),
        "shaded_faces.zip": _zip(make_faces(4, 16)),
    }
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in contents]


def _csv(data: Dataset) -> bytes:
    header = ",".join([*(f"x{k + 1}" for k in range(data.n_features)), "label"])
    rows = [",".join([*(f"{v:.6f}" for v in x), name]) for x, name in _named_rows(data)]
    return ("\n".join([header, *rows]) + "\n").encode()


def _named_rows(data: Dataset) -> list[tuple[np.ndarray, str]]:
    assert data.labels is not None
    return [(x, data.class_names[k]) for x, k in zip(data.X, data.labels, strict=True)]


def _npy(data: Dataset) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, data.X.astype(np.float32))
    return buffer.getvalue()


def _npz(data: Dataset) -> bytes:
    assert data.images is not None and data.labels is not None
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer, X=data.X.astype(np.uint8), y=data.labels, image_shape=data.images.shape[1:]
    )
    return buffer.getvalue()


def _mat(data: Dataset) -> bytes:
    """Samples as columns, as MATLAB users keep them."""
    from scipy.io import savemat

    assert data.labels is not None
    buffer: Any = io.BytesIO()
    values = {"X": data.X.T, "s": data.labels + 1, "class_names": list(data.class_names)}
    savemat(buffer, values, do_compression=True)
    written = buffer.getvalue()
    return MAT_HEADER.ljust(116) + written[116:]  # SciPy's header has the time in it


def _mat73(data: Dataset) -> bytes:
    """HDF5 with MATLAB's block of 512 bytes before it; dimensions run backwards there."""
    import h5py

    assert data.labels is not None
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=512) as file:
        for name, values in {"fea": data.X, "gnd": data.labels[:, None] + 1.0}.items():
            written = file.create_dataset(name, data=values.T, compression="gzip")
            written.attrs["MATLAB_class"] = np.bytes_("double")
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return header + buffer.getvalue()[len(header) :]


def _zip(data: Dataset) -> bytes:
    from PIL import Image

    assert data.images is not None and data.labels is not None
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for k, (image, label) in enumerate(zip(data.images, data.labels, strict=True)):
            png = io.BytesIO()
            Image.fromarray(image).save(png, "PNG", optimize=True)
            folder = data.class_names[label].replace(" ", "_")
            member = zipfile.ZipInfo(f"{folder}/{k:03d}.png", FIXED_TIME)
            archive.writestr(member, png.getvalue())
    return buffer.getvalue()


if __name__ == "__main__":
    for path in write_samples(*map(Path, sys.argv[1:2])):
        print(f"{path}: {path.stat().st_size:,} bytes")
