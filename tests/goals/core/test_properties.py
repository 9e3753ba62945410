"""What holds of any picture at all, also of one that no history of ours could have made."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from goals.decisions import Failure, FailureKind, Move, Perform, Spawn
from goals.engine import decide, settle
from goals.states import Begun, Decomposition, Kind, Mode, Predicate, Verdict, WaitsFor, is_legal, is_terminal
from goals.tree import CheckpointView, Condition, GoalView, Limits, Node, Snapshot, WatchView, apply
from tests.goals.core.build import NOW, C, G, S
from tests.goals.core.invariants import row_of

times = st.none() | st.integers(-100, 100).map(lambda seconds: NOW + timedelta(seconds=seconds))
verdicts = st.sampled_from(["", *Verdict])
failures = st.none() | st.builds(Failure, st.sampled_from(FailureKind), st.just("why"), st.booleans())
conditions = st.one_of(
    st.builds(Condition, st.just("has_evidence"), st.sampled_from("abc")),
    st.builds(Condition, st.just("after"), at=times),
    st.just(Condition("predicate_true")),
)
goals = st.builds(
    GoalView,
    id=st.just("goal"),
    status=st.sampled_from(G),
    mode=st.sampled_from([Mode.DRIVE, Mode.DRIVE, Mode.DRIVE, Mode.MONITOR]),
    preflight_due=st.booleans(),
    plan_due=st.booleans(),
    revise_reason=st.sampled_from(["", "off track"]),
    summary_due=st.booleans(),
    iteration=st.integers(1, 9),
    revision=st.integers(0, 6),
    attempt=st.integers(1, 4),
    since_evaluation=st.integers(0, 3),
    revise_streak=st.integers(0, 4),
    words=st.integers(0, 2),
    words_heard=st.integers(0, 2),
    repeats=st.integers(0, 4),
    verdict=verdicts,
    unachievable=st.sampled_from(["", "", "cannot"]),
    failure=st.none() | failures,
    wake_at=times,
    waits_for=st.sampled_from(["", *WaitsFor]),
    watch=st.builds(
        WatchView, interval=st.sampled_from([1.0, 60.0]), deadline=times, fired=st.integers(0, 2), quiet=st.booleans()
    ),
)


@st.composite
def trees(draw) -> tuple[Node, ...]:
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, 7))):
        parent = draw(st.sampled_from([n.id for n in nodes])) if nodes else None
        depth = next((n.depth + 1 for n in nodes if n.id == parent), 0)
        nodes.append(
            Node(
                id=number,
                predicate=draw(st.sampled_from([*Predicate, Predicate.COMPOSITE, Predicate.COMPOSITE])),
                status=draw(st.sampled_from([*S, S.ACTIVE, S.ACTIVE, S.ACTIVE])),
                parent=parent,
                plan=draw(st.sampled_from([1, 1, 1, 2])),
                replans=draw(st.sampled_from([0, 0, 1])),
                position=number,
                depth=depth,
                decomposition=draw(st.sampled_from(Decomposition)),
                depends_on=draw(st.frozensets(st.integers(0, 7), max_size=2)),
                done_when=draw(st.lists(conditions, max_size=2).map(tuple)),
                attempts=draw(st.integers(1, 4)),
                wake_at=draw(times),
                asked=draw(st.booleans()),
                reminded=draw(st.booleans()),
                must_answer=draw(st.sampled_from(["", "May I?"])),
                atomized=draw(st.sampled_from(["", "plan", "execute"])),
                worked=draw(st.booleans()),
                checked=draw(st.sampled_from([None, True])),
                failure=draw(st.none() | failures),
            )
        )
    return tuple(nodes)


@st.composite
def snapshots(draw) -> Snapshot:
    attempts = draw(st.integers(0, 4))
    active = CheckpointView(
        id="active",
        position=1,
        status=C.ACTIVE,
        attempts=attempts,
        root=draw(st.sampled_from([None, 0, 0, 0])),
        verdict=draw(verdicts),
        seconds=draw(st.sampled_from([0.0, 0.0, 601.0, 1e6])),
        begun=draw(st.sampled_from(Begun)),
    )
    around = [CheckpointView("before", 0, C.COMPLETED), CheckpointView("next", 2), CheckpointView("last", 3)]
    chosen = draw(st.lists(st.sampled_from([active, active, *around]), unique=True, max_size=4))
    evidence = draw(st.frozensets(st.sampled_from("abc")))
    return Snapshot(draw(goals), tuple(chosen), draw(trees()), evidence, Limits(parallel=draw(st.integers(1, 3))))


many = settings(max_examples=150, deadline=None)


@many
@given(snapshots())
def test_the_same_picture_gives_the_same_decisions(snapshot):
    assert decide(snapshot, NOW) == decide(snapshot, NOW)


@many
@given(snapshots())
def test_every_decision_is_legal_and_about_something_that_has_not_ended(snapshot):
    for decision in decide(snapshot, NOW):
        if isinstance(decision, Move):
            row = row_of(snapshot, decision.kind, decision.id)
            assert row.status == decision.before
            assert not is_terminal(decision.kind, row.status)
            assert decision.to is None or is_legal(decision.kind, decision.before, decision.to)


@many
@given(snapshots())
def test_performs_are_few_distinct_and_of_rows_at_work(snapshot):
    performs = [d for d in decide(snapshot, NOW) if isinstance(d, Perform)]
    assert len(performs) <= snapshot.limits.parallel
    assert len({p.target for p in performs}) == len(performs)
    nodes = {n.id: n for n in snapshot.nodes}
    for perform in (p for p in performs if p.target in nodes):
        assert nodes[perform.target].status == (S.WAITING if perform.action == "remind" else S.ACTIVE)
    assert not performs or snapshot.goal.status in {G.PLANNING, G.ACTIVE}


@many
@given(snapshots())
def test_repeated_application_settles_and_stays_settled(snapshot):
    found, _, decisions = settle(snapshot, NOW, limit=200)
    assert not any(isinstance(d, Move) for d in decisions)
    assert settle(found, NOW) == (found, [], decisions)
    assert len(decisions) == 1 or not any(isinstance(d, Spawn) for d in decisions)


@many
@given(snapshots())
def test_settling_is_the_application_of_its_moves(snapshot):
    found, moves, _ = settle(snapshot, NOW)
    for move in moves:
        snapshot = apply(snapshot, move)
    assert snapshot == found


@many
@given(snapshots())
def test_terminal_rows_never_move(snapshot):
    found, _, _ = settle(snapshot, NOW)
    for before, now in zip(snapshot.nodes, found.nodes, strict=True):
        assert before == now or not before.is_terminal
    for was, now in zip(snapshot.checkpoints, found.checkpoints, strict=True):
        assert was == now or not is_terminal(Kind.CHECKPOINT, was.status)
    assert snapshot.goal == found.goal or not snapshot.goal.is_terminal


@many
@given(snapshots())
def test_a_wait_that_begins_has_an_owner(snapshot):
    found, _, _ = settle(snapshot, NOW)
    for before, now in zip(snapshot.nodes, found.nodes, strict=True):
        if now.status == S.WAITING and before.status != S.WAITING:
            assert now.wake_at is not None
            assert now.wake_at > NOW
    if found.goal.status == G.WAITING and snapshot.goal.status != G.WAITING:
        waits = found.goal.waits_for
        assert waits == WaitsFor.QUESTION or (waits and found.goal.wake_at is not None)
        asked = any(n.asked and n.status == S.WAITING for n in found.nodes)
        assert asked or waits != WaitsFor.QUESTION
    if found.goal.status == G.PAUSED and snapshot.goal.status != G.PAUSED:
        assert found.goal.paused_for
        assert found.goal.reason


@many
@given(snapshots())
def test_a_goal_that_ends_says_how_and_why(snapshot):
    found, _, _ = settle(snapshot, NOW)
    if found.goal.is_terminal and not snapshot.goal.is_terminal:
        assert found.goal.outcome
        assert (found.goal.status == G.COMPLETED) == (found.goal.outcome == "achieved")
        assert found.goal.status != G.COMPLETED or found.goal.verdict == Verdict.MET


@many
@given(snapshots())
def test_a_parent_that_is_aggregated_has_the_children_it_needs(snapshot):
    found, _, decisions = settle(snapshot, NOW)
    for decision in decisions:
        if isinstance(decision, Perform) and decision.action == "aggregate":
            children = [c.status == S.ACHIEVED for c in found.children(decision.target)]
            parent = found.node(decision.target)
            assert any(children) if parent.decomposition == Decomposition.OR else all(children)


@many
@given(trees(), st.frozensets(st.sampled_from("abc")), st.booleans())
def test_later_time_and_more_evidence_never_bring_back_what_ended(nodes, evidence, later):
    snapshot = Snapshot(GoalView("goal", G.ACTIVE, plan_due=False), (CheckpointView("c", 0, C.ACTIVE, 1, 0),), nodes)
    first, _, _ = settle(snapshot, NOW)
    more = Snapshot(first.goal, first.checkpoints, first.nodes, evidence)
    second, _, _ = settle(more, NOW + timedelta(days=1) if later else NOW)
    ended = {n.id: n for n in first.nodes if n.is_terminal}
    assert all(n == ended[n.id] for n in second.nodes if n.id in ended)
