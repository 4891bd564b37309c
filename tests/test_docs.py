"""The README and the pages of the documentation say what the code does: their examples run."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page):
    results = doctest.testfile(str(page), module_relative=False)
    assert results.failed == 0


def test_the_readme_has_examples():
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).attempted >= 10
