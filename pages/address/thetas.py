"""θ₁ > θ₂ > θ₃, whatever an address says or a slider is moved to."""

from collections.abc import Mapping
from typing import Any


def ordered_thetas(values: Mapping[str, Any], moved: str) -> dict[str, float]:
    """All three after one of them moved: it pushes the others along, but none that is locked."""
    m, theta = int(moved[-1]), {i: values[f"theta{i}"] for i in (1, 2, 3)}
    for other in {1, 2, 3} - {m}:
        if f"theta{other}" in values["lock"]:
            limit = theta[other] + 0.01 * (other - m)
            theta[m] = (max if other > m else min)(theta[m], limit)
    t1, t2, t3 = (round(theta[i], 2) for i in (1, 2, 3))
    if moved == "theta1":
        t1 = max(t1, 0.02)
        t2 = min(t2, t1 - 0.01)
        t3 = min(t3, t2 - 0.01)
    elif moved == "theta2":
        t2 = min(max(t2, 0.01), 0.99)
        t1, t3 = max(t1, t2 + 0.01), min(t3, t2 - 0.01)
    else:
        t3 = min(t3, 0.98)
        t2 = max(t2, t3 + 0.01)
        t1 = max(t1, t2 + 0.01)
    return {"theta1": round(t1, 2), "theta2": round(t2, 2), "theta3": round(t3, 2)}
