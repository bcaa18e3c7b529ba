"""Each step of IMC in a sentence, for someone who has not read the paper."""

from pages.shared.groups import Groups
from pages.shared.text import small_percent
from sdsc_core.tracing import Step, Trace

SIMILARITY = {
    "residual": "the size of that correlation",
    "pair": "the correlation of the two points themselves",
}


def of_trace(trace: Trace, by: Groups, residual: str, similarity: str) -> list[str]:
    """One text for each state of a trace."""
    whole = trace.steps[0].norm ** 2 or 1.0
    texts = []
    for step, after in zip(trace.steps, trace.steps[1:], strict=False):
        left = after.norm**2 / whole
        texts.append(
            f"{_pick(trace, step, by)} {_coefficient(trace, step, residual, similarity)}"
            f" Removing the share of point {step.pick} takes away"
            f" {small_percent(step.energy / whole)} of the point's energy;"
            f" {small_percent(left)} is left."
        )
    return [*texts, _end(trace, whole)]


def _pick(trace: Trace, step: Step, by: Groups) -> str:
    j = step.pick
    names = [str(by.names[by.of[p]]) for p in (trace.i, j)]
    if by.of[trace.i] == by.of[j]:
        verdict = f"It is of the same {by.one} ({names[0]}): a right pick."
    else:
        verdict = f"It is of another {by.one} ({names[1]}, not {names[0]}): a wrong pick."
    what = f"point {trace.i}" if step.gamma == 0 else f"what is left of point {trace.i}"
    sign = " (its sign does not count)" if step.rho < 0 else ""
    return (
        f"Step {step.gamma}: of all points, point {j} correlates most with {what},"
        f" ρ = {step.rho:.4f}{sign}. {verdict}".replace("= -", "= −")
    )


def _coefficient(trace: Trace, step: Step, residual: str, similarity: str) -> str:
    entry = f"row {trace.i}, column {step.pick}"
    if not step.again:
        return f"C gets c = {step.kept:.4f} at {entry}: {SIMILARITY[similarity]}."
    why = ""
    if residual == "as_printed":
        why = " It can come back because only its uncentred share was removed."
    larger = f"keeps the larger value, c = {step.kept:.4f}"
    if step.kept == step.coefficient and similarity == "residual":
        larger = f"takes the larger value, c = {step.kept:.4f}"
    return f"It was picked before:{why} C {larger}, at {entry}."


def _end(trace: Trace, whole: float) -> str:
    last, n = trace.steps[-1], len(trace.picks)
    picks = f"{n} pick{'s' * (n != 1)}"
    left = f"{small_percent(last.norm**2 / whole)} of the energy is left"
    if trace.ended == "constant":
        return (
            "This sample is constant: all its features are equal. Without variance there is no"
            " correlation (ρ would be 0/0), so it gets no picks and no links."
        )
    if trace.ended == "gamma":
        return f"The end: Γ allows {picks}, and they are made. {left}, and it is not used further."
    if trace.ended == "gone":
        return (
            f"Early stop after {picks}: nothing that varies is left (centred norm"
            f" {last.centred_norm:.0e}), so there is nothing to correlate with. {left}."
        )
    return f"Early stop after {picks}: no other point correlates with what is left. {left}."


def compare(first: Trace, second: Trace) -> str:
    """Where the two readings of the residual part."""
    a, b = first.picks, second.picks
    if a == b:
        return "Both readings pick the same points here, in the same order."
    same = next((g for g, (p, q) in enumerate(zip(a, b, strict=False)) if p != q), None)
    if same is None:
        return f"Both readings pick alike, but one stops earlier: {len(a)} and {len(b)} picks."
    shared = len(set(a) & set(b))
    before = "They part at once" if same == 0 else f"They agree up to step {same - 1}"
    return (
        f"{before}; in step {same} *as printed* picks point {a[same]} and *centred* picks point"
        f" {b[same]}. In the end they share {shared} of their picks."
    )
