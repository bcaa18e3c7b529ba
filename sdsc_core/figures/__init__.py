"""Figures, usable in a notebook: Plotly charts, and what a picture of W and W* needs."""

from sdsc_core.extras import require

require("plotly", "Drawing figures")  # before the parts below, which all import it

from sdsc_core.figures.charts import (
    affinities,
    colour,
    confusion_matrix,
    contact_sheet,
    eigenvalues,
    embedding,
    match_clusters,
    projection,
)
from sdsc_core.figures.comparison import method_bars, thumbnail, time_against
from sdsc_core.figures.data import (
    class_sizes,
    examples,
    norm_histogram,
    picture_uri,
    scattering_maps,
    variance_kept,
)
from sdsc_core.figures.graphs import (
    Graph,
    around,
    growth,
    layout,
    neighbourhood,
    profiles,
    row_of_c,
    small_graphs,
)
from sdsc_core.figures.matrix import MatrixView, class_blocks, matrix_view, ordering
from sdsc_core.figures.papers import (
    Paper,
    figure_file,
    paper_eigenvalues,
    paper_embedding,
    paper_matrices,
)
from sdsc_core.figures.sweeps import sweep_heatmap, sweep_lines

__all__ = [
    "Graph",
    "MatrixView",
    "Paper",
    "affinities",
    "around",
    "class_blocks",
    "class_sizes",
    "colour",
    "confusion_matrix",
    "contact_sheet",
    "eigenvalues",
    "embedding",
    "examples",
    "figure_file",
    "growth",
    "layout",
    "match_clusters",
    "matrix_view",
    "method_bars",
    "neighbourhood",
    "norm_histogram",
    "ordering",
    "paper_eigenvalues",
    "paper_embedding",
    "paper_matrices",
    "picture_uri",
    "profiles",
    "projection",
    "row_of_c",
    "scattering_maps",
    "small_graphs",
    "sweep_heatmap",
    "sweep_lines",
    "thumbnail",
    "time_against",
    "variance_kept",
]
