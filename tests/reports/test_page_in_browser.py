"""The page in headless Chromium: drawn, quiet, readable in light, dark, on a phone and on paper.

Skipped where Chromium is missing, unless BESTBEFORE_BROWSER_REQUIRED=1 says that it may not be.
"""

import csv
import os
import shutil
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
REQUIRED = os.environ.get("BESTBEFORE_BROWSER_REQUIRED") == "1"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS = {
    "light": DESKTOP,
    "dark": DESKTOP | {"color_scheme": "dark"},
    "phone": PHONE,
    "dark phone": PHONE | {"color_scheme": "dark"},
}
OPEN_ALL = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
BRING_ALIVE = """async () => {
    for (const chart of document.querySelectorAll(".chart")) {
        chart.scrollIntoView();
        while (!("alive" in chart.dataset)) {
            await new Promise((resume) => setTimeout(resume, 10));
        }
    }
    scrollTo(0, 0);
}"""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="needs Chromium: apt-get install chromium"
)


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM is not None, "BESTBEFORE_BROWSER_REQUIRED=1, but there is no chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def small_page(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@contextmanager
def opened(browser, path, **look):
    """The page, every chart alive, and what it complained of or asked for beside its own file."""
    context = browser.new_context(**look)
    tab = context.new_page()
    heard = []
    tab.on("console", lambda message: heard.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
    tab.on("request", lambda request: heard.append(f"request: {request.url}"))
    tab.goto(path.as_uri())
    tab.evaluate(BRING_ALIVE)
    yield tab, [line for line in heard if line != f"request: {path.as_uri()}"]
    context.close()


def count_charts(path):
    return path.read_text(encoding="utf-8").count('class="chart"')


def drawn(tab):
    """For each chart, its size and how many of its marks have an extent."""
    return tab.evaluate(
        """[...document.querySelectorAll(".chart")].map((chart) => {
            const box = chart.querySelector("svg").getBoundingClientRect();
            const marks = [...chart.querySelectorAll("svg path, svg line, svg text")];
            const seen = marks.filter((mark) => {
                const { width, height } = mark.getBoundingClientRect();
                return width + height > 0;
            });
            return [box.width, box.height, seen.length];
        })"""
    )


def test_the_default_page_is_drawn_without_a_complaint_or_a_request(browser, default_page):
    with opened(browser, default_page, **DESKTOP) as (tab, heard):
        charts = drawn(tab)
        assert len(charts) == count_charts(default_page) > 40
        for width, height, marks in charts:
            assert width > 300
            assert height > 150
            assert marks > 20
        assert tab.locator(".chart[data-alive]").count() == len(charts)
        assert heard == []


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_fits_its_window_and_is_quiet(browser, small_page, look):
    with opened(browser, small_page, **LOOKS[look]) as (tab, heard):
        tab.evaluate(OPEN_ALL)
        width, room = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= room
        assert len(drawn(tab)) == count_charts(small_page)
        assert heard == []


@pytest.mark.parametrize("look", ["light", "dark phone"])
def test_the_page_breaks_no_rule_of_accessibility(browser, small_page, look):
    with opened(browser, small_page, **LOOKS[look]) as (tab, _):
        tab.evaluate(OPEN_ALL)
        # The rows of a table are alike: three of each tell as much, in a fraction of the time.
        tab.evaluate(
            "document.querySelectorAll('tbody tr:nth-child(n + 4)').forEach((row) => row.remove())"
        )
        results = Axe().run(tab)
        assert results.violations_count == 0, results.generate_report()


def test_bringing_charts_alive_moves_nothing(browser, small_page):
    sizes = "[...document.querySelectorAll('.chart')].map((c) => c.getBoundingClientRect().height)"
    context = browser.new_context(**DESKTOP, java_script_enabled=False)
    still = context.new_page()
    still.goto(small_page.as_uri())
    before = still.evaluate(sizes)
    assert all(marks > 20 for _, _, marks in drawn(still))
    context.close()
    with opened(browser, small_page, **DESKTOP) as (tab, _):
        assert tab.evaluate(sizes) == pytest.approx(before, abs=0.5)


def test_dark_and_light_differ_by_style_alone(browser, small_page):
    ink = "getComputedStyle(document.querySelector('.chart svg text')).fill"
    paper = "getComputedStyle(document.body).backgroundColor"
    seen = {}
    for look in ("light", "dark"):
        with opened(browser, small_page, **LOOKS[look]) as (tab, _):
            seen[look] = (tab.evaluate(ink), tab.evaluate(paper), tab.inner_html("#ceiling"))
    assert seen["light"][0] != seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]
    assert seen["light"][2] == seen["dark"][2]


