"""Small verifications, a fit and a page for the tests of charts and pages."""

import fcntl
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reports import Provenance, build_page
from reports.cli.main import run as run_command
from reports.page.shown_natural import ShownNatural
from reports.run_folder import read_run
from reports.simulated_fit import simulated_fit
from sim.experiments import EXPERIMENTS, run
from sim.runs import run as run_stream
from sim.streams import make_stream
from sim.verification import Verification
from theory.claims import CLAIMS


def thinned(values):
    """The middle and the last value of an axis."""
    return tuple(dict.fromkeys((values[len(values) // 2], values[-1])))


@pytest.fixture(scope="session")
def verifications(thin_episodes):
    """Every claim on a grid of a few cells, with the control rejected on each."""
    found = []
    for claim, whole in EXPERIMENTS.items():
        axes = {name: thinned(values) for name, values in whole.axes.items()}
        experiment = replace(whole, axes=axes)
        first, *further = (
            (played, run(played, seed=1))
            for played in (experiment, thin_episodes.get(claim))
            if played is not None
        )
        found.append(
            Verification(CLAIMS[claim], first[0], CLAIMS[claim].prove(), first[1], *further)
        )
    return found


@pytest.fixture(scope="session")
def outcomes(verifications):
    return {found.claim.id: found.outcome for found in verifications}


@pytest.fixture(scope="session")
def fit():
    return simulated_fit(seed=1)


@pytest.fixture(scope="session")
def provenance():
    return Provenance(
        command="bestbefore report -o 'a & b.html'",
        seed=1,
        versions={"python": "3.11", "numpy": "2.0"},
        platform="Linux x86_64",
        seconds=1.25,
        written=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        hashes={"fit.json": "ab" * 32},
    )


@pytest.fixture(scope="session")
def natural():
    """A small natural stream without routing."""
    made = make_stream("natural", seed=1, decisions=200)
    return ShownNatural(run_stream(made, routers=["none"], judges=["rules"]), "a small stream")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    """The folder of a run: two routers and two judges on a small natural stream."""
    stream, folder = tmp_path_factory.mktemp("stream") / "s", tmp_path_factory.mktemp("run") / "x"
    made = ["stream", "natural", "--decisions", "60", "-o", str(stream), "--quiet"]
    assert run_command(made) == 0
    routers, judges = ["--router", "none,bm25-text,decisive"], ["--judge", "rules,weak"]
    assert run_command(["run", str(stream), *routers, *judges, "-o", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="session")
def saved_run(run_folder):
    return read_run(run_folder)


@pytest.fixture(scope="session")
def page(verifications, fit, natural, saved_run, provenance):
    """A page of small grids and a small run."""
    return build_page(
        verifications, fit=fit, natural=natural, runs=[saved_run], provenance=provenance
    )


@pytest.fixture(scope="session")
def default_page(tmp_path_factory, worker_id):
    """The page that the command writes by default, made once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = base if worker_id == "master" else base.parent
    path = folder / "default.html"
    with (folder / "default.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            assert run_command(["report", "-o", str(path), "--quiet"]) == 0
    return path
