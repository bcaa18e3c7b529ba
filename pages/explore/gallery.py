"""Pictures of each cluster."""

import numpy as np
import streamlit as st

from sdsc_core import figures, misplaced
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
    zoom = max(1, 40 // data.images.shape[1])
    columns = st.columns(2)
    for c in range(run.n_clusters):
        members = np.flatnonzero(run.after.labels == c)
        order = members[np.argsort(~first[members], kind="stable")][:48]
        at = int(np.argmax(order == point)) if point in order else -1
        sheet = figures.contact_sheet(data.images[order], wrong[order], zoom=zoom, chosen=at)
        caption = f"Cluster {c}: {len(members)} points"
        if data.n_classes:
            bad = wrong[members].sum()
            caption += f", {bad} misplaced{' (orange frame)' * bool(bad)}"
        if at >= 0:
            caption += f"; point {point} is marked (blue frame)"
        if len(order) < len(members):
            caption += f"; {len(order)} shown"
        columns[c % 2].image(sheet, width="stretch", caption=caption, alt=f"Pictures. {caption}.")
