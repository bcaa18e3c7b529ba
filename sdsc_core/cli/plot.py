"""The times of a benchmark over the number of points, as a picture."""

import math
from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, BOTTOM, EDGE = 560, 360, 60, 50, 30
# Columns of a saved file, what they are called in the picture, and their colour.
LINES = {"seconds": ("IMC", "#1f77b4"), "rival": ("k-d tree (SciPy)", "#d62728")}


def plot(lines: Sequence[dict[str, str]]) -> str:
    """An SVG of the seconds in saved rows over their points, both axes logarithmic.

    >>> picture = plot([{"points": "1000", "seconds": "0.5", "rival": "2"}])
    >>> picture.startswith("<svg"), picture.count("<circle")
    (True, 2)
    """
    series = {
        column: sorted((int(k["points"]), float(k[column])) for k in lines if k.get(column))
        for column in LINES
    }
    places = [place for points in series.values() for place in points]
    if not places:
        raise ValueError("The saved rows hold no times over points; measure 'k-d tree' first.")
    x = _axis([n for n, _ in places], LEFT, WIDTH - EDGE)
    y = _axis([s for _, s in places], HEIGHT - BOTTOM, EDGE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">points</text>',
        '<text x="8" y="16">seconds</text>',
    ]
    for power, at in x.marks:
        parts += [
            f'<path d="M{at:.1f} {EDGE}V{HEIGHT - BOTTOM}" stroke="#ddd"/>',
            f'<text x="{at:.1f}" y="{HEIGHT - 32}" text-anchor="middle">{10**power:,}</text>',
        ]
    for power, at in y.marks:
        parts += [
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - EDGE}" stroke="#ddd"/>',
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>',
        ]
    for column, (name, colour) in LINES.items():
        parts += _line([(x(n), y(s)) for n, s in series[column]], name, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _axis:
    """From a number to a place between low and high by its logarithm, and the powers of ten."""

    def __init__(self, values: Sequence[float], low: float, high: float):
        logs = [math.log10(v) for v in values]
        self.least, self.most = min(logs) - 0.2, max(logs) + 0.2
        self.low, self.high = low, high
        powers = range(math.ceil(self.least), math.floor(self.most) + 1)
        self.marks = [(power, self(10.0**power)) for power in powers]

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.least) / (self.most - self.least)
        return self.low + share * (self.high - self.low)


def _line(places: list[tuple[float, float]], name: str, colour: str) -> list[str]:
    if not places:
        return []
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    dots = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>' for a, b in places]
    a, b = places[-1]
    title = f'<text x="{a - 10:.1f}" y="{b - 8:.1f}" text-anchor="end" fill="{colour}">'
    return [f'<path d="M{path}" fill="none" stroke="{colour}"/>', *dots, f"{title}{name}</text>"]
