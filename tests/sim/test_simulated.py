import math
from dataclasses import replace

import numpy as np
import pytest
from by_hand import Recorder, entry, labelled, notice
from hypothesis import given
from hypothesis import strategies as st

from llm.conformance import Case, check_judge
from routers import make_router
from routers.router import NotConforming
from sim import episode
from sim.oracles import make_oracle
from sim.profiles import PROFILES, Profile
from sim.simulated import Simulated, make_simulated
from sim.streams import RELATIONS, indirect
from theory import BadInput, strategies
from theory.inference import binomial_p_value

MADE = indirect(np.random.default_rng(0))


def cases():
    judge = Recorder("keep")
    episode(MADE.stream, make_router("broadcast"), judge)
    return [Case(*asked) for asked in judge.asked]


@pytest.mark.parametrize("name", PROFILES)
def test_every_simulated_judge_conforms(name):
    check_judge(
        lambda: make_simulated(name, MADE.gold, np.random.default_rng(1)),
        rng=np.random.default_rng(0),
        cases=cases(),
    )


def test_one_that_draws_anew_each_time_does_not_conform():
    class Drawing(Simulated):
        def judge(self, entry, notices):
            self._draws[entry.id] = float(rng.random())
            return super().judge(entry, notices)

    rng = np.random.default_rng(2)
    with pytest.raises(NotConforming, match="answers_alike"):
        check_judge(lambda: Drawing(PROFILES["weak"], MADE.gold, rng), rng=rng, cases=cases())


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_every_profile_says_where_its_rates_come_from(profile):
    assert len(profile.source) > 20
    judge = make_simulated(profile.name, MADE.gold, np.random.default_rng(1))
    assert judge.simulated
    assert judge.gold


relations = st.sets(st.sampled_from([it for it in RELATIONS if it != "decisive"]))
misread = st.fixed_dictionaries(
    {}, optional={relation: strategies.probabilities() for relation in RELATIONS[1:]}
)


@given(relations, misread, strategies.probabilities())
def test_chances_combine_as_independent_misreadings(delivered, rates, S):
    profile = Profile("any", S=S, misread=rates, source="a test")
    expected = 1 - math.prod(1 - rates.get(relation, 0.0) for relation in delivered)
    assert profile.chance(delivered) == pytest.approx(expected)
    assert profile.chance({*delivered, "decisive"}) == S
    assert profile.chance([]) == 0


def test_rates_must_be_probabilities():
    with pytest.raises(BadInput, match="S"):
        Profile("any", S=1.1, source="a test")
    with pytest.raises(BadInput, match="misread"):
        Profile("any", S=1.0, source="a test", misread={"namesake": -0.1})


def test_no_delivery_is_no_call_and_unrelated_news_misleads_nobody():
    one = labelled([entry("d1", 0, 9)], [notice("n1", 1), notice("n2", 2)], {"d1": (1, {})})
    always = Profile("any", S=1.0, source="a test", misread=dict.fromkeys(RELATIONS[1:], 1.0))
    judge = Simulated(always, one.gold, np.random.default_rng(0))
    assert judge.judge(one.stream.decisions[0], []).choice == "keep"
    assert judge.judge(one.stream.decisions[0], one.stream.notices).choice == "keep"


@pytest.mark.parametrize("relation", RELATIONS)
def test_switches_come_at_the_rate_of_the_relation(relation):
    """Null: each of 4,000 independent decisions switches with chance 0.3. Exact, at 1e-6 for each
    of 9 relations; the control, 0.25, is rejected.
    """
    count = 4_000
    one = labelled(
        [entry(f"d{number}", 0, 9) for number in range(count)],
        [notice("n1", 1)],
        {f"d{number}": (0, {"n1": relation}) for number in range(count)},
    )
    profile = Profile("any", S=0.3, source="a test", misread=dict.fromkeys(RELATIONS[1:], 0.3))
    judge = Simulated(profile, one.gold, np.random.default_rng(7))
    switched = sum(
        judge.judge(each, one.stream.notices).choice == "switch" for each in one.stream.decisions
    )
    assert binomial_p_value(switched, count, 0.3) > 1e-6
    assert binomial_p_value(switched, count, 0.25) < 1e-6


def test_routers_and_profiles_meet_the_same_draws():
    """A decision with more misleading news, or a judge with higher rates, switches where one with
    less does: common random numbers."""
    weak = PROFILES["weak"]
    weaker = replace(weak, misread={key: 1.2 * rate for key, rate in weak.misread.items()})

    def switched(router, profile):
        judge = Simulated(profile, MADE.gold, np.random.default_rng(5))
        decisions = episode(MADE.stream, router, judge).decisions
        standing = {it.decision for it in MADE.gold.truths.values() if not it.label}
        rows = decisions.select("decision", "choice").iter_rows()
        return {decision for decision, choice in rows if choice == "switch"} & standing

    few = switched(make_oracle("related", MADE.gold), weak)
    many = switched(make_router("broadcast"), weak)
    most = switched(make_router("broadcast"), weaker)
    assert few < many < most
