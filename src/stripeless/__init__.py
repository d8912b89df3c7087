"""How much of a person still shows in data meant to hide them.

    >>> import stripeless
    >>> stripeless.eer([2.0, 3.0, 4.0], [-1.0, 0.0, 2.5])
    0.3333333333333333

The public names are listed in `__init__.pyi`; each is imported when it is first used, so that `import stripeless` costs nothing.
"""


def _listed():  # type: ignore[no-untyped-def]
    """Name -> module, read from the stub: lines such as `from stripeless.measures.eer import eer as eer`."""
    with open(__file__.rpartition(".")[0] + ".pyi", encoding="utf-8") as stub:  # pathlib alone takes ten times as long
        parts = [line.split() for line in stub if line.startswith("from ")]
    return {words[3]: words[1] for words in parts}


_WHERE = _listed()
__all__ = [*sorted(_WHERE), "__version__"]


def __getattr__(name):  # type: ignore[no-untyped-def]
    if name == "__version__":
        from importlib.metadata import version

        value = version("stripeless")
    elif name in _WHERE or name == "errors":
        from importlib import import_module

        value = getattr(import_module(_WHERE[name]), name) if name in _WHERE else import_module("stripeless.errors")
    else:
        raise AttributeError(f"module 'stripeless' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():  # type: ignore[no-untyped-def]
    """The public names and nothing else."""
    return list(__all__)
