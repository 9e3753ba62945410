"""Expressions over data, for verifiers: simpleeval with everything taken away that could act, escape or run on.

Names are plain JSON; functions and methods are on a list; work is bounded by length, nodes, steps, size and time.
"""

import ast
import json
import operator
import time
import warnings
from collections.abc import Callable, Set
from typing import Any

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from goals.verifiers.errors import ExpressionError

MAX_CHARACTERS, MAX_NODES = 2000, 300
MAX_STEPS, MAX_SIZE = 2_000_000, 20_000_000
MAX_SECONDS = 3.0  # of its own work: a busy machine is no fault of an expression's
_MAX_BITS, _MAX_JOIN = 10_000, 100_000
_METHODS = {
    str: {"lower", "upper", "strip", "split", "startswith", "endswith"},
    dict: {"get", "keys", "values", "items"},
}
_REFUSED = (ast.JoinedStr, ast.FormattedValue, ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def check_expression(expression: str, names: Set[str], functions: Set[str] = frozenset()) -> ast.Expression:
    """The parsed expression; ExpressionError when it is too large, refused, or uses a name that is not given."""
    if len(expression) > MAX_CHARACTERS:
        raise ExpressionError(f"an expression may have at most {MAX_CHARACTERS:,} characters.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"it cannot be read: {error}.") from error
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise ExpressionError(f"an expression may have at most {MAX_NODES} parts, this has {len(nodes)}.")
    if any(isinstance(node, _REFUSED) for node in nodes):
        raise ExpressionError("f-strings, lambdas and assignments are not allowed.")
    _check_names(nodes, names | functions)
    return tree


def _check_names(nodes: list[ast.AST], names: Set[str]) -> None:
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known = names | bound | set(FUNCTIONS) | {"true", "false", "null"}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in known:
            raise ExpressionError(f"{node.id!r} is not known; there is {', '.join(sorted(known - bound))}.")
        if isinstance(node, ast.Attribute) and not any(node.attr in allowed for allowed in _METHODS.values()):
            methods = ", ".join(sorted(set().union(*_METHODS.values())))
            raise ExpressionError(f".{node.attr} is not allowed; methods are {methods}; use data['{node.attr}'].")


def evaluate(expression: str, names: dict[str, Any], functions: dict[str, Callable[..., Any]] | None = None) -> Any:
    """What the expression gives over JSON values; ExpressionError for everything that goes wrong."""
    functions = functions or {}
    tree = check_expression(expression, set(names), set(functions))
    evaluator = _Evaluator({"true": True, "false": False, "null": None} | names, functions)
    try:
        return evaluator.eval(expression, tree.body)
    except ExpressionError:
        raise
    except KeyError as error:
        raise ExpressionError(f"there is no key {error}.") from error
    except (InvalidExpression, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ExpressionError(f"{error or type(error).__name__}.") from error
    except (RecursionError, MemoryError) as error:
        raise ExpressionError("it is too deep or too large.") from error


def plain(value: Any) -> Any:
    """A copy that is nothing but JSON, so that no object with a life of its own gets in."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise ExpressionError(f"the data is not plain JSON: {error}.") from error


class _Evaluator(EvalWithCompoundTypes):
    """simpleeval that counts: every step, and the size of everything that is made."""

    # simpleeval allows 10,000 rounds of all comprehensions together; steps, size and time bound them here.
    _max_count = property(lambda self: 0, lambda self, count: None)

    def __init__(self, names: dict[str, Any], functions: dict[str, Callable[..., Any]]):
        super().__init__(operators=OPERATORS, functions=dict(FUNCTIONS), names=names, allowed_attrs=_METHODS)
        self.functions = FUNCTIONS | functions
        self.ATTR_INDEX_FALLBACK = False
        for refused in _REFUSED:
            self.nodes.pop(refused, None)
        self._steps, self._made = 0, 0
        self._until = time.thread_time() + MAX_SECONDS

    def _eval(self, node: Any) -> Any:
        self._steps += 1
        if self._steps > MAX_STEPS or (self._steps % 64 == 0 and time.thread_time() > self._until):
            raise ExpressionError("it takes too many steps.")
        handler = self.nodes.get(type(node))
        if handler is None:
            raise ExpressionError(f"{type(node).__name__} is not allowed.")
        result = handler(node)
        if isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.Subscript):
            self._charge(result)
        return result

    def _eval_call(self, node: Any) -> Any:
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise ExpressionError("* is not allowed in a call.")
        if any(keyword.arg not in ("default", "key", "reverse", None) for keyword in node.keywords):
            raise ExpressionError("only default, key and reverse may be named in a call.")
        return super()._eval_call(node)

    def _charge(self, value: Any) -> None:
        self._made += len(value) if isinstance(value, str | list | dict | tuple | set) else 1
        if self._made > MAX_SIZE or time.thread_time() > self._until:
            raise ExpressionError("it makes too much data.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 64


def _numbers(name: str, act: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def checked(left: Any, right: Any) -> Any:
        if not (_is_number(left) and _is_number(right)):
            raise ExpressionError(f"{name} is for numbers only.")
        if _bits(left) + _bits(right) > _MAX_BITS:
            raise ExpressionError("the numbers are too large.")
        return act(left, right)

    return checked


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str | list | tuple) and isinstance(right, str | list | tuple):
        if len(left) + len(right) > _MAX_JOIN:
            raise ExpressionError("joining these makes something too long.")
        return left + right
    return _numbers("+", operator.add)(left, right)


def _round(number: Any, digits: int = 0) -> Any:
    if not _is_number(number) or not isinstance(digits, int) or not -20 <= digits <= 20:
        raise ExpressionError("round takes a number and at most 20 digits.")
    return round(number, digits) if digits else round(number)


def _sum(values: Any) -> Any:
    total: Any = 0
    for value in values:
        total = _add(total, value) if _is_number(value) else _refuse("sum is for numbers only.")
    return total


def _str(value: Any) -> str:
    if isinstance(value, list | dict | tuple | set):
        _refuse("str is for single values only.")
    return str(value)


def _int(value: Any) -> int:
    return int(value)


def _refuse(message: str) -> Any:
    raise ExpressionError(message)


OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: _add,
    ast.Sub: _numbers("-", operator.sub),
    ast.Mult: _numbers("*", operator.mul),
    ast.Div: _numbers("/", operator.truediv),
    ast.FloorDiv: _numbers("//", operator.floordiv),
    ast.Mod: _numbers("%", operator.mod),
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: lambda left, right: left is right,
    ast.IsNot: lambda left, right: left is not right,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "any": any,
    "all": all,
    "sum": _sum,
    "min": min,
    "max": max,
    "sorted": sorted,
    "set": set,
    "list": list,
    "abs": abs,
    "round": _round,
    "int": _int,
    "float": float,
    "str": _str,
    "bool": bool,
}
