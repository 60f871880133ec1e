"""What a page holds, and that it can do nothing."""

import re
from html.parser import HTMLParser

#: What a page could do anything with is none of these: text, tables, drawings, the slider.
ALLOWED = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "p", "ul",
    "li", "section", "div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "strong",
    "sub", "sup", "figure", "figcaption", "details", "summary", "footer", "br", "span",
    "main", "script", "nav", "ol", "a", "dl", "dt", "dd", "b", "i", "small", "code", "input",
    "button", "output", "line", "circle", "svg", "defs", "g", "path", "use", "text", "clippath",
    "rect", "tspan", "pattern"}  # fmt: skip


class Page(HTMLParser):
    """Tags with their attributes, texts, and the cells of each row."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.text = []
        self.rows = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data):
        self.text.append(data)
        if self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1] += f" {data.strip()}"


def plain(text):
    """Its text in one line."""
    return " ".join("".join(Page(text).text).split()).replace("\u00a0", " ")


def assert_inert(text):
    """Nothing runs but the one script, nothing is asked for, no attribute holds a style."""
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= ALLOWED
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    blocks = [{"type": "application/json", "class": name} for name in ("positions", "places")]
    assert scripts in ([], [{}], [*blocks, {}])  # numbers, and the one script
    for tag, attributes in page.tags:
        assert "style" not in attributes, tag
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, key)
            if key in {"href", "xlink:href", "src", "action", "data"}:
                assert (value or "").startswith("#"), (tag, value)
            assert "url(" not in (value or "").replace("url(#", "")
    keys = [str(a["id"]) for tag, a in page.tags if tag not in ("path", "clippath") and "id" in a]
    assert len(set(keys)) == len(keys)
    return page


def asks_for_nothing(text):
    """No address stands in it but the names of formats."""
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert addresses <= {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"}
    assert "@import" not in text
