"""Pictures of each cluster."""

from io import BytesIO

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from pages.shared.run import cached
from sdsc_core import figures, misplaced
from sdsc_core.datasets import Dataset
from sdsc_core.run import Run


def show(run: Run) -> None:
    """Pictures of each cluster; misplaced ones and the chosen one are framed, and come first."""
    data, point = run.data, st.session_state.point
    if data.images is None:
        st.info("This data has no pictures; load a .zip of images to see a gallery.")
        return
    none = np.zeros(data.n_points, bool)
    wrong = none if data.labels is None else misplaced(data.labels, run.after.labels)
    first = wrong | (np.arange(data.n_points) == point)
    columns = st.columns(2)
    for c in range(run.n_clusters):
        members = np.flatnonzero(run.after.labels == c)
        order = members[np.argsort(~first[members], kind="stable")][:48]
        at = int(np.argmax(order == point)) if point in order else -1
        sheet = _sheet(data, order, wrong[order], at)
        caption = f"Cluster {c}: {len(members)} points"
        if data.n_classes:
            bad = wrong[members].sum()
            caption += f", {bad} misplaced{' (orange frame)' * bool(bad)}"
        if at >= 0:
            caption += f"; point {point} is marked (blue frame)"
        if len(order) < len(members):
            caption += f"; {len(order)} shown"
        columns[c % 2].image(sheet, width="stretch", caption=caption, alt=f"Pictures. {caption}.")


def _sheet(data: Dataset, order: NDArray[np.int64], framed: NDArray[np.bool_], at: int) -> bytes:
    """The pictures of a cluster as a file; most clusters stay as they are when a slider moves."""
    assert data.images is not None
    pictures = data.images[order]
    zoom = max(1, 40 // pictures.shape[1])

    def make() -> bytes:
        file = BytesIO()
        sheet = figures.contact_sheet(pictures, framed, zoom=zoom, chosen=at)
        Image.fromarray(sheet).save(file, "JPEG", quality=100)
        return file.getvalue()

    return cached(("sheet", data.digest, order.tobytes(), framed.tobytes(), at), make)
