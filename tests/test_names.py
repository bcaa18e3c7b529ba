"""Names with every special character go through every screen and every download as mere names."""

import ast
import csv
import io
import json
import re
from dataclasses import asdict, replace
from xml.etree import ElementTree

import numpy as np
import pytest
from google.protobuf.message import Message

from pages.compare import keeping
from pages.explore import downloads
from pages.shared.settings import defaults
from pages.shared.text import escape_markdown
from sdsc_core import compare, figures, run_stages
from sdsc_core.compare.escaping import JOINER
from sdsc_core.datasets import load, make_subspaces
from sdsc_core.session import Part, read_session, write_session
from sdsc_core.session.file import Session
from tests.load import SCREENS

# Markdown, HTML, SVG, LaTeX, CSV: whatever of these is not escaped would be more than a name.
EVIL = (
    "![zq](http:host.invalid)<img src=x onerror=zq><a href='http:host.invalid'>zq</a>$z^2$`zq`"
    '&lt;|*b*_i_~s~#h :red[c] \\textbf{zq} "q" %&^ é 漢 \u202e𝔛'
)
FORMULA = f"=cmd|'zq'!A0 {EVIL}"
FILE = f"{EVIL.replace('/', '')}.csv"
FOLDERS = {"": "explore", "densification": "inspect"}
MARKDOWN = re.compile(r"(?<!\\)!\[zq|(?<!\\)\]\(http|(?<!\\)<img|(?<!\\)\$z|(?<!\\)`zq|(?<!\\):red")
HTML = re.compile(r"<img src=x|<a href='http:host|onerror=zq>")
# Strings that Streamlit does not take for Markdown; the others are asked of as if they were.
PLAIN = {
    "id", "form_id", "options", "data", "value", "string_value", "default", "file_name", "url",
    "raw_value", "raw_values", "json_args", "placeholder", "query_string", "json", "mixed", "alt",
    "columns", "href", "code_text", "element_id", "formatted_value", "selected_text", "name",
}  # fmt: skip


def content():
    """Forty samples with such names: of columns, of samples, of classes."""
    made = make_subspaces(2, 2, 6, points_each=20, noise=0.05, random_state=1)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["who", f"a{EVIL}", *"bcdef", "label"])
    for k, (x, label) in enumerate(zip(made.X, made.labels, strict=True)):
        writer.writerow([f"{k}{EVIL}", *x.round(6), (FORMULA, f"-{EVIL}")[label]])
    return text.getvalue().encode()


@pytest.fixture(scope="module")
def data():
    return load(io.BytesIO(content()), name=FILE)


@pytest.fixture(scope="module")
def run(data):
    return run_stages(data)


def strings(message, path=""):
    """Every string in a message, with the names of the fields that lead to it."""
    for field, value in message.ListFields():
        several = value if field.is_repeated else [value]
        if isinstance(value, Message) or field.type == field.TYPE_MESSAGE:
            for one in several.values() if hasattr(several, "values") else several:
                if isinstance(one, Message):
                    yield from strings(one, f"{path}.{field.name}")
        elif field.type == field.TYPE_STRING:
            for one in several:
                yield f"{path}.{field.name}", str(one)


def wrong(kind, path, text):
    """Whether a text of a page holds a name that is more than a name."""
    if "zq" not in text:
        return False
    if kind == "html":
        return bool(HTML.search(text))
    if kind == "plotly_chart":
        return path.endswith(".spec") and bool(HTML.search(text.replace("\\u003c", "<")))
    return path.rpartition(".")[2] not in PLAIN and bool(MARKDOWN.search(text))


def texts(app):
    """Every text of a page, with the kind of its element and the fields that lead to it."""
    for node in app._tree:
        proto = getattr(node, "proto", None)
        for path, text in strings(proto) if isinstance(proto, Message) else ():
            yield node.type, path, text


def more_than_names(app):
    return [(kind, path, t[:300]) for kind, path, t in texts(app) if wrong(kind, path, t)]


def test_screens(app):
    app.switch_page("pages/data/page.py").run()
    app.file_uploader(key="upload").upload(FILE, content()).run()
    assert not app.exception and app.session_state["data"] == FILE
    bad = []
    for screen in SCREENS:
        app.switch_page(f"pages/{FOLDERS.get(screen, screen)}/page.py").run()
        assert not app.exception, (screen, app.exception[0].message)
        seen = 0
        for _, _, text in texts(app):
            seen += "zq" in text
        bad += [(screen, *found) for found in more_than_names(app)]
        assert seen or screen in ("words", "paper", "tour"), f"no name of the data is on {screen}"
    assert not bad


@pytest.fixture
def files(run, data):
    """The files of Explore by name; each is made as the button makes it."""
    chosen = defaults() | {"data": data.name, "only": "", "pair": (0, 21)}
    lines = downloads.load_lines(data.name, {data.name: (data.name, {}, "")})
    script = downloads.python_script(run, chosen, lines)
    return {
        "labels.csv": downloads.labels_csv(run),
        "settings.json": downloads.settings_json(run, chosen, lines),
        "affinity.html": downloads.affinity_html(run, "class"),
        "embedding.html": downloads.embedding_html(run),
        "reproduce.py": script,
        "reproduce.ipynb": downloads.notebook(script),
        "session.sdsc": write_session(Session({data.name: data}, {"data": data.name})),
    }


