"""What a piece of a program looks like: a docstring, text, a count, the end of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

COUNTING = {"size", "ndim", "shape"}


def expressions_of(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that belong to a statement itself: not its blocks, not its type hints."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "body", "orelse", "finalbody", "handlers", "cases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr | ast.withitem):
                yield child


def defaults_of(arguments: ast.arguments) -> Iterator[ast.expr]:
    """The defaults of a function, but those of seeds, of which any is as good as another."""
    placed = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(placed[len(placed) - len(arguments.defaults) :], arguments.defaults, strict=True)]
    pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]  # type: ignore[arg-type]
    yield from (default for argument, default in pairs if default is not None and argument.arg != "seed")


def last_continues(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every `continue` that is the last thing a loop does."""
    last = body[-1] if body else None
    if isinstance(last, ast.Continue):
        yield last
    elif isinstance(last, ast.If | ast.With | ast.Try):
        skips = isinstance(last, ast.Try) and last.orelse  # then what follows the body is more than its end
        blocks = [[] if skips else last.body, getattr(last, "orelse", [])]
        blocks += [handler.body for handler in getattr(last, "handlers", ())]
        for block in blocks:
            yield from last_continues(block)


def is_docstring(node: ast.stmt) -> bool:
    """A docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_for_types(node: ast.stmt) -> bool:
    """What only the type checker, or `from module import *`, looks at."""
    if isinstance(node, ast.If) and (mentions(node.test, "TYPE_CHECKING") or mentions(node.test, "__name__")):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    subscripted = (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript | ast.BinOp)
        and mentions(node.value, "NDArray", "Literal", "Callable")
    )
    return "__all__" in names or subscripted


def mentions(node: ast.AST, *names: str) -> bool:
    """Does one of these names occur in it?"""
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def name_of(call: ast.Call) -> str:
    """The last part of the name that is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def of_text(node: ast.expr) -> bool:
    """Is it written text?"""
    if isinstance(node, ast.BinOp):
        return of_text(node.left) or of_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_arithmetic(*nodes: ast.expr) -> bool:
    """Could these be numbers? Lists and texts are added too, but taking one from another is an error in any case."""
    lists = ast.List | ast.ListComp | ast.Tuple | ast.Set | ast.Dict | ast.GeneratorExp
    branches = [
        branch for node in nodes for branch in ((node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,))
    ]
    return not any(of_text(branch) or isinstance(branch, lists) for branch in branches)


def is_count(node: ast.expr) -> bool:
    """Does it look like a whole number?"""
    if isinstance(node, ast.BinOp):
        return is_count(node.left) and is_count(node.right) and not isinstance(node.op, ast.Div)
    if isinstance(node, ast.Subscript):  # such as `rows.shape[0]`
        return is_count(node.value)
    if isinstance(node, ast.Call):
        return name_of(node) in ("len", "int", "round", "index")
    return (isinstance(node, ast.Constant) and type(node.value) is int) or (
        isinstance(node, ast.Attribute) and node.attr in COUNTING
    )
