"""A page read back: its tables, texts, identifiers and links."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Tables as lists of rows, texts by section, attributes that point somewhere."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.ids, self.targets, self.tags = [], [], [], []
        self.section, self.texts = "", {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append((tag, values))
        if tag == "section":
            self.section = values["id"]
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.targets.append(values["href"])
        if tag == "table":
            self.tables.append((self.section, []))
        if tag == "tr":
            self.tables[-1][1].append([])
        self.open_cell = tag in ("td", "th")
        if self.open_cell:
            self.tables[-1][1][-1].append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.open_cell = False

    def handle_data(self, data):
        if self.open_cell:
            self.tables[-1][1][-1][-1] += data
        self.texts[self.section] = self.texts.get(self.section, "") + data

    open_cell = False


def tables_of(page, section):
    return [rows for where, rows in Reader(page).tables if where == section]
