"""Profiles, markers and small grids that tests of several layers share."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings

# Derandomised: a run of the suite is the same on every machine; `full` looks at ten times as much.
_shared = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", max_examples=100, **_shared)
settings.register_profile("full", max_examples=1_000, **_shared)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if _is_full(config) else "default")


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether heavy counts run in full (`pytest -m full`) rather than at a tenth."""
    return _is_full(pytestconfig)


@pytest.fixture(scope="session")
def thin_episodes():
    """The claims' further experiments by claim, on grids thin enough for every day."""
    from sim.experiments import IN_EPISODES

    axes = {
        "factorisation": {
            "stream": ("indirect",),
            "router": ("related",),
            "judge": ("weak", "strong"),
        },
        "router-gain": {
            "stream": ("indirect",),
            "router": ("none", "decisive"),
            "judge": ("weak",),
        },
        "freshness-alone": {"stream": ("natural", "direct", "stress"), "replicate": (0,)},
    }
    return {
        claim: replace(experiment, axes=axes[claim]) for claim, experiment in IN_EPISODES.items()
    }


def _is_full(config: pytest.Config) -> bool:
    return config.getoption("markexpr") == "full"
