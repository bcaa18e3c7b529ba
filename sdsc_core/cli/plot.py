"""The times of a benchmark over the number of points, as a picture."""

from collections.abc import Sequence

from sdsc_core.experiments.chart import Chart

# Columns of a saved file, and what they are called in the picture.
LINES = {"seconds": "IMC", "rival": "k-d tree (SciPy)"}


def plot(lines: Sequence[dict[str, str]]) -> str:
    """An SVG of the seconds in saved rows over their points, both axes logarithmic.

    >>> picture = plot([{"points": "1000", "seconds": "0.5", "rival": "2"}])
    >>> picture.startswith("<svg"), picture.count("<circle")
    (True, 2)
    """
    series = {
        name: [(float(k["points"]), float(k[column])) for k in lines if k.get(column)]
        for column, name in LINES.items()
    }
    if not any(series.values()):
        raise ValueError("The saved rows hold no times over points; measure 'k-d tree' first.")
    return Chart("Time", "points", "seconds", series, log_x=True, log_y=True).to_svg()
