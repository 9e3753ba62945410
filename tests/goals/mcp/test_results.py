"""What a server gives is kept without its secret, wherever that stands."""

import mcp_types as types
import pytest

from goals.mcp.results import HIDDEN, value_of


@pytest.mark.parametrize("secret", ["s3cret", "12345", 'of "quotes" {and} \\', "Schlüssel"])
def test_a_secret_is_read_in_no_text_name_number_or_link(secret):
    link = types.ResourceLink(type="resource_link", uri="https://example.org/a", name=f"key {secret}")
    given = {secret: [f"it is {secret}", {"deep": secret}, 12345, True, None, 1.5]}
    value = value_of([types.TextContent(type="text", text=f"say {secret}"), link], given, 5_000, secret).value
    number = HIDDEN if secret == "12345" else 12345
    assert value["structured"] == {HIDDEN: [f"it is {HIDDEN}", {"deep": HIDDEN}, number, True, None, 1.5]}
    assert (value["text"], value["parts"][0]["name"]) == (f"say {HIDDEN}", f"key {HIDDEN}")
