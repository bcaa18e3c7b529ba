"""Means over draws, with what they may be off by."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SURE = 2.0  # standard errors beyond which a difference counts


class Mean(NamedTuple):
    """A mean, its standard error, and of how many draws; also their median and deviation."""

    value: float
    error: float
    draws: int
    median: float = float("nan")
    deviation: float = float("nan")

    @classmethod
    def of(cls, values: Sequence[float], scale: float = 100) -> "Mean":
        """Of shares in %, unless another scale is given.

        >>> Mean.of([0.5, 0.7]).value, round(Mean.of([0.5, 0.7]).error, 1)
        (60.0, 10.0)
        """
        own = scale * np.asarray(values, float)
        error = own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else float("nan")
        return cls(
            round(float(own.mean()), 9), float(error), len(own), float(np.median(own)),
            float(own.std()),
        )  # fmt: skip

    @property
    def sign(self) -> int:
        """1 or -1 where it is above or below 0 by more than two standard errors, else 0.

        >>> Mean(3.0, 1.0, 20).sign, Mean(-1.0, 1.0, 20).sign
        (1, 0)
        """
        error = self.error if self.error == self.error else 0.0
        return int(np.sign(self.value)) if abs(self.value) > SURE * error else 0

    def __str__(self) -> str:
        known = f" ± {self.error:.1f}" if self.error == self.error else ""
        return f"{self.value:.1f}{known}"
