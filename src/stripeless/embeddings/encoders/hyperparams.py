"""A SpeechBrain `hyperparams.yaml`, looked over before SpeechBrain gets it: its language can call any function there is.

What makes a line do something is a tag, which begins with an exclamation mark. Only tags on this list are let through:
references, and the parts that speaker encoders are made of, by their whole names. That is decided on the text, and not on what
one reader of YAML makes of it, because SpeechBrain reads it with another one, twice. Signs that are spelled out by their
numbers, as an exclamation mark can be, are refused.
"""

from __future__ import annotations

import re
from pathlib import Path

from stripeless._files import read_whole
from stripeless.errors import FileError, shown

PARTS = (
    "speechbrain.dataio.encoder.CategoricalEncoder",
    "speechbrain.lobes.features.Fbank",
    "speechbrain.lobes.features.MFCC",
    "speechbrain.lobes.models.ECAPA_TDNN.Classifier",
    "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
    "speechbrain.lobes.models.ResNet.Classifier",
    "speechbrain.lobes.models.ResNet.ResNet",
    "speechbrain.lobes.models.Xvector.Classifier",
    "speechbrain.lobes.models.Xvector.Xvector",
    "speechbrain.processing.features.InputNormalization",
    "speechbrain.utils.parameter_transfer.Pretrainer",
    "torch.nn.LeakyReLU",
    "torch.nn.ReLU",
)
MOST = 100_000  # characters: these files have some thousand
_ALLOWED = re.compile(rf"!ref(?=\s)|!(?:new|name):(?:{'|'.join(map(re.escape, PARTS))})(?=\s|$|\()")
_MARK = re.compile(r"!\S{0,60}|\\[xuU]\w*")


def check_hyperparams(path: Path) -> None:
    """Refuse a description that names anything but the parts of a speaker encoder."""
    try:
        text = read_whole(path).decode()
    except UnicodeDecodeError:
        raise FileError(path, "is no UTF-8 text") from None
    if len(text) > MOST:
        raise FileError(path, f"has more than {MOST} characters; a description of a speaker encoder has some thousand")
    # What begins with a hash is a comment, or part of a text: neither does anything. Every sign that ends a line anywhere counts.
    live = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = _MARK.search(_ALLOWED.sub("", live))
    if found is not None:
        raise FileError(
            path,
            f"holds {shown(found.group())}, and only !ref, and !new: and !name: of the parts of speaker encoders "
            f"({', '.join(part.rsplit('.', 1)[1] for part in PARTS[1:4])}, ...) are let through, because SpeechBrain runs what "
            "stands there; export the model as ONNX",
        )
