"""What every baseline shares: a name, parameters, and labels without a sparse stage."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress
from sdsc_core.checks import binary_scale, check_data, check_n_clusters, check_random_state
from sdsc_core.memory import check_memory
from sdsc_core.methods.base import Parameter, Value, check_settings


class Found(NamedTuple):
    """The clusters of a baseline (N,), numbered by first appearance, and W (N, N) if it has one."""

    labels: NDArray[np.int64]
    W: NDArray[np.float64] | None = None
    message: str = ""


@dataclass(frozen=True)
class Baseline:
    """A way from samples straight to clusters, to be beaten by the methods of two stages.

    It represents no point by others, so there is no C, and no dense stage applies. ``function``
    takes X, ``n_clusters``, ``random_state``, ``progress`` and the parameters by name.
    """

    name: str
    title: str
    function: Callable[..., Found]
    parameters: tuple[Parameter, ...]
    memory: Callable[[int, int], int]
    presets: dict[str, dict[str, Value]] = field(default_factory=dict)

    def settings(self, **params: Any) -> dict[str, Value]:
        """All parameters, checked, with the defaults of those not given."""
        return check_settings(self.name, self.parameters, params)

    def bytes_for(self, n: int, d: int) -> int:
        """As `Method.bytes_for`."""
        return self.memory(n, d)

    def cluster(
        self,
        X: Any,
        n_clusters: int,
        *,
        random_state: int = 0,
        progress: Progress | None = None,
        memory_limit: int | None = None,
        **params: Any,
    ) -> Found:
        """The clusters of X (N, D); refuses what would not fit into memory."""
        X = check_data(X)
        n_clusters = check_n_clusters(n_clusters, len(X))
        given = self.settings(**params)
        check_memory(self.bytes_for(*X.shape), self.name, len(X), memory_limit)
        seed = check_random_state(random_state)
        X = X / binary_scale(X)  # none of them depends on it
        return self.function(X, n_clusters, random_state=seed, progress=progress, **given)
