"""Exact search for the points most correlated with a residual; IMC, OMP and KNN use it.

Three strategies behind one interface: `tree` for few dimensions, `gram` where N² fits into memory,
`blocks` for all else; `choose` takes the cheapest. Each proposes every point that may be the best,
by a proved bound of its rounding, and `exact` decides in float64: the choice never changes a pick.
"""

from sdsc_core.search.choose import STRATEGIES, Rows, Search, make_search
from sdsc_core.search.exact import NOTHING, TIE, decide, dot

__all__ = ["NOTHING", "STRATEGIES", "TIE", "Rows", "Search", "decide", "dot", "make_search"]
