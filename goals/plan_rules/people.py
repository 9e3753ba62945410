"""What a plan may ask of people."""

from collections.abc import Iterator

import jsonschema
from jsonschema.exceptions import SchemaError

from goals.plan_rules.known import Known
from goals.plan_rules.nodes import Node
from goals.states import Predicate
from goals.verifiers.schemas import check_schema


def asking_errors(node: Node, known: Known) -> Iterator[str]:
    """Yield why a question could never be answered: the schema of its answer is none."""
    schema = node.args.get("schema")
    if node.predicate != Predicate.GATHER_INFO or schema is None:
        return
    if not isinstance(schema, dict):
        yield f"{node.path}.args.schema: must be a JSON schema, an object"
        return
    try:
        if known.reviewed:
            jsonschema.Draft202012Validator.check_schema(schema)
        else:
            check_schema(schema)
    except SchemaError as error:
        yield f"{node.path}.args.schema: is not a JSON schema: {error.message}"
    except ValueError as error:
        yield f"{node.path}.args.schema: {str(error).removeprefix('json_schema ')}"
