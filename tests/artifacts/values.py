"""JSON values for Hypothesis."""

from hypothesis import strategies as st

texts = st.text(max_size=20) | st.sampled_from(["@", "@@", "@x", "@@x", "@x.a.0", "@x:2", "@x:2.a", "a@b.c", "@ x", ""])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts


def nested(leaves):
    return st.recursive(
        leaves,
        lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=8), parts, max_size=4),
        max_leaves=20,
    )


json_values = nested(scalars)
dirty_characters = st.characters(categories=["Cs", "Cc", "Lu", "So"]) | st.just("\0")
dirty_values = nested(scalars | st.text(dirty_characters, max_size=12))
