"""The section on what changed between two runs, paired by decision."""

from __future__ import annotations

import polars as pl

from reports.page.figure import Figure, Section, table
from reports.page.numbers import count, p_value, percent, plural, verb
from reports.page.run_tables import differ, shown
from reports.run_folder import SavedRun, check_comparable
from sim.comparison import FAMILY_ERROR, compare_runs

ID, SHORT = "compared", "Compared"


def compared_section(before: SavedRun, after: SavedRun) -> Section:
    """Each episode that both runs have, with an exact McNemar test.

    A `BadInput` refuses runs of different streams by one name and seed.
    """
    check_comparable(before, after)
    rows = shown(compare_runs(before.run.decisions, after.run.decisions))
    title = f"From the run {before.name} to the run {after.name}"
    if rows.is_empty():
        lead = "Nothing to compare: no stream, router, K and judge is in both runs."
        return Section(ID, title, SHORT, lead)
    changed = int((rows["gained"] + rows["lost"] > 0).sum())
    rejected = int(rows["rejected"].sum())
    alone = [
        f"{plural(_episodes(run) - rows.height, 'episode')} only in {run.name}"
        for run in (before, after)
        if _episodes(run) > rows.height
    ]
    return Section(
        ID,
        title,
        SHORT,
        (
            f"Both runs have {plural(rows.height, 'episode')}; in {count(changed)} some decision "
            f"came out otherwise, and {verb(rejected, 'differs', 'differ')} by more than chance"
            f"{'; ' + ' and '.join(alone) if alone else ''}."
        ),
        [
            Figure(
                id="compared-episodes",
                drawings=[],
                says=(
                    "Paired by decision: only those right in one run and wrong in the other tell "
                    f"two runs apart. Exact McNemar tests, with Holm at {percent(FAMILY_ERROR)} "
                    "over all rows."
                ),
                tables=[
                    table(
                        rows,
                        "Accuracy of each episode in both runs",
                        {
                            "shown": ("router", str),
                            "stream": ("stream", str),
                            "k": ("K", str),
                            "judged": ("judge", str),
                            "decisions": ("decisions", count),
                            "before": (f"right in {before.name}", percent),
                            "after": (f"in {after.name}", percent),
                            "gained": ("gained", count),
                            "lost": ("lost", count),
                            "p_value": ("p-value", p_value),
                            "rejected": ("by Holm", differ),
                        },
                    )
                ],
            )
        ],
    )


def _episodes(saved: SavedRun) -> int:
    return saved.run.decisions.select(pl.struct("stream", "router", "k", "judge")).n_unique()
