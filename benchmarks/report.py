"""The default experiment and its report: time taken, size of its page, when it can be read."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figure import Figure

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
OPENED = 5
"""How often the page is opened; the median counts."""


def measure(*, full: bool) -> list[Figure]:
    """Wall time of a fresh process, size, and time to first paint and to the first live chart."""
    del full
    command = str(Path(sys.executable).with_name("bestbefore"))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        started = time.perf_counter()
        subprocess.run([command, "report", "-o", str(page)], check=True, capture_output=True)
        seconds = time.perf_counter() - started
        size = page.stat().st_size
        cores = float(os.cpu_count() or 1)
        return [
            Figure("default experiment and report, s", seconds, 180, "at most", {"cores": cores}),
            Figure("its page, MB", size / 1e6, 4, "at most", {"bytes": size}),
            *_opened(page),
        ]


def _opened(page: Path) -> list[Figure]:
    """Medians over fresh tabs of headless Chromium; nothing without Chromium."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        print("report: its page was not opened, chromium is not installed")
        return []
    painted, alive = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        for _ in range(OPENED):
            tab = browser.new_page()
            tab.goto(page.as_uri())
            tab.locator(".chart").first.scroll_into_view_if_needed()
            tab.wait_for_selector(".chart[data-alive]")
            painted.append(_milliseconds(tab, "first-contentful-paint"))
            alive.append(_milliseconds(tab, "alive"))
            tab.close()
        browser.close()
    return [
        _median("page painted, s", painted, target=0.5),
        _median("first chart interactive, s", alive, target=2),
    ]


def _median(what: str, milliseconds: list[float], *, target: float) -> Figure:
    seconds = sorted(time / 1000 for time in milliseconds)
    measured = {"fastest, s": seconds[0], "slowest, s": seconds[-1]}
    return Figure(what, statistics.median(seconds), target, "at most", measured)


def _milliseconds(tab: Page, entry: str) -> float:
    """When the page's own clock says that something happened, from the start of loading."""
    found = tab.evaluate(f"performance.getEntriesByName('{entry}')[0].startTime")
    return float(found)
