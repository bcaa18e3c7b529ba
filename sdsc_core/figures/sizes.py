"""What charts and their files take at their largest moment, in bytes, told before they are made."""

from collections.abc import Sequence

from sdsc_core.checks import Affinity, is_sparse
from sdsc_core.memory import check_memory

PAGE = 45_000_000  # of a page with Plotly in it: its text is put together, and sent
TITLE = 160  # of a point's title beside its letters: what it is put together from
POINT = 420  # of a point in one panel of an embedding: places, number, and twice as JSON
LETTERS = 8  # times a title's letters, in one panel
DOT = 14  # of a pixel in a file: Matplotlib's own picture, a copy in its order, and the file
MOST_CELLS = 500  # a side of a heat map; more are merged
CELL = 40  # of a cell of it
ENTRY = 40  # of a link that is counted into its cell
FEWER = "choose fewer points or clusters"


def check_projection(n_points: int, n_clusters: int) -> None:
    """`TooLarge` where the rows that k-means sees do not fit twice, with their products."""
    needed = 8 * (2 * n_points * n_clusters + 6 * n_clusters**2) + 64 * n_points
    check_memory(needed, "its embedding", n_points, name="W", instead=FEWER)


def check_embedding(n_points: int, n_sides: int, letters: int) -> None:
    """`TooLarge` where an embedding with titles of so many letters does not fit as a page."""
    each = TITLE + letters + n_sides * (POINT + LETTERS * letters)
    check_memory(PAGE + n_points * each, "this chart", n_points, instead=FEWER)


def check_affinities(matrices: Sequence[Affinity], letters: int) -> None:
    """`TooLarge` where heat maps of these, with such titles, do not fit as a page."""
    n = matrices[0].shape[0]
    links = max(W.nnz if is_sparse(W) else 2 * W.size for W in matrices)
    cells = len(matrices) * CELL * min(n, MOST_CELLS) ** 2
    check_memory(PAGE + n * (TITLE + letters) + ENTRY * links + cells, "this chart", n, name="W")


def check_confusion(n_classes: int, n_clusters: int) -> None:
    """`TooLarge` where a table of so many cells does not fit as a chart."""
    what = f"A chart of {n_classes:,} × {n_clusters:,} cells"
    check_memory(60 * n_classes * n_clusters, what, None, instead="choose fewer clusters")


def check_sheet(n_pictures: int, high: int, wide: int, zoom: int) -> None:
    """`TooLarge` where so many pictures do not fit beside each other."""
    pixels = n_pictures * (high * zoom + 4) * (wide * zoom + 4)
    what = f"A sheet of {n_pictures:,} pictures"
    check_memory(6 * pixels, what, None, instead="choose fewer points")


def check_pixels(wide: float, high: float) -> None:
    """`TooLarge` where a picture of so many pixels does not fit."""
    what = f"A picture of {wide:,.0f} × {high:,.0f} pixels"
    instead = "choose fewer dots per inch, or a smaller figure"
    check_memory(int(DOT * wide * high), what, None, instead=instead)
