"""Which settings a sweep goes through: Γ × θ₁ × θ₂ × dense stage × readings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdsc_core.checks import check_number, check_several, shown
from sdsc_core.settings import RunSettings, read_setting, spell_setting

THETA_1 = (0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
THETA_2 = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
AXES = ("gamma", "theta1", "theta2", "dense", "residual", "similarity")
NAMES = {
    "gamma": "Γ",
    "theta1": "θ₁",
    "theta2": "θ₂",
    "dense": "dense stage",
    "residual": "residual",
    "similarity": "similarity",
}
MOST_VALUES = 200  # of one axis; a typing error such as 0:1:0.00001 would not end


@dataclass(frozen=True)
class Grid:
    """The values of each axis; all combinations of them are swept, each that differs once.

    θ₁ and θ₂ count for PCE alone, and pairs without θ₁ > θ₂ are left out. With ``cross``, a pair
    (θ₁, θ₂), not all pairs are taken but the two lines through it, as in Figure 2 of the paper.

    >>> len(Grid(gamma=(5, 6), theta1=(0.7, 0.8), theta2=(0.6, 0.7)).settings())
    6
    >>> len(Grid.figure2().settings())
    13
    """

    gamma: Sequence[int] = tuple(range(3, 13))
    theta1: Sequence[float] = THETA_1
    theta2: Sequence[float] = THETA_2
    dense: Sequence[str | None] = ("PCE",)
    residual: Sequence[str] = ("as_printed",)
    similarity: Sequence[str] = ("residual",)
    cross: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in AXES:
            values = check_several(getattr(self, name), name)
            if not values:
                raise ValueError(f"{name} is empty; give at least one value.")
            # Python's own numbers, which a script spells as they are.
            own = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
            object.__setattr__(self, name, own)
        if self.cross is not None:
            pair = check_several(self.cross, "cross")
            if len(pair) != 2:
                raise ValueError(
                    f"cross is {shown(self.cross)}; give a pair of θ₁ and θ₂, or None."
                )
            theta1, theta2 = (check_number(v, "cross", 0, 1) for v in pair)
            object.__setattr__(self, "cross", (theta1, theta2))

    @classmethod
    def figure2(cls, gamma: int = 5) -> "Grid":
        """The two lines of Figure 2: θ₁ with θ₂ = 0.6, and θ₂ with θ₁ = 0.8."""
        return cls(gamma=(gamma,), cross=(0.8, 0.6))

    def settings(self) -> list[RunSettings]:
        """Every setting once; those that share a W stand together."""
        found: dict[Any, RunSettings] = {}
        for residual in self.residual:
            for similarity in self.similarity:
                for gamma in self.gamma:
                    own: dict[str, Any] = {"residual": residual, "similarity": similarity}
                    for settings in self._of_one_w(gamma=gamma, **own):
                        found.setdefault(settings.dense_key(), settings)
        if not found:
            raise ValueError(
                "No θ₁ of the grid is above any θ₂; PCE needs θ₁ > θ₂, give other values."
            )
        return list(found.values())

    def _of_one_w(self, **own: Any) -> list[RunSettings]:
        made = []
        for dense in self.dense:
            if dense == "PCE":
                made += [
                    RunSettings(dense=dense, theta1=a, theta2=b, **own) for a, b in self._thetas()
                ]
            else:
                made.append(RunSettings(dense=dense, **own))
        return made

    def _thetas(self) -> list[tuple[float, float]]:
        if self.cross is None:
            pairs = [(a, b) for a in self.theta1 for b in self.theta2]
        else:
            pairs = [(a, self.cross[1]) for a in self.theta1]
            pairs += [(self.cross[0], b) for b in self.theta2]
        return [(a, b) for a, b in pairs if a > b]


def read_axis(name: str, text: str) -> tuple[Any, ...]:
    """The values of an axis as a command line or a field spells them.

    A list "3,5,8", or a span "3:12" or "0.65:0.95:0.05", its end included; a span goes in steps
    of 1 for Γ and of 0.05 for θ unless a third number says otherwise.

    >>> read_axis("gamma", "3:5"), read_axis("theta1", "0.7:0.9:0.1"), read_axis("dense", "none,D3")
    ((3, 4, 5), (0.7, 0.8, 0.9), (None, 'D3'))
    """
    values: list[Any] = []
    for part in text.replace(" ", "").split(","):
        values += _span(name, part) if ":" in part else [read_setting(name, part)]
    return tuple(dict.fromkeys(values))


def _span(name: str, text: str) -> list[Any]:
    parts = text.split(":")
    if name not in ("gamma", "theta1", "theta2") or len(parts) > 3:
        raise ValueError(f"{name} is {text!r}; give values with commas between them.")
    first, last = (read_setting(name, part) for part in parts[:2])
    usual = 1 if name == "gamma" else 0.05
    try:
        step = type(usual)(parts[2]) if len(parts) == 3 else usual
    except ValueError:
        step = 0
    if not step > 0 or last < first:
        raise ValueError(f"{name} is {text!r}; give FIRST:LAST:STEP, as in {_example(name)}.")
    count = int((last - first) / step + 1e-9) + 1
    if count > MOST_VALUES:
        raise ValueError(f"{name} is {text!r}, {count:,} values; give at most {MOST_VALUES}.")
    values = [first + k * step for k in range(count)]
    return values if name == "gamma" else [round(v, 6) for v in values]


def _example(name: str) -> str:
    return "3:12" if name == "gamma" else "0.65:0.95:0.05"


def spell_axis(values: Sequence[Any]) -> str:
    """Values as `read_axis` reads them; a span where they are evenly spaced whole numbers.

    >>> spell_axis((3, 4, 5)), spell_axis((0.7, 0.8)), spell_axis((None, "D3"))
    ('3:5', '0.7,0.8', 'none,D3')
    """
    whole = len(values) > 2 and all(isinstance(v, int) for v in values)
    if whole and list(values) == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}:{values[-1]}"
    return ",".join(map(spell_setting, values))


def describe(settings: RunSettings) -> str:
    """A setting in a line: Γ, dense stage, θ where it has them, readings other than the default.

    >>> describe(RunSettings(gamma=5)), describe(RunSettings(dense=None, similarity="pair"))
    ('Γ = 5, PCE, θ₁ = 0.8, θ₂ = 0.6', 'Γ = 6, no dense stage, similarity of the pair')
    """
    words = [f"Γ = {settings.gamma}", settings.dense or "no dense stage"]
    if settings.dense == "PCE":
        words += [f"θ₁ = {settings.theta1:g}", f"θ₂ = {settings.theta2:g}"]
    if settings.residual != "as_printed":
        words.append(f"{settings.residual} residual")
    if settings.similarity != "residual":
        words.append("similarity of the pair")
    return ", ".join(words)