class TestDownloads:
    def test_tables(self, files, data):
        rows = list(csv.DictReader(io.StringIO(files["labels.csv"])))
        assert rows[3]["identifier"] == data.identifiers[3]
        assert {row["class"] for row in rows} == {f"'{FORMULA}", f"'-{EVIL}"}, "a formula"

    def test_json(self, files, data):
        kept = json.loads(files["settings.json"])
        assert kept["data"] == data.name and EVIL in kept["points"][0]

    @pytest.mark.parametrize("name", ["affinity.html", "embedding.html"])
    def test_pages(self, files, name):
        assert "zq" in files[name] and not HTML.search(files[name])

    def test_scripts(self, files, data):
        parts = ["".join(cell["source"]) for cell in json.loads(files["reproduce.ipynb"])["cells"]
                 if cell["cell_type"] == "code"]  # fmt: skip
        for text in (files["reproduce.py"], "\n".join(parts)):
            texts = [n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant)]
            assert data.name in texts

    def test_session(self, files, data):
        again = read_session(io.BytesIO(files["session.sdsc"]), name="s.sdsc")
        assert again.sets[data.name].digest == data.digest

    def test_figures_for_papers(self, run, data):
        sides = [("W", figures.projection(run.after.spectrum, 2, 2))]
        paper = figures.Paper(caption=f"of {data.name}")
        drawn = figures.paper_embedding(sides, data.labels, list(data.class_names), paper=paper)
        ElementTree.fromstring(figures.figure_file(drawn, "svg"))
        assert figures.figure_file(drawn, "pdf").startswith(b"%PDF")

    def test_tables_for_papers(self, data):
        from sdsc_core.compare.escaping import escape_latex

        assert re.search(r"(?<!\\)[$%#_&^~]", escape_latex(EVIL).replace("{}", "")) is None
        assert "\\textbf{" not in escape_latex(EVIL)


def test_markdown_shows_a_name_as_it_is():
    """Every sign that Markdown knows has a backslash; no line ends within a name."""
    said = escape_markdown("a&lt;b\n\n# c")
    assert said == r"a\&lt;b \# c"
    assert np.all([f"\\{sign}" in escape_markdown(EVIL) for sign in "![]()<>$`&|*_~#:\\{}"])


@pytest.mark.parametrize(
    "name",
    ["http://a.b", "HTTPS://a.b", "www.a.b", "x@a.b", ":smile:", ":material/home:", "a -> b"],
)
def test_what_is_found_after_backslashes_are_gone_is_taken_apart(name):
    """As the page does it: backslashes go first, then addresses, pictures and arrows are sought."""
    late = r"https?://|www(?=\.)|\w@\w+\.|:[\w/]+:|(^|\s)->"
    shown = escape_markdown(name).replace("\\", "")
    assert re.search(late, name, re.IGNORECASE) and not re.search(late, shown, re.IGNORECASE)
    assert shown.replace(JOINER, "") == name
    assert escape_markdown("12:30 a-b a@b 3 - 4") == r"12\:30 a\-b a@b 3 \- 4"


RESULT = compare.Result("IMC", "D1", 0, 0.5, None, 0.1, 0.0, 0.2, 1.5)


class TestWordsOfASession:
    """What the results in a session file say was written by whoever made the file."""

    def say(self, app, screen, kept, **address):
        app.query_params.update({"data": "unequal", **address})
        app.switch_page(f"pages/{screen}/page.py").run()
        next(b for b in app.button if b.label == "Run").click().run()
        for key, result in app.session_state[kept].items():
            app.session_state[kept][key] = replace(result, message=EVIL)
        return app

    def test_of_sweep(self, app):
        grid = {"grid_gamma": "3", "grid_theta1": "0.8", "grid_theta2": "0.6"}
        self.say(app, "sweep", "swept_settings", **grid)
        [outcome] = app.session_state["swept_settings"].values()
        app.session_state["chosen_setting"] = outcome.key
        app.run()
        assert any("zq" in c.value for c in app.caption) and not more_than_names(app)

    def test_of_compare(self, app):
        self.say(app, "compare", "cells", methods="KNN", stages="none").run()
        assert any("zq" in c.value for c in app.caption) and not more_than_names(app)

    def test_in_the_files_of_compare(self):
        [line] = csv.DictReader(io.StringIO(compare.to_csv([replace(RESULT, message=FORMULA)])))
        assert line["message"] == f"'{FORMULA}"

    @pytest.mark.parametrize("field", ["method", "dense"])
    def test_no_method_but_a_known_one(self, field):
        words = asdict(RESULT)
        with pytest.raises(ValueError, match=field):
            keeping.unpack(Part({"cells": [[["key"], words | {field: EVIL}]]}))
