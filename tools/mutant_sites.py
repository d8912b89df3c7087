"""Where a small change can be made to a module, and the module with that change.

Left out by construction is what no promise hangs on: docstrings, type hints, `__all__`, the text of errors, warnings,
findings and progress lines, help texts, seeds, and guards against division by zero. So are two comparisons that differ
only where two real numbers are equal: `<` becomes `<=` only where something is counted, and `>` elsewhere.
"""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from itertools import pairwise

from mutant_nodes import (
    defaults_of,
    expressions_of,
    is_arithmetic,
    is_count,
    is_docstring,
    is_for_types,
    last_continues,
    mentions,
    name_of,
    of_text,
)

KINDS = (
    "negated condition",
    "changed comparison",
    "swapped arguments",
    "changed constant",
    "dropped statement",
    "swapped operator",
)
SPOKEN = {"say", "tell", "echo", "warn", "warning", "info", "debug", "log", "progress", "secho"}
ORDERLESS = {
    "max",
    "min",
    "maximum",
    "minimum",
    "allclose",
    "isclose",
    "logaddexp",
    "hypot",
    "array_equal",
    "union1d",
    "cast",
    "isinstance",
    "getattr",
    "hasattr",
}
GUARDS = {"max", "maximum"}  # `max(1, n)` guards against nothing at all
DRAWN_FROM = {"default_rng", "RandomState", "SeedSequence", "TypeVar", "field"}
CLICK = {"option", "argument", "command", "group", "version_option", "Path", "File"}
CLICK_KEPT = {"default", "min", "max", "required", "nargs", "type"}
SILENT_KEYWORDS = {
    "help",
    "strict",
    "stacklevel",
    "copy",
    "indent",
    "ensure_ascii",
    "timeout",
    "daemon",
    "show_default",
    "max_iter",
    "metavar",
    "seed",
}
FREE_NAMES = re.compile(r"SEED|CHUNK|BYTES|WIDTH|TIMEOUT|MEMORY|BLOCK")
TINY = 1e-6

