"""How a sweep tells how far it is: lines from time to time, or a bar on a terminal."""

import io
import os
import pty
import subprocess
import sys
import termios

import pytest
from tqdm import tqdm

from reports.cli.sweep_progress import BETWEEN_LINES, Lines, _move, sweep_progress
from sim.keeping import Tally


def test_lines_tell_cells_rate_time_left_and_failures(capsys):
    now = 0.0
    lines = Lines(lambda: now)
    for seconds, done in ((5.0, 30), (BETWEEN_LINES, 60), (15.0, 90), (2 * BETWEEN_LINES, 120)):
        now = seconds
        lines(Tally(total=1_020, kept=20, done=done, failed=3))
    assert capsys.readouterr().err.splitlines() == [
        "sweeping: 60 of 1,020 cells, 4 a second, 04:00 left, 3 failed",
        "sweeping: 120 of 1,020 cells, 5 a second, 03:00 left, 3 failed",
    ]


def test_nothing_is_said_before_there_is_something_to_say(capsys):
    now = 2 * BETWEEN_LINES
    Lines(lambda: now)(Tally(10, 5, 5, 0))
    assert capsys.readouterr().err == ""


def test_the_bar_begins_at_what_was_kept_and_counts_failures():
    screen = io.StringIO()
    with tqdm(desc="sweeping", unit=" cells", file=screen) as bar:
        _move(bar, Tally(100, 40, 40, 0))
        assert (bar.total, bar.initial, bar.n) == (100, 40, 40)
        _move(bar, Tally(100, 40, 70, 2))
        assert bar.n == 70
        bar.refresh()
    assert "70/100" in screen.getvalue()
    assert "2 failed" in screen.getvalue()


@pytest.mark.parametrize("quiet", [True, False])
def test_a_short_sweep_says_nothing(capsys, quiet):
    with sweep_progress(quiet=quiet) as follow:
        follow(Tally(2, 0, 0, 0))
        follow(Tally(2, 0, 2, 0))
    assert capsys.readouterr().err == ""


_BAR = """
import time
from reports.cli import sweep_progress
from sim.keeping import Tally
sweep_progress.PATIENCE = 0.0
with sweep_progress.sweep_progress(quiet=False) as follow:
    for done in range(11):
        follow(Tally(10, 0, done, done // 5))
        time.sleep(0.05)
"""


def test_a_terminal_shows_one_bar():
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    shown = subprocess.Popen([sys.executable, "-c", _BAR], stderr=theirs)
    assert shown.wait(60) == 0
    text = os.read(ours, 100_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "sweeping" in text
    assert "/10 [" in text
    assert "1 failed" in text
    assert "\n" not in text.strip("\r\n")
