"""Words from voices: pocketsphinx (with a grammar of digits, or its own small language model), or whisper when present."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import only_weights
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE, Samples
from stripeless.errors import InputError, shown

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
    try:
        with only_weights():
            return package.load_model(model)
    except (OSError, RuntimeError, KeyError, EOFError, UnpicklingError) as error:
        first = shown((str(error).splitlines() or [type(error).__name__])[0])
        raise InputError(
            f"whisper: the model {model!r} cannot be loaded ({first}); give the path of one on this machine: --asr whisper:PATH"
        ) from error


def transcribe_whisper(samples: Samples, model: str = "base.en") -> str:
    """The words that whisper hears."""
    return str(whisper(model).transcribe(samples.astype(np.float32), language="en", temperature=0.0)["text"]).strip()


RECOGNIZERS: dict[str, Callable[[Samples], str]] = {
    "sphinx-digits": lambda samples: transcribe_sphinx(samples, DIGIT_GRAMMAR),
    "sphinx": transcribe_sphinx,
    "whisper": transcribe_whisper,
}


def need_recognizer(name: str) -> None:
    """Refuse a recognizer that is none, or that cannot run here: its package, and jiwer, which counts the errors."""
    package = Transcriber(name).recognizer.partition(":")[0].partition("-")[0]
    need(
        "whisper" if package == "whisper" else "pocketsphinx", "whisper" if package == "whisper" else "asr", f"{name!r}"
    )
    need("jiwer", "asr", "The word error rate")


@dataclass(frozen=True)
class Transcriber:
    """A recognizer by name, ready to travel to other processes."""

    recognizer: str

    def __post_init__(self) -> None:
        name, separator, model = self.recognizer.partition(":")
        if name not in RECOGNIZERS or (separator and (name != "whisper" or not model)):
            raise InputError(
                f"recognizer: expected one of {', '.join(RECOGNIZERS)} or whisper:PATH, got {self.recognizer!r}"
            )

    @property
    def identity(self) -> str:
        """Changes whenever the words would: it names the folder of the cache, so it holds no separators."""
        name, _, model = self.recognizer.partition(":")
        if not model:
            return f"{name}-2"
        path = Path(model)
        content = path.read_bytes() if path.is_file() else model.encode()
        return f"{name}-2-{hashlib.sha256(content).hexdigest()[:16]}"

    def __call__(self, utterance: Utterance) -> str:
        name, _, model = self.recognizer.partition(":")
        samples = utterance.read(RATE).samples
        return transcribe_whisper(samples, model) if model else RECOGNIZERS[name](samples)
