"""Figures, usable in a notebook: Plotly charts, and what a picture of W and W* needs."""

from sdsc_core.figures.charts import (
    affinities,
    colour,
    confusion_matrix,
    contact_sheet,
    eigenvalues,
    embedding,
    projection,
)
from sdsc_core.figures.matrix import MatrixView, class_blocks, matrix_view, ordering

__all__ = [
    "MatrixView",
    "affinities",
    "class_blocks",
    "colour",
    "confusion_matrix",
    "contact_sheet",
    "eigenvalues",
    "embedding",
    "matrix_view",
    "ordering",
    "projection",
]
