"""An episode as a cell: a stream of its own through one router and one judge, and its measures."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from sim.asking import Asking
from sim.axes import Axis, Names, check_counts, check_known
from sim.cells import Parameters, Value
from sim.episode import episode
from sim.grid import grid
from sim.measures import measure
from sim.runs import judge_named, judge_names, router_named, router_names
from sim.scoring import score
from sim.streams import STREAMS, parameters_of
from theory import BadInput

ROUTE: Parameters = {"router": "bm25-text", "k": 3, "judge": "rules", "lead": 0.0, "service": 0.0}
"""What happens to a stream, where a cell does not say otherwise."""
_STREAM = "indirect"
_NOT_SWEPT = ("traps", "standing", "exclude_stale")
"""Parameters of streams whose default is no number."""


def episode_cells(
    *,
    stream: Names = _STREAM,
    router: Names = str(ROUTE["router"]),
    k: Axis = 3,
    judge: Names = str(ROUTE["judge"]),
    lead: Axis = 0.0,
    service: Axis = 0.0,
    slots: Axis | None = None,
    **of_stream: Axis,
) -> list[Parameters]:
    """A grid of cells for `episode_cell`: streams with parameters of theirs x routers x judges.

    Each cell holds all its parameters, those of its stream by name; `slots` only if it is given.
    """
    check_counts(k=k, **({} if slots is None else {"slots": slots}))
    _check_names("router", router, router_names())
    _check_names("judge", judge, judge_names())
    _check_names("stream", stream, list(STREAMS))
    asked = {"router": router, "k": k, "judge": judge, "lead": lead, "service": service}
    slotted = {} if slots is None else {"slots": slots}
    return [
        cell
        for name in _listed(stream)
        for cell in grid(stream=name, **_of_stream(name, of_stream), **asked, **slotted)
    ]


def episode_cell(parameters: Parameters, rng: np.random.Generator) -> dict[str, Value]:
    """Make a stream, run it through a router and a judge, and measure.

    Parameters, each with a default: `stream` and the stream's own; `router`, `k`, `judge`; `lead`,
    `service` and `slots` of `sim.asking.Asking`. Results are those of `sim.measures.measure`; a
    share of no decisions has none.

    With `sim.swept.ROUTED` as `common`, routers and judges meet the same streams, and simulated
    judges draw alike.
    """
    stream = str(parameters.get("stream", _STREAM))
    own = _own(stream)
    check_known(parameters, ("stream", *ROUTE, "slots", *own))
    route = {**ROUTE, **parameters}
    making, judging = rng.spawn(2)
    made, gold = STREAMS[stream](
        making, **{name: parameters[name] for name in own if name in parameters}
    )
    slots = parameters.get("slots")
    played = episode(
        made,
        router_named(str(route["router"]), gold, k=int(route["k"])),
        judge_named(str(route["judge"]), gold, seed=int(judging.integers(2**63))),
        asking=Asking(
            lead=float(route["lead"]),
            service=float(route["service"]),
            slots=None if slots is None else int(slots),
        ),
    )
    [row] = measure(score(played, gold).decisions).iter_rows(named=True)
    return {name: value for name, value in row.items() if value is not None and name != "decisions"}


def _own(stream: str) -> dict[str, Axis]:
    """A stream's own parameters that can be swept, with their defaults."""
    return {
        name: value
        for name, value in parameters_of(stream).items()
        if name not in _NOT_SWEPT and isinstance(value, int | float)
    }


def _of_stream(stream: str, given: Mapping[str, Axis]) -> dict[str, Axis]:
    """The axes of a stream's own parameters."""
    own = _own(stream)
    for name, values in given.items():
        if name not in own:
            raise BadInput(
                name, values, f"is no parameter of {stream}, which takes {', '.join(own)}"
            )
    return {**own, **given}


def _check_names(field: str, names: Names, known: Collection[str]) -> None:
    for name in _listed(names):
        if name not in known:
            raise BadInput(field, name, f"must be one of {', '.join(known)}")


def _listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