def test_a_dot_tells_its_numbers(browser, small_page):
    with opened(browser, small_page, **DESKTOP) as (tab, heard):
        dot = tab.locator("#ceiling .chart .mark-symbol path").nth(4)
        dot.scroll_into_view_if_needed()
        dot.hover()
        tip = tab.locator("#tooltip")
        tip.wait_for(state="visible")
        terms = tip.locator("dt").all_inner_texts()
        assert terms[-4:] == ["predicted", "measured", "low", "high"]
        tab.mouse.move(5, 5)
        tip.wait_for(state="hidden")
        assert heard == []


def test_claims_and_tables_open_from_the_keyboard(browser, small_page):
    with opened(browser, small_page, **DESKTOP) as (tab, _):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        tab.locator("#claim-exposure > summary").focus()
        tab.keyboard.press("Enter")
        assert tab.locator("#claim-exposure .proof").is_visible()
        tab.locator("#ceiling .numbers > summary").focus()
        tab.keyboard.press("Space")
        assert tab.locator("#ceiling table").is_visible()


def test_the_page_prints_in_ink_on_paper(browser, small_page):
    with opened(browser, small_page, **LOOKS["dark"]) as (tab, heard):
        pdf = tab.pdf(format="A4", margin={"top": "15mm", "left": "15mm", "right": "15mm"})
        assert pdf.startswith(b"%PDF")
        tab.emulate_media(media="print")
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(28, 30, 33)"
        assert not tab.locator("nav").is_visible()
        assert heard == []


def test_a_failed_claim_looks_different(browser, small_page, tmp_path):
    page = small_page.read_text(encoding="utf-8")
    assert 'class="no"' not in page
    doctored = tmp_path / "doctored.html"
    doctored.write_text(page.replace('class="yes"', 'class="no"', 1), encoding="utf-8")
    colour = "getComputedStyle(document.querySelector('.marks > span')).color"
    seen = []
    for path in (small_page, doctored):
        with opened(browser, path, **DESKTOP) as (tab, _):
            seen.append(tab.evaluate(colour))
    assert seen[0] != seen[1]


def test_a_story_is_picked_by_typing_by_the_buttons_and_by_a_link(browser, default_page):
    with opened(browser, default_page, **DESKTOP) as (tab, heard):
        told = tab.locator("#story-told h3")
        field = tab.locator("#story-id")
        first = told.inner_text()
        tab.locator("#story-after").click()
        tab.wait_for_function(
            "(id) => !document.querySelector('#story-told h3').textContent.includes(id)", arg=first
        )
        second = told.inner_text()
        assert field.input_value() == second
        tab.locator("#story-before").click()
        tab.wait_for_function(
            "(id) => document.querySelector('#story-told h3').textContent === id", arg=first
        )
        field.fill("d001")
        field.press("Enter")
        tab.wait_for_function("document.querySelector('#story-told h3').textContent === 'd001'")
        field.fill("nobody")
        field.press("Enter")
        tab.wait_for_function(
            "document.querySelector('#story-missing').textContent.includes('nobody')"
        )
        assert told.inner_text() == "d001"
        tab.evaluate("location.hash = '#story-d002'")
        tab.wait_for_function("document.querySelector('#story-told h3').textContent === 'd002'")
        assert heard == []


def test_tables_are_taken_as_csv_and_charts_as_svg(browser, small_page):
    with opened(browser, small_page, **DESKTOP, accept_downloads=True) as (tab, heard):
        tab.evaluate(OPEN_ALL)
        tables, charts = tab.locator("[data-table]").count(), tab.locator(".chart").count()
        assert tab.get_by_role("button", name="as CSV").count() == tables > 20
        assert tab.get_by_role("button", name="as SVG").count() == charts
        with tab.expect_download() as taken:
            tab.get_by_role("button", name="The factorisation of each episode, as CSV").click()
        text = taken.value.path().read_text(encoding="utf-8")
        assert taken.value.suggested_filename == "the-factorisation-of-each-episode.csv"
        rows = list(csv.reader(text.splitlines()))
        assert rows[0][0] == "router"
        assert len(rows) == 7
        assert len({len(row) for row in rows}) == 1
        with tab.expect_download() as taken:
            tab.get_by_role("button", name="as SVG").first.click()
        root = ElementTree.parse(taken.value.path()).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert [line for line in heard if not line.startswith("request: blob:")] == []
