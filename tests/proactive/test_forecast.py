from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from assistant.events import Answer
from assistant.memory.prototypes.model import Member
from assistant.proactive.forecast import HALF_LIFE, summarize_feedback
from assistant.proactive.suggestions import Stage, Suggestion
from tests.proactive.lives import BERLIN, daily
from tests.tables import each

from .test_offer_policy import suggestion

NOW = datetime(2026, 4, 1, 12, 0, tzinfo=BERLIN)
TEA = daily("tea", time(9))
ROUTINES = {TEA.id: TEA}
ROUNDING = 1e-9
ANSWERS = st.sampled_from([one for one in Answer if one is not Answer.NONE])
GIVEN = st.lists(st.tuples(ANSWERS, st.integers(0, 200)), max_size=12)


def answered(answer: Answer, days_ago: float, *, seen: bool = True, score: float = 0.5) -> Suggestion:
    then = NOW - timedelta(days=days_ago)
    one = suggestion(f"{answer} {days_ago}", stage=Stage.OVER, made=then)
    return replace(
        one,
        anchor="tea-3",
        answer=answer,
        answered=then,
        shown=then if seen else None,
        routine="an old name",
        score=score,
    )


def test_answers_reach_the_routine_that_holds_the_record_now() -> None:
    found = summarize_feedback([answered(Answer.ACCEPTED, 0)], ROUTINES, NOW)
    assert found.feedback[TEA.id].accepted == 0.5


def test_answers_about_routines_that_are_gone_count_for_nothing() -> None:
    assert (
        summarize_feedback([replace(answered(Answer.NOT_NOW, 0), anchor="gone")], ROUTINES, NOW).feedback
        == {}
    )


def test_what_nobody_saw_says_nothing() -> None:
    assert summarize_feedback([answered(Answer.LAPSED, 0, seen=False)], ROUTINES, NOW).feedback == {}


def test_answers_fade() -> None:
    old = summarize_feedback([answered(Answer.NOT_NOW, HALF_LIFE.days)], ROUTINES, NOW).feedback[TEA.id]
    new = summarize_feedback([answered(Answer.NOT_NOW, 0)], ROUTINES, NOW).feedback[TEA.id]
    assert old.rejected * 2 == new.rejected
    assert old.factor > new.factor


@given(GIVEN)
def test_two_refusals_on_end_silence_whatever_went_before(before: list[tuple[Answer, int]]) -> None:
    past = [answered(answer, days + 3) for answer, days in before]
    past += [answered(Answer.NOT_NOW, 2, score=0.7), answered(Answer.NOT_NOW, 1, score=0.7)]
    assert summarize_feedback(past, ROUTINES, NOW).quiet == {TEA.id}


@each(("score", "refusals"), [(0.9, 2), (0.7, 2), (0.5, 3), (0.35, 5)])
def test_the_less_likely_it_was_the_more_refusals_silence_a_routine(score: float, refusals: int) -> None:
    past = [answered(Answer.NOT_NOW, number + 1, score=score) for number in range(refusals)]
    assert summarize_feedback(past, ROUTINES, NOW).quiet == {TEA.id}
    assert not summarize_feedback(past[1:], ROUTINES, NOW).quiet


@each(("minutes", "is_quiet"), [(30, True), (90, False)])
def test_who_refuses_twice_and_does_it_within_the_hour_wants_no_offers(minutes: int, is_quiet: bool) -> None:
    past = [answered(Answer.NOT_NOW, number + 1, score=0.35) for number in range(2)]
    done = Member("by hand", NOW - timedelta(days=2) + timedelta(minutes=minutes), "home", 1.0)
    routines = {TEA.id: replace(TEA, members=(*TEA.members, done))}
    assert (TEA.id in summarize_feedback(past, routines, NOW).quiet) == is_quiet


def test_doing_it_again_lifts_the_silence_and_each_further_refusal_asks_for_more_of_it() -> None:
    refused = [answered(Answer.NOT_NOW, 10 - number, score=0.7) for number in range(3)]
    not_since, twice = ({TEA.id: daily("tea", time(9), days)} for days in (22, 24))
    assert summarize_feedback(refused[:2], not_since, NOW).quiet == {TEA.id}
    assert not summarize_feedback(refused[:2], twice, NOW).quiet
    assert summarize_feedback(refused, twice, NOW).quiet == {TEA.id}


@given(GIVEN)
def test_an_accepted_one_is_heard_again(before: list[tuple[Answer, int]]) -> None:
    past = [answered(answer, days + 3) for answer, days in before]
    assert not summarize_feedback([*past, answered(Answer.ACCEPTED, 1)], ROUTINES, NOW).quiet


@given(GIVEN)
def test_silence_ends_after_a_while(before: list[tuple[Answer, int]]) -> None:
    past = [answered(answer, days + HALF_LIFE.days) for answer, days in before]
    assert not summarize_feedback(past, ROUTINES, NOW).quiet


@given(GIVEN, st.sampled_from([Answer.NOT_NOW, Answer.LAPSED]))
def test_a_bad_answer_never_makes_a_routine_likelier(before: list[tuple[Answer, int]], bad: Answer) -> None:
    past = [answered(answer, days) for answer, days in before]
    found = summarize_feedback(past, ROUTINES, NOW).feedback.get(TEA.id)
    worse = summarize_feedback([*past, answered(bad, 0)], ROUTINES, NOW).feedback[TEA.id]
    assert worse.factor <= (found.factor if found else 1.0) + ROUNDING


@given(GIVEN, st.sampled_from([Answer.ACCEPTED, Answer.EDITED, Answer.DONE]))
def test_a_good_answer_never_makes_a_routine_less_likely(
    before: list[tuple[Answer, int]], good: Answer
) -> None:
    past = [answered(answer, days) for answer, days in before]
    found = summarize_feedback(past, ROUTINES, NOW).feedback.get(TEA.id)
    better = summarize_feedback([*past, answered(good, 0)], ROUTINES, NOW).feedback[TEA.id]
    assert better.factor >= (found.factor if found else 1.0) - ROUNDING
    assert 0 < better.factor <= 1
