"""Data sets that are computed: subspaces, rigid motions, and scikit-learn's digits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import check_count
from sdsc_core.datasets.dataset import Dataset

BODY_SIZE = 60.0  # pixels: spread of a body's points around its centre
WAY = 40.0  # pixels: spread of each wave in the way that a body moves
TURN = 0.4  # radians: spread of each wave in the way that it turns
WAVES = 6  # half waves over all frames in the liveliest part of a motion


def make_subspaces(
    n_subspaces: int = 6,
    dim: int = 6,
    ambient: int = 10,
    points_each: int | Sequence[int] = 50,
    noise: float = 0.0,
    random_state: int = 0,
    *,
    overlap: int = 0,
) -> Dataset:
    """Points of unit norm on random linear subspaces.

    The defaults are the smallest of the paper's synthetic data (section "Experiments on Synthetic
    Data": six subspaces of dimension 6 in 10 dimensions, from 50 points each). The paper does not
    say how it draws: we take random orthonormal bases and Gaussian coefficients, so that the
    points are uniform on each subspace's unit sphere. ``points_each`` may be one number for each
    subspace. ``noise`` is the expected norm of the Gaussian noise added to a point of norm 1.
    The first ``overlap`` directions of every basis are the same, so that all subspaces meet there.

    >>> make_subspaces(3, 2, 5, points_each=[4, 5, 6]).X.shape
    (15, 5)
    """
    check_count(n_subspaces, "n_subspaces", 1)
    check_count(ambient, "ambient", 2)
    check_count(dim, "dim", 1, ambient, ", at most the ambient dimension")
    check_count(overlap, "overlap", 0, dim - 1, ", below the dimension of the subspaces")
    _check_level(noise, "noise")
    sizes = _sizes(points_each, n_subspaces)
    rng = np.random.default_rng(check_count(random_state, "random_state", 0))
    shared = rng.standard_normal((ambient, overlap))
    parts = []
    for size in sizes:
        own = rng.standard_normal((ambient, dim - overlap))
        basis = np.linalg.qr(np.hstack([shared, own]))[0]
        part = rng.standard_normal((size, dim)) @ basis.T
        parts.append(part / np.linalg.norm(part, axis=1, keepdims=True))
    X = np.vstack(parts)
    X += noise / np.sqrt(ambient) * rng.standard_normal(X.shape)
    return Dataset(
        X=X,
        labels=np.repeat(np.arange(n_subspaces), sizes),
        name="Subspaces",
        class_names=tuple(f"subspace {i + 1}" for i in range(n_subspaces)),
        note=f"Points on {n_subspaces} random subspaces of dimension {dim} in {ambient} dimensions"
        + (f", {overlap} of them shared" if overlap else "")
        + (f", with noise {noise:g}." if noise else "."),
        kind="subspaces",
    )


def make_motion(
    n_bodies: int = 3,
    points_each: int | Sequence[int] = 60,
    n_frames: int = 30,
    noise: float = 0.0,
    random_state: int = 0,
) -> Dataset:
    """Tracks of points on rigid bodies that move before an affine camera.

    A row holds x and y of one point, frame after frame, in pixels from the middle of the picture.
    Each is a product of the point (x, y, z, 1) and the body's motion, so the tracks of one body
    have rank at most 4: motion segmentation is subspace clustering. ``noise`` is the standard
    deviation of the tracker's error in pixels.

    >>> tracks = make_motion(2, 10, n_frames=8)
    >>> tracks.X.shape, int(np.linalg.matrix_rank(tracks.X[tracks.labels == 0]))
    ((20, 16), 4)
    """
    check_count(n_bodies, "n_bodies", 1)
    check_count(n_frames, "n_frames", 2)
    _check_level(noise, "noise")
    sizes = _sizes(points_each, n_bodies)
    rng = np.random.default_rng(check_count(random_state, "random_state", 0))
    parts = []
    for size in sizes:
        points = np.column_stack([BODY_SIZE * rng.standard_normal((size, 3)), np.ones(size)])
        parts.append(points @ _motion(rng, n_frames))
    X = np.vstack(parts)
    X += noise * rng.standard_normal(X.shape)
    return Dataset(
        X=X,
        labels=np.repeat(np.arange(n_bodies), sizes),
        name="Rigid motions",
        class_names=tuple(f"body {i + 1}" for i in range(n_bodies)),
        note=f"Tracks of points on {n_bodies} rigid bodies over {n_frames} frames"
        + (f", with noise of {noise:g} pixels." if noise else "."),
        kind="motion",
    )


def _motion(rng: np.random.Generator, n_frames: int) -> NDArray[np.float64]:
    """The (4, 2·n_frames) matrix that takes a point (x, y, z, 1) to its track."""
    frames = []
    for vector, place in zip(
        _curves(rng, n_frames, 3, TURN), _curves(rng, n_frames, 2, WAY), strict=True
    ):
        # Rodrigues' formula; the affine camera keeps the first two rows.
        angle = max(float(np.linalg.norm(vector)), 1e-12)
        x, y, z = vector / angle
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        frames.append(np.column_stack([rotation[:2], place]))
    return np.vstack(frames).T


def _curves(rng: np.random.Generator, n_frames: int, n: int, spread: float) -> NDArray[np.float64]:
    """n smooth random functions of time, (n_frames, n): a constant and a few slow waves."""
    time = np.pi * np.arange(n_frames) / n_frames
    basis = np.cos(np.outer(time, np.arange(WAVES + 1)))
    return basis @ (spread * rng.standard_normal((WAVES + 1, n)))


def digits() -> Dataset:
    """scikit-learn's 1797 handwritten digits of 8×8 pixels, with values from 0 to 16.

    >>> digits().X.shape
    (1797, 64)
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset(
        X=bunch.data,
        labels=bunch.target,
        name="Digits",
        class_names=tuple(map(str, bunch.target_names)),
        images=np.rint(bunch.images * (255 / 16)).astype(np.uint8),
        note="Handwritten digits of 8×8 pixels that come with scikit-learn.",
        kind="digits",
    )


def _check_level(value: Any, name: str) -> float:
    """A finite number from 0."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 <= value < np.inf:
        raise ValueError(f"{name} is {value!r}; give a number from 0.")
    return float(value)


def _sizes(points_each: int | Sequence[int], n_groups: int) -> list[int]:
    """How many points each group has."""
    if np.ndim(points_each) == 0:
        return [check_count(points_each, "points_each", 1)] * n_groups
    sizes = list(points_each)  # type: ignore[arg-type]
    if len(sizes) != n_groups:
        raise ValueError(
            f"points_each has {len(sizes)} numbers; give one, or one for each of {n_groups} groups."
        )
    return [check_count(size, "points_each", 1) for size in sizes]
