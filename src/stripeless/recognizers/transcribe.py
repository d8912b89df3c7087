"""Words from voices: pocketsphinx (with a grammar of digits, or its own small language model), or whisper when present."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import WeightsFile, known_weights, only_weights, sha256_of_weights
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE, Samples
from stripeless.errors import FileError, InputError, shown

DIGITS = ("zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
DIGIT_GRAMMAR = f"#JSGF V1.0; grammar digits; public <digits> = ({' | '.join(DIGITS)})+ ;"
INSERTION = 1e-4  # word insertion penalty; the default of 0.65 doubles digits


def is_digits(texts: list[str]) -> bool:
    """Whether every word is a digit, so that the grammar fits."""
    return bool(texts) and all(word in DIGITS for text in texts for word in text.lower().split())


def sphinx_model() -> WeightsFile:
    """The folder with the model that comes with pocketsphinx, if it is one on record."""
    need("pocketsphinx", "asr", "Transcribing with pocketsphinx")
    return known_weights("pocketsphinx", "pip install 'stripeless[asr]'", "Transcribing with pocketsphinx")


@cache
def sphinx(grammar: str, model: Path) -> Any:
    """A decoder with the model in this folder; without grammar, US English with its language model."""
    pocketsphinx: Any = need("pocketsphinx", "asr", "Transcribing with pocketsphinx")
    parts = {"hmm": str(model / "en-us"), "dict": str(model / "cmudict-en-us.dict"), "loglevel": "FATAL"}
    try:
        if not grammar:
            return pocketsphinx.Decoder(lm=str(model / "en-us.lm.bin"), **parts)
        decoder = pocketsphinx.Decoder(lm=None, wip=INSERTION, **parts)
    except (RuntimeError, ValueError) as error:
        raise FileError(
            model, f"cannot be loaded by pocketsphinx ({shown(error)}); install pocketsphinx again"
        ) from error
    decoder.add_jsgf_string("grammar", grammar)
    decoder.activate_search("grammar")
    return decoder


def transcribe_sphinx(samples: Samples, model: Path, grammar: str = "") -> str:
    """The words that pocketsphinx hears; empty where it hears none."""
    decoder = sphinx(grammar, model)
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


GRAMMARS = {"sphinx-digits": DIGIT_GRAMMAR, "sphinx": ""}
RECOGNIZERS = (*GRAMMARS, "whisper")


def need_recognizer(name: str) -> None:
    """Refuse a recognizer that is none, or that cannot run here: its package, its model, and jiwer, which counts the errors."""
    transcriber = Transcriber(name)
    if transcriber.name == "whisper":
        need("whisper", "whisper", f"{name!r}")
    else:
        sphinx_model()
    need("jiwer", "asr", "The word error rate")


@dataclass(frozen=True)
class Transcriber:
    """A recognizer by name, ready to travel to other processes.

    `weights` are those of its model: looked at before the work begins where they are on record (`with_weights`), None for
    those that whisper fetches and looks at by itself.
    """

    recognizer: str
    weights: WeightsFile | None = None

    def __post_init__(self) -> None:
        name, separator, model = self.recognizer.partition(":")
        if name not in RECOGNIZERS or (separator and (name != "whisper" or not model)):
            raise InputError(
                f"recognizer: expected one of {', '.join(RECOGNIZERS)} or whisper:PATH, got {self.recognizer!r}"
            )

    @property
    def name(self) -> str:
        """Without the model."""
        return self.recognizer.partition(":")[0]

    @property
    def model(self) -> str:
        """The path of a model of the user's, or a name that whisper knows; empty for the usual one."""
        return self.recognizer.partition(":")[2]

    def with_weights(self) -> Transcriber:
        """The same, with the weights that it will hear with."""
        if self.name in GRAMMARS:
            return replace(self, weights=sphinx_model())
        if self.model and Path(self.model).is_file():
            return replace(self, weights=WeightsFile(Path(self.model), sha256_of_weights(self.model)))
        return self

    @property
    def identity(self) -> str:
        """Changes whenever the words would: it names the folder of the cache, so it holds no separators."""
        known = self.weights or self.with_weights().weights
        if known is not None:
            return f"{self.name}-2-{known.sha256[:16]}"
        return f"{self.name}-2" + (f"-{hashlib.sha256(self.model.encode()).hexdigest()[:16]}" if self.model else "")

    def __call__(self, utterance: Utterance) -> str:
        samples = utterance.read(RATE).samples
        if self.name in GRAMMARS:
            known = self.weights or sphinx_model()
            return transcribe_sphinx(samples, known.path, GRAMMARS[self.name])
        return transcribe_whisper(samples, self.model) if self.model else transcribe_whisper(samples)
