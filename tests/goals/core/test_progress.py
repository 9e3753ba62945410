"""No progress: the counters are reset only by what they do not watch."""

from hypothesis import given
from hypothesis import strategies as st

from goals.progress import REVISIONS_IN_A_ROW, Evaluation, is_stuck, next_repeat, next_streak

evaluations = st.builds(Evaluation, on_track=st.booleans(), revise=st.booleans(), score=st.floats(0, 1))
ON_TRACK = Evaluation(on_track=True, revise=False, score=0.9)
REVISE = Evaluation(on_track=False, revise=True, score=0.2)
UNSURE = Evaluation(on_track=False, revise=False, score=0.5)


def test_three_in_a_row_are_stuck():
    streak = 0
    for number in range(1, 4):
        streak = next_streak(streak, REVISE)
        assert is_stuck(streak) == (number == REVISIONS_IN_A_ROW)


def test_only_an_evaluation_that_finds_it_on_track_resets_the_count():
    assert next_streak(2, ON_TRACK) == 0
    assert next_streak(2, UNSURE) == 2
    assert next_streak(2, Evaluation(on_track=True, revise=True, score=0.9)) == 3


@given(st.lists(evaluations, max_size=30))
def test_the_streak_counts_the_requests_since_the_goal_was_last_on_track(history):
    streak = 0
    for evaluation in history:
        streak = next_streak(streak, evaluation)
    since = history
    for place, evaluation in enumerate(history):
        if evaluation.on_track and not evaluation.revise:
            since = history[place + 1 :]
    assert streak == sum(evaluation.revise for evaluation in since)


@given(st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=30))
def test_repeats_are_the_length_of_the_last_run_of_one_fingerprint(history):
    previous, repeats = "", 0
    for fingerprint in history:
        repeats, previous = next_repeat(previous, fingerprint, repeats), fingerprint
    run = 1
    while run < len(history) and history[-1] and history[-1 - run] == history[-1]:
        run += 1
    assert repeats == run
