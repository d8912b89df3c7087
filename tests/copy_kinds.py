"""What happens to a recording that is copied: louder, later, coarser, compressed, cut."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np

from stripeless.audio.recordings import RATE, Samples

Change = Callable[[Samples], Samples]


def through_mp3(sound: Samples) -> Samples:
    """MP3 at about 50 kbit/s; needs soundfile."""
    import soundfile

    buffer = io.BytesIO()
    how = {"format": "MP3", "subtype": "MPEG_LAYER_III", "bitrate_mode": "CONSTANT", "compression_level": 0.72}
    soundfile.write(buffer, sound, RATE, **how)
    assert 40e3 < 8 * len(buffer.getvalue()) / (len(sound) / RATE) < 64e3
    buffer.seek(0)
    return np.asarray(soundfile.read(buffer)[0])


KINDS: dict[str, Change] = {
    "louder": lambda sound: 2 * sound,
    "softer": lambda sound: sound / 2,
    "clipped": lambda sound: np.clip(2 * sound, -1, 1),
    "nearly the same": lambda sound: 1.0000005 * sound,
    "the other sign": lambda sound: -sound,
    "later": lambda sound: np.concatenate([np.zeros(RATE // 10), sound]),
    "earlier": lambda sound: sound[RATE // 10 :],
    "16 bits": lambda sound: np.round(32767 * sound) / 32768,
    "first part": lambda sound: sound[: 9 * len(sound) // 10],
    "last part": lambda sound: sound[len(sound) // 10 :],
    "middle": lambda sound: sound[len(sound) // 20 : 19 * len(sound) // 20],
    "mp3": through_mp3,
}
