"""Presets: each is a state of the app that shows one thing."""

from dataclasses import dataclass, field
from typing import Any

from pages.shared.settings import METHOD, PREPARE, defaults
from sdsc_core.settings import PRESETS as PRESETS_OF_RUNS


@dataclass(frozen=True)
class Preset:
    """A name, what to look for, and the settings that differ from the paper's."""

    title: str
    look_for: str
    values: dict[str, Any] = field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        return defaults(*METHOD, *PREPARE, "clusters", "k", "order", "point", "pair") | self.values


PRESETS = [
    Preset(
        "Faces",
        "Six faces under 64 lights. PCE triples the links inside the blocks; the rest stays empty.",
        {"data": "faces", "gamma": 5},
    ),
    Preset(
        "Clean subspaces",
        "No noise, yet six dimensions in ten meet each other often: W has links off the blocks.",
        {"data": "subspaces"},
    ),
    Preset(
        "Digits",
        "With the similarity of the pair PCE gains much; with that of the residual, little.",
        {"data": "digits", "similarity": "pair"},
    ),
    Preset(
        "Moving bodies",
        "Tracks of three rigid bodies: nearly every pick is right, and PCE fills most of a block.",
        {"data": "motion", "gamma": 4},
    ),
    Preset(
        "Noise",
        "W alone gives poor clusters, W* good ones. Raise θ₂ until PCE finds nothing to work on.",
        {"data": "noise"},
    ),
    Preset(
        "Overlapping subspaces",
        "The subspaces share three of four directions; links across the border stay, with any Γ.",
        {"data": "overlap"},
    ),
    Preset(
        "Where PCE hurts",
        "Strong links cross the border, and PCE multiplies them: compare ACC of W and of W*.",
        {"data": "overlap", "gamma": 3, "similarity": "pair"},
    ),
    Preset(
        "Γ too small",
        "One pick a point leaves the graph in pieces, so CONN is 0; raise Γ until it is one piece.",
        {"data": "motion", "gamma": 1},
    ),
    Preset(
        "All-round reading",
        "Not as printed: on Extended Yale B, USPS and MNIST IMC-P gains 3 to 4 points by it. The"
        " screen Paper, part Readings, has the study.",
        PRESETS_OF_RUNS["all-round"].changed(),
    ),
]
