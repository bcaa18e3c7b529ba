"""Presets: each is a state of the app that shows one thing."""

from dataclasses import dataclass, field
from typing import Any

from pages.shared.settings import METHOD, PREPARE, defaults


@dataclass(frozen=True)
class Preset:
    """A name, what to look for, and the settings that differ from the paper's."""

    title: str
    look: str
    values: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        return defaults(*METHOD, *PREPARE, "clusters", "k", "order", "point") | self.values


PRESETS = [
    Preset(
        "Faces",
        "Six faces under 64 lights. PCE fills the diagonal blocks; the rest stays nearly empty.",
        {"data": "faces"},
    ),
    Preset(
        "Clean subspaces",
        "No noise, yet six dimensions in ten meet each other often: W has entries off the blocks.",
        {"data": "subspaces", "gamma": 6},
    ),
    Preset(
        "Digits",
        "Five digits. Look at which class is torn, and at the images framed in the gallery.",
        {"data": "digits", "gamma": 6},
    ),
    Preset(
        "Moving bodies",
        "Tracks of three rigid bodies. Centring (Residual) changes which picks are right.",
        {"data": "motion", "gamma": 4},
    ),
    Preset(
        "Noise",
        "With noise the correlations fall below θ₁. Lower both θ to give PCE something to work on.",
        {"data": "noise"},
    ),
    Preset(
        "Overlapping subspaces",
        "The subspaces share directions, so no method can part all points; ACC stays low.",
        {"data": "overlap"},
    ),
]
