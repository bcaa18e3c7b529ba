"""Names from a file within Markdown and LaTeX: shown as they are, whatever they hold."""

import re

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "θ": r"$\theta$", "Γ": r"$\Gamma$", "±": r"$\pm$", "–": "--", "₁": r"$_1$", "₂": r"$_2$",
}  # fmt: skip


# Addresses, :names: of pictures and arrows are looked for after backslashes are gone: only a sign
# between their parts, which is not seen, keeps them from becoming links and pictures.
JOINER = "\u2060"
FOUND_LATE = re.compile(
    r"https?:(?=//)|www(?=\.)|@(?=[-\w]+\.)|:(?=[\w+/-]+:)|(?<!\S)[-<>~](?=[-=>])", re.IGNORECASE
)


def escape_markdown(text: str) -> str:
    """A name from a file as it is, whatever Markdown would make of it.

    >>> print(escape_markdown("a_b [x](y)"))
    a\\_b \\[x\\]\\(y\\)
    """
    one_line = re.sub(r"\s*[\n\r\v\f\x85\u2028\u2029]\s*", " ", text)
    apart = FOUND_LATE.sub(lambda found: found[0] + JOINER, one_line)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|$:<>~&])", r"\\\1", apart)


def escape_latex(text: str) -> str:
    """Any text as LaTeX prints it; the signs of our captions as its symbols.

    >>> print(escape_latex("50 % of a_b ± 1"))
    50 \\% of a\\_b $\\pm$ 1
    """
    return "".join(LATEX.get(sign, sign) for sign in text)
