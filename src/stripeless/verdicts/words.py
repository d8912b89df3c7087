"""The words of a verdict: who attacks, what a category means, shares as counts."""

from __future__ import annotations

# Who attacks, as the subject of a sentence.
WHO: dict[str, str] = {
    "ignorant": "An attacker who does not know that the speech was anonymized",
    "lazy-informed": "An attacker who uses the same anonymizer",
    "semi-informed": "An attacker who uses the same anonymizer and retrains on its output",
    "original": "Without any protection, an attacker",
}
ANYONE = "The attacker behind these scores"
BEST_INFORMED = "semi-informed"

# Table 1 of the ZEBRA paper, for an attacker who thought both answers equally likely.
CATEGORIES: dict[str, str] = {
    "0": "no evidence at all",
    "A": "weaker than 10 to 1",
    "B": "10 to 1 up to 100 to 1",
    "C": "100 to 1 up to 10,000 to 1",
    "D": "10,000 to 1 up to 100,000 to 1",
    "E": "100,000 to 1 up to 1,000,000 to 1",
    "F": "1,000,000 to 1 or more",
}


def known_attacker(name: str) -> str:
    """The name of a known attacker, however it is spelled; any other name as it is.

    >>> known_attacker("Semi informed"), known_attacker("lazy_informed"), known_attacker("mine")
    ('semi-informed', 'lazy-informed', 'mine')
    """
    spelled = name.strip().lower().replace("_", "-").replace(" ", "-")
    return spelled if spelled in WHO else name


def of_100(share: float) -> str:
    """A share as a count of a hundred.

    >>> of_100(0.513), of_100(0.001), of_100(0.999), of_100(0.0), of_100(1.0)
    ('51 of 100', 'fewer than 1 of 100', 'more than 99 of 100', 'none of 100', 'all of 100')
    """
    if share in (0.0, 1.0):
        return "all of 100" if share else "none of 100"
    if share <= 0.005:
        return "fewer than 1 of 100"
    return "more than 99 of 100" if share >= 0.995 else f"{share * 100:.0f} of 100"
