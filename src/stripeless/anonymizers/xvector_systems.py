"""The systems of the x-vector family, one line each: Table 1 of the VoicePrivacy 2020 supplement, and one of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Given = Literal["pseudo", "own"]


@dataclass(frozen=True)
class System:
    """`pseudo`: whose voice (a system of protections.pseudo; "" is the speaker's own). `content`: the features of what is
    said. `acoustic` and `waveform`: which voice either model is given. `pitch`: kept, moved to the
    pseudo-speaker's, or smoothed as well; `tempo` and `level`: kept, or moved to everybody's.
    """

    system: str
    changes: str
    source: str
    pseudo: str = "b1"
    content: str = "frames"
    acoustic: Given = "pseudo"
    waveform: Given = "pseudo"
    pitch: str = "keep"
    tempo: str = "keep"
    level: str = "keep"
    options: Mapping[str, Any] = field(default_factory=dict)


SYSTEMS: dict[str, System] = {
    "b1": System("B1", "voice: mean of 100 of the 200 least alike", "Srivastava et al. 2020"),
    "a1": System("A1", "voice: regressions onto an unlike cluster", "Mawalim et al. 2020", "a1"),
    "a2": System("A2", "voice: singular values of an unlike cluster", "Mawalim et al. 2020", "a2"),
    "k2": System("K2", "voice: somebody, likelier the more alike (epsilon 20)", "Han et al. 2020", "k2"),
    "m1": System("M1", "as B1; content learned on sequences", "Champion et al. 2020", content="sequence"),
    "m1c1": System("M1c1", "as M1; content unlearned to name the speaker", "Champion et al. 2020", content="adversarial"),
    "m1c2": System(
        "M1c2", "nothing (copy synthesis)", "Champion et al. 2020", "", "sequence", acoustic="own", waveform="own"
    ),
    "m1c3": System("M1c3", "as M1, own voice to the waveform model", "Champion et al. 2020", "b1", "sequence", waveform="own"),
    "m1c4": System("M1c4", "as M1, own voice to the acoustic model", "Champion et al. 2020", "b1", "sequence", acoustic="own"),
    "o1": System("O1", "voice: drawn from the distribution of voices", "Turner et al. 2020", "o1"),
    "o1c1": System("O1c1", "voice: drawn until it is unlike", "Turner et al. 2020", "o1c1"),
    "s1": System("S1", "voice: B1's through an adversarial auto-encoder", "Espinoza-Cuadros et al. 2020", "s1"),
    "s1c1": System("S1c1", "voice: an adversarial auto-encoder", "Espinoza-Cuadros et al. 2020", "s1c1"),
    "s2": System("S2", "as S1, other settings", "Espinoza-Cuadros et al. 2020", "s2"),
    "s2c1": System("S2c1", "as S1c1, other settings", "Espinoza-Cuadros et al. 2020", "s2c1"),
    "crowd": System(
        "", "voice: anybody's, far from each other's; pitch and tempo that voice's", "this project", "apart",
        pitch="smooth", tempo="move", level="move",
    ),
}  # fmt: skip
