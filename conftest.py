"""Doctests of parts whose optional package is absent are left out, so that the core alone can be tested."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("matplotlib") else ["src/stripeless/plots/*.py"]
