"""Shaded faces: pictures of made-up reliefs under many lights, in place of photographs.

Under distant lights the pictures of one Lambertian relief lie close to a subspace of nine
dimensions, which is why the paper clusters Extended Yale B by subspaces. These pictures share
that property and belong to nobody.
"""

import numpy as np
from numpy.typing import NDArray

from sdsc_core.checks import check_count
from sdsc_core.datasets.dataset import Dataset

Field = NDArray[np.float64]

# The relief of a mean face as Gaussian bumps: centre (u to the right, v downwards, the picture is
# [-1, 1] in u), widths, height and change of albedo. A feature with u ≠ 0 has a mirror image.
FEATURES = (
    # u,    v,     width u, width v, height, albedo
    (0.00, 0.00, 0.95, 1.25, 1.10, 0.15),  # head
    (0.00, 0.05, 0.16, 0.34, 0.20, 0.05),  # bridge of the nose
    (0.00, 0.28, 0.22, 0.17, 0.24, 0.00),  # tip of the nose
    (0.42, -0.28, 0.21, 0.13, -0.16, -0.10),  # eye socket
    (0.42, -0.28, 0.13, 0.06, 0.07, -0.25),  # eye
    (0.42, -0.52, 0.27, 0.07, 0.10, -0.30),  # brow
    (0.55, 0.22, 0.26, 0.24, 0.14, 0.05),  # cheek
    (0.00, 0.62, 0.30, 0.10, 0.08, -0.20),  # lips
    (0.00, 0.62, 0.26, 0.04, -0.04, -0.10),  # mouth
    (0.00, 1.00, 0.30, 0.18, 0.16, 0.00),  # chin
)
PLACE_SPREAD = 0.05  # how far a subject's features move, in half widths of the picture
SHAPE_SPREAD = 0.20  # relative spread of their widths, heights and albedo
RELIEF_DETAIL = 0.03  # standard deviation of a subject's random detail in height
ALBEDO_DETAIL = 0.06  # and in albedo
DETAIL_WAVES = 4.0  # waves across the picture in the finest detail
ALBEDO = 0.70  # mean share of the light that comes back
MAX_AZIMUTH = 125.0  # degrees; Extended Yale B reaches 130
MAX_ELEVATION, MIN_ELEVATION = 75.0, -35.0  # degrees
EXTREMENESS = 1.25  # above 1, more lights near the camera than far from it
AMBIENT = 0.02  # light from everywhere: no picture is black all over
GRAIN = 3.0  # noise of the camera in grey values
EXPOSURE = 250.0  # grey value of a white patch that faces its light


def make_faces(
    n_subjects: int = 6,
    n_lights: int = 64,
    shape: tuple[int, int] = (48, 42),
    random_state: int = 0,
    *,
    cast_shadows: bool = False,
) -> Dataset:
    """Grey pictures of ``n_subjects`` made-up faces, each lit from ``n_lights`` directions.

    Stands in for the paper's Extended Yale B, whose 48×42 pictures and 64 lights are the defaults.
    A picture is albedo · max(0, n·l), the maximum being the attached shadow; ``cast_shadows`` also
    darkens what the relief hides from the light, which leaves the subspace further behind.

    >>> faces = make_faces(2, 5)
    >>> faces.X.shape, faces.images.shape, faces.images.dtype
    ((10, 2016), (10, 48, 42), dtype('uint8'))
    """
    check_count(n_subjects, "n_subjects", 1)
    check_count(n_lights, "n_lights", 1)
    if len(shape) != 2:
        raise ValueError(f"shape is {shape!r}; give (height, width).")
    height, width = (check_count(side, "shape", 4) for side in shape)
    rng = np.random.default_rng(check_count(random_state, "random_state", 0))
    lights = _lights(n_lights)
    pictures = np.concatenate(
        [_pictures(rng, lights, (height, width), cast_shadows) for _ in range(n_subjects)]
    )
    return Dataset(
        X=pictures.reshape(len(pictures), -1).astype(np.float64),
        labels=np.repeat(np.arange(n_subjects), n_lights),
        name="Shaded faces",
        class_names=tuple(f"face {i + 1}" for i in range(n_subjects)),
        images=pictures,
        note=f"Computed pictures of {n_subjects} made-up faces under {n_lights} lights each.",
        kind="faces",
    )


