"""Words from voices: pocketsphinx (with a grammar of digits, or its own small language model), or whisper when present."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE, Samples
from stripeless.errors import InputError

DIGITS = ("zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGIT_GRAMMAR = f"#JSGF V1.0; grammar digits; public <digits> = ({' | '.join(DIGITS)})+ ;"
INSERTION = 1e-4  # word insertion penalty; the default of 0.65 doubles digits


def is_digits(texts: list[str]) -> bool:
    """Whether every word is a digit, so that the grammar fits."""
    return bool(texts) and all(word in DIGITS for text in texts for word in text.lower().split())


@cache
def sphinx(grammar: str) -> Any:
    """A decoder; without grammar, US English with the package's language model."""
    pocketsphinx: Any = need("pocketsphinx", "asr", "Transcribing with pocketsphinx")
    if not grammar:
        return pocketsphinx.Decoder(loglevel="FATAL")
    decoder = pocketsphinx.Decoder(lm=None, wip=INSERTION, loglevel="FATAL")
    decoder.add_jsgf_string("grammar", grammar)
    decoder.activate_search("grammar")
    return decoder


def transcribe_sphinx(samples: Samples, grammar: str = "") -> str:
    """The words that pocketsphinx hears; empty where it hears none."""
    decoder = sphinx(grammar)
    pcm = np.clip(np.round(samples * 32767), -32768, 32767).astype("<i2").tobytes()
    decoder.reinit_feat()  # forgets the channel of the last recording: what is heard must not depend on the order
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    heard = decoder.hyp()
    return "" if heard is None else str(heard.hypstr).strip()


@cache
def whisper(model: str) -> Any:
    """A whisper model by name or path."""
    package: Any = need("whisper", "whisper", "Transcribing with whisper")
    return package.load_model(model)


def transcribe_whisper(samples: Samples, model: str = "base.en") -> str:
    """The words that whisper hears."""
    return str(whisper(model).transcribe(samples.astype(np.float32), language="en", temperature=0.0)["text"]).strip()


RECOGNIZERS: dict[str, Callable[[Samples], str]] = {
    "sphinx-digits": lambda samples: transcribe_sphinx(samples, DIGIT_GRAMMAR),
    "sphinx": transcribe_sphinx,
    "whisper": transcribe_whisper,
}


@dataclass(frozen=True)
class Transcriber:
    """A recognizer by name, ready to travel to other processes."""

    recognizer: str

    def __post_init__(self) -> None:
        if self.recognizer not in RECOGNIZERS:
            raise InputError(f"recognizer: expected one of {', '.join(RECOGNIZERS)}, got {self.recognizer!r}")

    def __call__(self, utterance: Utterance) -> str:
        return RECOGNIZERS[self.recognizer](utterance.read(RATE).samples)
