"""The words of a report: each idea defined once, in plain language."""

from __future__ import annotations

TOOL_NAMES: dict[str, str] = {
    "stripeless": "stripeless",
    "kaldi": "Kaldi",
    "scikit_learn": "scikit-learn",
    "scikit_learn_folded": "scikit-learn, folded",
    "speechbrain": "SpeechBrain",
    "rocch": "convex hull",
}

FIGURES: dict[str, tuple[str, str]] = {
    "measures": (
        "Who learns how much",
        "Each dot is one measure of one attacker or system, each bar its 95 % interval. The solid line is chance, where "
        "an attacker learns nothing; the dotted line is unprotected speech, where that was measured.",
    ),
    "ece": (
        "What is left to learn, whatever the attacker believed before",
        "The highest hill, zero evidence, is the uncertainty of someone who learns nothing. The further a system's line "
        "lies below it, the more it gives away; the mean gap over all prior probabilities is the expected disclosure D_ECE.",
    ),
    "det": (
        "Missed matches against false accusations",
        "Every point is a threshold the attacker could choose. Toward the lower left mistakes of either kind are few; "
        "on the falling straight line the attacker guesses. The marker on the thin rising line is the equal error rate.",
    ),
    "scores": (
        "Where matches and strangers score",
        "If both hills lay on each other, scores would tell nothing. The dashed line, read on the right, says how surely "
        "each score gives a match away: 0 not at all, 1 for certain. Linkability is its average over matches.",
    ),
    "calibration": (
        "What a score is worth as evidence",
        "Above 0 a score speaks for the same person, below it against; 2 means 100 to 1. A triangle marks "
        "scores that only one class reached, where this test saw no limit.",
    ),
}

LIMITS: tuple[str, ...] = (
    "A measured attack is a lower bound. A better recognizer, more data about the person, or a new idea may find more.",
    "The numbers hold for these recordings, languages, devices and speakers. Other people may be easier to recognize: "
    "an average protects nobody in particular.",
    "Only the voice as the recognizer sees it was tested. What is said, when, where and over which channel can identify "
    "people too.",
    "The worst case grows with the size of the test, so categories of tests of different size do not compare.",
)

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("anonymizer", "A program that changes a recording so that its speaker is not recognized, while the words stay."),
    ("attacker", "Whoever tries to find out who speaks; here a speaker recognizer with stated knowledge."),
    (
        "calibration",
        "Turning scores into likelihood ratios that mean what they say; here by pool adjacent violators (PAV).",
    ),
    ("ceiling", "What the same trials give away without any protection: the original recordings."),
    ("chance", "The value of a measure for an attacker who learns nothing."),
    ("enrollment", "Recordings whose speaker the attacker knows."),
    ("equal error rate (EER)", "The rate at which missed matches and false accusations are equally frequent."),
    ("false alarm", "Two different people taken for the same one."),
    ("hit rate", "The share of matches that the attacker finds."),
    (
        "interval",
        "A range for the true value. It is called 95 %, but in simulated tests of about 30 speakers it held the truth about "
        "9 times in 10; where speakers are unknown and trials are drawn, only 4 to 7 times in 10 (but near chance about 9).",
    ),
    (
        "likelihood ratio (LR)",
        "How many times more likely a score is if both recordings are of one person than if not.",
    ),
    ("linkability", "How surely a score gives a match away, averaged over matches."),
    ("measure", "A number computed from scores."),
    ("nontarget", "A trial of two different people (elsewhere: non-mated, impostor)."),
    ("reach", "The largest value that this many trials could have shown."),
    ("score", "The attacker's number for a pair of recordings; higher means more alike."),
    ("target", "A trial in which both recordings are of the same person (elsewhere: mated, genuine)."),
    ("trial", "One comparison of enrollment with one recording."),
    ("zero evidence", "An observation that changes nobody's mind: a likelihood ratio of 1. Perfect privacy."),
)