Function = ast.FunctionDef | ast.AsyncFunctionDef
OPERATORS: dict[type, tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
COMPARISONS: dict[type, tuple[str, str, str]] = {  # as written, where things are counted, elsewhere
    ast.Lt: ("<", "<=", ">"), ast.LtE: ("<=", "<", ">="), ast.Gt: (">", ">=", "<"), ast.GtE: (">=", ">", "<="),
    ast.Eq: ("==", "!=", "!="), ast.NotEq: ("!=", "==", "=="), ast.In: ("in", "not in", "not in"),
    ast.NotIn: ("not in", "in", "in"), ast.Is: ("is", "is not", "is not"), ast.IsNot: ("is not", "is", "is"),
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One small change: these bytes of the file become `new`.

    `lines` are those of which one runs when the changed code does; none where the change is made when the module is imported.
    What is `declared` (a default, a constant of the module) may be printed in the reference.
    """

    path: str
    kind: str
    line: int
    start: int
    end: int
    new: str
    lines: tuple[int, ...]
    declared: bool = False

    def applied(self, source: bytes) -> bytes:
        """The file with the change made."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    def shown(self, source: bytes) -> tuple[str, str]:
        """The changed line before and after; what spans several lines is drawn together into one."""
        first = source.rfind(b"\n", 0, self.start) + 1
        last = source.find(b"\n", self.end)
        before = source[first : last if last >= 0 else None]
        after = source[first : self.start] + self.new.encode() + source[self.end : last if last >= 0 else None]
        return tuple(" ".join(text.decode().split()) for text in (before, after))  # type: ignore[return-value]


def find_changes(source: bytes, path: str) -> list[Change]:
    """Every change that could be made to this module."""
    found = Finder(source, path)
    found.visit_body(ast.parse(source))
    return sorted(set(found.changes), key=lambda one: (one.start, one.end, one.kind, one.new))


def draw_changes(changes: list[Change], source: bytes, count: int, seed: int) -> list[Change]:
    """`count` of them, of every kind in turn; no two on the same bytes.

    The order is that of a digest of seed and change, so that the draw stays what it was when another line is edited.
    """
    by_kind: dict[str, list[Change]] = {}
    for change in sorted(changes, key=lambda one: digest(seed, one.path, one.kind, *one.shown(source))):
        by_kind.setdefault(change.kind, []).append(change)
    drawn: list[Change] = []
    while len(drawn) < count and any(by_kind.values()):
        for kind in sorted(by_kind, key=lambda kind: digest(seed, changes[0].path, kind, len(drawn))):
            free = [one for one in by_kind[kind] if all(one.end <= d.start or one.start >= d.end for d in drawn)]
            by_kind[kind] = free[1:]
            drawn += free[:1]
    return sorted(drawn[:count], key=lambda one: one.start)


def digest(*parts: object) -> str:
    """A short name for some values, the same on every machine."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


class Finder:
    """Walks a module, and notes every change on its way."""

    def __init__(self, source: bytes, path: str) -> None:
        self.source, self.path = source, path
        self.changes: list[Change] = []
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.statement: ast.stmt | None = None
        self.header: tuple[int, ...] = ()  # in the defaults of a function: the lines of that function
        self.inside = False  # a function
        self.last: set[ast.stmt] = set()  # every `continue` after which the loop would go on anyway

    # Places and texts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First and last byte of a node."""
        return (
            self.starts[node.lineno - 1] + node.col_offset,  # type: ignore[attr-defined]
            self.starts[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def text(self, node: ast.AST) -> str:
        """A node as it is written."""
        start, end = self.span(node)
        return self.source[start:end].decode()

    def note(self, kind: str, node: ast.AST, start: int, end: int, new: str) -> None:
        """Keep a change if the module still compiles with it."""
        lines = self.header
        if not lines and self.inside:
            lines = tuple(range(node.lineno, (node.end_lineno or node.lineno) + 1))  # type: ignore[attr-defined]
        declared = bool(self.header) or not self.inside
        change = Change(self.path, kind, node.lineno, start, end, new, lines, declared)  # type: ignore[attr-defined]
        try:
            compile(change.applied(self.source), self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return
        self.changes.append(change)

    def between(self, kind: str, node: ast.AST, left: ast.AST, right: ast.AST, old: str, new: str) -> None:
        """Replace the operator that stands between two nodes."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.source[start:end].decode()
        if gap.count(old) == 1 and "#" not in gap:
            at = start + len(gap[: gap.index(old)].encode())
            self.note(kind, node, at, at + len(old.encode()), new)

    # Statements

    def visit_body(self, node: ast.AST) -> None:
        """The statements of a module, class, function or block, without its docstring."""
        for name in ("body", "orelse", "finalbody"):
            for place, statement in enumerate(getattr(node, name, ())):
                if isinstance(statement, ast.stmt) and not (place == 0 and is_docstring(statement)):
                    self.visit_statement(statement)
        for handler in getattr(node, "handlers", ()):
            self.visit_body(handler)

    def visit_statement(self, node: ast.stmt) -> None:
        """One statement: drop it where that leaves something that runs, then what is inside it."""
        self.statement = node
        if is_for_types(node) or isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.Global):
            return
        if isinstance(node, Function | ast.ClassDef):
            self.visit_definition(node)
            return
        if isinstance(node, ast.For | ast.While):
            self.last |= set(last_continues(node.body))
        if self.droppable(node):
            self.note("dropped statement", node, *self.span(node), "pass")
        if isinstance(node, ast.If | ast.While):
            self.condition(node.test)
        if isinstance(node, ast.AugAssign) and type(node.op) in (ast.Add, ast.Sub) and is_arithmetic(node.value):
            old, new = OPERATORS[type(node.op)]
            self.between("swapped operator", node, node.target, node.value, f"{old}=", f"{new}=")
        if not isinstance(node, ast.Raise):
            for child in expressions_of(node):
                self.visit_expression(child)
        self.visit_body(node)
        if isinstance(node, ast.Match):
            for case in node.cases:
                self.visit_body(case)

    def visit_definition(self, node: ast.stmt) -> None:
        """Defaults of arguments and of command line options, then the body."""
        if isinstance(node, Function):
            inside = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            self.header = tuple(inside)
            for default in [*defaults_of(node.args), *node.decorator_list]:
                self.visit_expression(default)
            self.header = ()
        outside, self.inside = self.inside, self.inside or isinstance(node, Function)
        self.visit_body(node)
        self.inside = outside

    def droppable(self, node: ast.stmt) -> bool:
        """Can this statement be left out without a name going missing?"""
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Call) and name_of(node.value) not in SPOKEN
        if isinstance(node, ast.Assign):
            return all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
        return (
            isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Delete)
            and node not in self.last
        )

    # Expressions

    def condition(self, test: ast.expr) -> None:
        """The opposite of a condition."""
        if not mentions(test, "TYPE_CHECKING"):
            start, end = self.span(test)
            bare = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
            new = self.text(test.operand) if bare else f"not ({self.text(test)})"  # type: ignore[attr-defined]
            self.note("negated condition", test, start, end, f"({new})" if bare else new)

    def visit_expression(self, node: ast.AST) -> None:
        """Every change inside an expression."""
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.Call) and not self.visit_call(node):
            return
        if isinstance(node, ast.IfExp):
            self.condition(node.test)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                self.condition(test)
        elif isinstance(node, ast.Compare):
            self.comparison(node)
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and is_arithmetic(node.left, node.right):
            self.between("swapped operator", node, node.left, node.right, *OPERATORS[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            old, new = OPERATORS[type(node.op)]
            self.between("negated condition", node, node.values[0], node.values[1], old, new)
        elif isinstance(node, ast.Constant):
            self.constant(node)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr_context | ast.operator | ast.cmpop):
                self.visit_expression(child)

    def comparison(self, node: ast.Compare) -> None:
        """Another operator; the boundary moves only where it can matter."""
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            old, counted, other = COMPARISONS[type(operator)]
            new = counted if is_count(left) or is_count(right) else other
            self.between("changed comparison", node, left, right, old, new)
            left = right

    def constant(self, node: ast.Constant) -> None:
        """Another number, or the other truth value."""
        value = node.value
        targets = getattr(self.statement, "targets", None) or [getattr(self.statement, "target", None)]
        if any(isinstance(target, ast.Name) and FREE_NAMES.search(target.id) for target in targets):
            return
        if isinstance(value, bool):
            self.note("changed constant", node, *self.span(node), str(not value))
        elif isinstance(value, int):
            self.note("changed constant", node, *self.span(node), str(value + 1))
        elif isinstance(value, float) and (value == 0 or abs(value) >= TINY):
            self.note("changed constant", node, *self.span(node), repr(2 * value if value else 1.0))

    def visit_call(self, node: ast.Call) -> bool:
        """Swap neighboring arguments; False where the inside of the call is text or plumbing."""
        name = name_of(node)
        if name in SPOKEN or name in DRAWN_FROM:
            return False
        if name in CLICK:
            for keyword in node.keywords:
                if keyword.arg in CLICK_KEPT:
                    self.visit_expression(keyword.value)
            return False
        if name not in ORDERLESS:
            for first, second in pairwise(node.args):
                self.swap(node, first, second)
            values = [
                k.value
                for k in node.keywords
                if k.arg and isinstance(k.value, ast.Name | ast.Attribute | ast.Subscript)
            ]
            for first, second in pairwise(values):
                self.swap(node, first, second)
        self.visit_expression(node.func)
        for child in [*node.args, *(k.value for k in node.keywords if k.arg not in SILENT_KEYWORDS)]:
            if not (name in GUARDS and isinstance(child, ast.Constant) and child.value in (0, 1)):
                self.visit_expression(child)
        return False

    def swap(self, node: ast.Call, first: ast.expr, second: ast.expr) -> None:
        """Two arguments change places."""
        texts = self.text(first), self.text(second)
        if (
            isinstance(first, ast.Starred)
            or isinstance(second, ast.Starred)
            or texts[0] == texts[1]
            or of_text(first)
            or of_text(second)
        ):
            return
        (start, stop), (again, end) = self.span(first), self.span(second)
        self.note("swapped arguments", first, start, end, texts[1] + self.source[stop:again].decode() + texts[0])
