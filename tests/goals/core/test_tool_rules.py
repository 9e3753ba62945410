"""Which rule of the tool policy speaks: the most specific one."""

from hypothesis import given
from hypothesis import strategies as st

from goals.states import Permission, Risk
from goals.tool_rules import Rule, Rules

AUTO, ASK, DENY = Permission.AUTO, Permission.ASK, Permission.DENY
# From the most specific place to the least: tool, risk and goal of a rule.
PLACES = [("t", "", "own"), ("", "safe", "own"), ("t", "", "root"), ("", "safe", "root"), ("t", "", None)]
PLACES.append(("", "safe", None))


@given(st.lists(st.sampled_from([None, AUTO, ASK, DENY]), min_size=6, max_size=6))
def test_the_most_specific_rule_wins(said):
    rules = [Rule(word, *place) for word, place in zip(said, PLACES, strict=True) if word]
    ruling = Rules(rules).ruling("t", Risk.SAFE, ["own", "root"])
    assert ruling.permission == next((word for word in said if word), AUTO)
    assert ruling.rule == (rules[0] if rules else None)


def test_without_a_rule_only_dangerous_tools_ask():
    words = {risk: Rules().ruling("t", risk).permission for risk in Risk}
    assert words == {Risk.SAFE: AUTO, Risk.MODERATE: AUTO, Risk.DANGEROUS: ASK}


def test_rules_of_another_tool_risk_or_goal_say_nothing():
    rules = Rules([Rule(DENY, tool="other"), Rule(DENY, risk=Risk.DANGEROUS), Rule(DENY, tool="t", goal="another")])
    assert rules.ruling("t", Risk.SAFE, ["own", None]).permission == AUTO


def test_a_ruling_tells_where_it_comes_from():
    rules = Rules([Rule(DENY, tool="t"), Rule(ASK, risk=Risk.SAFE, goal="own")])
    assert rules.ruling("t", Risk.SAFE).because == "the site's rule for the tool t"
    assert rules.ruling("u", Risk.SAFE, ["own"]).because == "the goal's rule for safe tools"
    assert rules.ruling("u", Risk.SAFE).because == "the default for its risk"
