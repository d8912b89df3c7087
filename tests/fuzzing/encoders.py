"""Files of speaker encoders that others made: what is let through names nothing that runs, and hides no file."""

from __future__ import annotations

from pathlib import Path

SOUND = """# Feature parameters
n_mels: 80
features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
paths: [a, "b", 'c']
"""
MODEL = (
    b"\x3a\x1a\x2a\x18\x6a\x12\x0a\x08location\x12\x06m.data\x70\x01\x10\x01"  # a graph with a tensor that is in m.data
)


def description(folder: Path) -> Path:
    (folder / "hyperparams.yaml").write_text(SOUND)
    return folder / "hyperparams.yaml"


def look_over(path: Path) -> object:
    """What passes has no tag that YAML finds beyond the list."""
    import yaml

    from stripeless.embeddings.encoders.hyperparams import PARTS, check_hyperparams

    check_hyperparams(path)
    allowed = {"ref", *(f"{what}:{part}" for what in ("new", "name") for part in PARTS)}
    try:
        tags = [one.value[1] for one in yaml.scan(path.read_text(encoding="utf-8")) if isinstance(one, yaml.TagToken)]
    except yaml.YAMLError:
        return ()
    assert set(tags) <= allowed, tags
    return tags


def model(folder: Path) -> Path:
    (folder / "m.data").write_bytes(bytes(16))
    (folder / "m.onnx").write_bytes(MODEL)
    return folder / "m.onnx"


def files_of_model(path: Path) -> object:
    """Where the tag before the good model is its own once cut to 32 bits, as the library cuts it, the other file counts."""
    from stripeless.embeddings.encoders.onnx_parts import model_files

    files, content = model_files(path), path.read_bytes()
    tag = content.removesuffix(MODEL[1:])
    cut = sum((byte & 127) << 7 * k for k, byte in enumerate(tag)) % 2**32
    whole = tag != content and tag and all(byte > 127 for byte in tag[:-1]) and tag[-1] < 128
    assert not (whole and cut == MODEL[0]) or path.with_name("m.data") in files
    return files
