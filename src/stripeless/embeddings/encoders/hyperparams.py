"""A SpeechBrain `hyperparams.yaml`, looked over before SpeechBrain gets it: its language can call any function there is.

What makes a line do something is a tag, which begins with an exclamation mark. Only tags on this list are let through:
references, and the parts that speaker encoders are made of, by their whole names. That is decided on the text, and not on what
one reader of YAML makes of it, because SpeechBrain reads it with another one, twice. So it holds for comments too: where one
begins and ends is a question that readers answer differently.

References compute. What a text becomes after they are resolved is read as YAML once more, so nothing that could make an
exclamation mark or a reference out of other signs is let through: a backslash, a percent sign, an angle bracket that does not
begin the one name of a `!ref`. A reference to an attribute (`<a.b>`) reaches every function there is, and is refused too.
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
_ENDS = r"(?=[ \r\n]|\Z)"  # what ends a tag for every reader of YAML; more signs than these end words elsewhere
_ALLOWED = re.compile(
    rf"!(?:new|name):(?:{'|'.join(map(re.escape, PARTS))}){_ENDS}|!ref +[\"']?<[A-Za-z0-9_]+(?:\[[A-Za-z0-9_]+\])*>"
)
_MARK = re.compile(r"[!<%\\]\S{0,60}")


def check_hyperparams(path: Path) -> None:
    """Refuse a description that names anything but the parts of a speaker encoder."""
    try:
        text = read_whole(path).decode()
    except UnicodeDecodeError:
        raise FileError(path, "is no UTF-8 text") from None
    if len(text) > MOST:
        raise FileError(path, f"has more than {MOST} characters; a description of a speaker encoder has some thousand")
    found = _MARK.search(_ALLOWED.sub("", text))
    if found is not None:
        raise FileError(
            path,
            f"holds {shown(found.group())}, and only !ref <name>, and !new: and !name: of the parts of speaker encoders "
            f"({', '.join(part.rsplit('.', 1)[1] for part in PARTS[1:4])}, ...) are let through, in comments too, because "
            "SpeechBrain runs what stands there; take it out, or export the model as ONNX",
        )
