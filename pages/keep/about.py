"""What the menu says about the program: version, how to cite it, the paper, help, licence."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from sdsc_core import __version__

HOME = Path(__file__).parents[2]  # of app.py, in a checkout and in a wheel


@lru_cache
def citation() -> dict[str, Any]:
    """What CITATION.cff says of the paper: title, authors, year, journal, url.

    The file is our own, so a line of YAML is all that has to be understood of it.
    """
    text = (HOME / "CITATION.cff").read_text("utf-8").partition("preferred-citation:")[2]
    found: dict[str, Any] = dict(re.findall(r"^  ([a-z]+): (.+)$", text, re.MULTILINE))
    families = re.findall(r"family-names: (.+)", text)
    given = re.findall(r"given-names: (.+)", text)
    found["authors"] = list(zip(given, families, strict=True))
    return found


def bibtex() -> str:
    """The paper as BibTeX."""
    c = citation()
    authors = " and ".join(f"{family}, {given}" for given, family in c["authors"])
    return (
        f"@article{{{c['authors'][0][1].lower()}{c['year']}sdsc,\n  title = {{{c['title']}}},\n"
        f"  author = {{{authors}}},\n  journal = {{{c['journal']}}},\n  year = {{{c['year']}}},\n"
        f"  url = {{{c['url']}}}\n}}"
    )


@lru_cache
def menu() -> Any:
    """The entries of Streamlit's menu; nothing is fetched, links wait for a click."""
    c = citation()
    authors = ", ".join(f"{given} {family}" for given, family in c["authors"])
    licence = (HOME / "LICENSE").read_text("utf-8").splitlines()
    text = f"""
**SDSC Explorer {__version__}**

A library and an app for *Sparse-Dense Subspace Clustering*.

**The paper** that it shows, and that you cite: {authors}: *{c["title"]}*. {c["journal"]},
{c["year"]}. [{c["url"].removeprefix("https://")}]({c["url"]})

```bibtex
{bibtex()}
```

When you publish what the program computed, name it with its version: SDSC Explorer {__version__}.

**Help**: the screen *Tour* shows around, *Words* explains the terms, the question marks explain
single controls. `sdsc --help` lists what the command line can do; the README that comes with the
program tells of the library.

**Licence**: {licence[0]}. {licence[2]}. Without warranty of any kind.
"""
    return {"About": text, "Get help": None, "Report a bug": None}