def _lights(n_lights: int) -> Field:
    """Unit vectors (right, up, to the camera), evenly spread in azimuth and elevation.

    The same for every subject, as in a studio: what differs between classes is the face alone.
    """
    # Multiples of the two-dimensional golden ratio fill the square evenly for every n_lights.
    golden = 1.32471795724474602596
    steps = np.arange(n_lights)[:, None] / np.array([golden, golden**2])
    s, t = (2 * ((0.5 + steps) % 1) - 1).T
    s, t = np.sign(s) * abs(s) ** EXTREMENESS, np.sign(t) * abs(t) ** EXTREMENESS
    azimuth = np.radians(MAX_AZIMUTH * s)
    elevation = np.radians(np.where(t > 0, MAX_ELEVATION, -MIN_ELEVATION) * t)
    return np.column_stack(
        [
            np.sin(azimuth) * np.cos(elevation),
            np.sin(elevation),
            np.cos(azimuth) * np.cos(elevation),
        ]
    )


def _pictures(
    rng: np.random.Generator, lights: Field, shape: tuple[int, int], cast_shadows: bool
) -> NDArray[np.uint8]:
    """One subject under all lights: (n_lights, h, w)."""
    u, v = np.meshgrid(
        np.linspace(-1, 1, shape[1]), np.linspace(-1, 1, shape[0]) * shape[0] / shape[1]
    )
    relief, albedo = _subject(rng, u, v)
    step = 2 / (shape[1] - 1)
    down, right = np.gradient(relief, step)
    normals = np.stack([-right, down, np.ones_like(relief)])  # v runs down, the second axis up
    normals /= np.linalg.norm(normals, axis=0)
    shading = np.maximum(np.tensordot(lights, normals, 1), 0)
    if cast_shadows:
        shading *= _lit(relief, lights, step)
    grey = EXPOSURE * albedo * (shading + AMBIENT) + GRAIN * rng.standard_normal(shading.shape)
    return np.clip(np.rint(grey), 0, 255).astype(np.uint8)


def _subject(rng: np.random.Generator, u: Field, v: Field) -> tuple[Field, Field]:
    """Relief and albedo of one face: the mean face moved and scaled, plus smooth detail."""
    relief = RELIEF_DETAIL * _smooth_field(rng, u, v)
    albedo = ALBEDO + ALBEDO_DETAIL * _smooth_field(rng, u, v)
    for centre_u, centre_v, width_u, width_v, height, tint in FEATURES:
        sides = (1, -1) if centre_u else (1,)
        centre_v += PLACE_SPREAD * rng.standard_normal()
        centre_u += PLACE_SPREAD / 2 * rng.standard_normal()
        scale = np.exp(SHAPE_SPREAD * rng.standard_normal(4))
        for side in sides:
            bump = np.exp(
                -(((u - side * centre_u) / (width_u * scale[0])) ** 2)
                - ((v - centre_v) / (width_v * scale[1])) ** 2
            )
            relief += height * scale[2] * bump
            albedo += tint * scale[3] * bump
    return relief, np.clip(albedo, 0.1, 1.0)


def _smooth_field(rng: np.random.Generator, u: Field, v: Field) -> Field:
    """A random field of unit variance whose waves weaken as they get finer."""
    field = np.zeros_like(u)
    for _ in range(24):
        waves = rng.uniform(0.5, DETAIL_WAVES)
        angle, phase = rng.uniform(0, 2 * np.pi, 2)
        along = u * np.cos(angle) + v * np.sin(angle)
        field += np.cos(np.pi * waves * along + phase) / waves
    return (field - field.mean()) / field.std()


def _lit(relief: Field, lights: Field, step: float) -> NDArray[np.bool_]:
    """Where each light reaches the relief, by walking from every pixel towards the light."""
    h, w = relief.shape
    rows, columns = np.mgrid[:h, :w]
    across = np.hypot(lights[:, 0], lights[:, 1])
    safe = np.maximum(across, 1e-9)
    right, up, rise = (lights[:, i] / safe for i in range(3))
    lit = np.ones((len(lights), h, w), dtype=bool)
    for t in range(1, max(h, w)):
        r = np.rint(rows - t * up[:, None, None]).astype(int)
        c = np.rint(columns + t * right[:, None, None]).astype(int)
        inside = (r >= 0) & (r < h) & (c >= 0) & (c < w)
        if not inside.any():
            break
        ray = relief + t * step * rise[:, None, None]
        lit &= ~inside | (relief[np.clip(r, 0, h - 1), np.clip(c, 0, w - 1)] <= ray)
    return lit
