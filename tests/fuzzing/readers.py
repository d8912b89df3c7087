"""Every reader of files that others wrote: good files to start from, and what is done with a changed one.

What reads also uses what it read, so that a value which no reader refuses, and on which the next step falls over, is found.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from fuzzing import encoders, odd, uploads

ROOT = Path(__file__).resolve().parents[2]
Odd = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True)
class Reader:
    """`make` writes good files into a folder and hands back what is read there; every file in it may be changed."""

    name: str
    make: Callable[[Path], Path]
    read: Callable[[Path], object]
    odd: Odd | None = None  # makes a sound file of an unusual kind, in place of one that is there
    needs: tuple[str, ...] = ()

    @property
    def can_run(self) -> bool:
        """Whether its packages are installed."""
        return all(find_spec(package) for package in self.needs)


# --- scores ---------------------------------------------------------------------------------------------------------


def _trials() -> dict[str, Any]:
    normal = np.random.default_rng(0).normal(size=12)
    return {
        "enrollment": [f"s{i % 3}" for i in range(12)],
        "trial": [f"s{i % 4}-{i}" for i in range(12)],
        "scores": normal,
        "labels": [i % 3 == i % 4 for i in range(12)],
    }


def _scores(name: str, trials: str = "", **more: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from stripeless.scores.files import write_scores

        given = _trials()
        paths = {"trials": folder / trials} if trials else {}
        write_scores(
            folder / name,
            given["scores"],
            given["labels"],
            enrollment=given["enrollment"],
            trial=given["trial"],
            **paths,
        )
        for table, content in more.items():
            (folder / table).write_text(content)
        return folder / name

    return make


def _read_scores(path: Path) -> object:
    """Reads, and now and then assesses: a second look at every value."""
    from stripeless.scores.files import read_scores

    tables = {
        name: path.parent / name
        for name in ("trials", "trials.h5", "utt2spk", "spk2gender")
        if (path.parent / name).exists()
    }
    given: dict[str, Any] = {name.removesuffix(".h5"): table for name, table in tables.items()}
    return read_scores(path, **given, allow_missing=len(given) == 1)


def _assess(path: Path) -> object:
    from stripeless.assessment.assess import assess_scores
    from stripeless.assessment.groups import assess_groups
    from stripeless.assessment.selected import group_columns
    from stripeless.results.stored import parse_result, result_text
    from stripeless.scores.files import read_scores

    scores = read_scores(path)
    for column in group_columns(scores)[:1]:
        assess_groups(scores, column)
    text = result_text(assess_scores(scores).to_dict())
    return parse_result(text.encode(), "again.json")


def _assess_files(path: Path) -> object:
    from stripeless.assessment.files import assess_files
    from stripeless.results.stored import result_text

    return result_text(assess_files([path, path.with_name("other.csv")]).to_dict())


def _two_parts(folder: Path) -> Path:
    _scores("s.csv")(folder)
    _scores("other.csv")(folder)
    return folder / "s.csv"


def _bosaris(kind: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        _scores("s.h5", "" if kind == "both" else "trials.h5")(folder)
        return folder / "s.h5"

    return make


EXTRA_TABLES = {
    "utt2spk": "".join(f"s{i % 4}-{i} s{i % 4}\n" for i in range(12)),
    "spk2gender": "s0 f\ns1 m\ns2 f\ns3 m\n",
}


# --- embeddings -----------------------------------------------------------------------------------------------------


def _example() -> Any:
    from stripeless.embeddings.embeddings import Embeddings

    vectors = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
    names = tuple(f"s{i % 3}-{i}" for i in range(6))
    return Embeddings(vectors, names, tuple(f"s{i % 3}" for i in range(6)), tuple("fmf"[i % 3] for i in range(6)))


def _embeddings(name: str, *, text: bool = False) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from stripeless.embeddings.files import write_embeddings

        write_embeddings(folder / name, _example(), text=text)
        return folder / name

    return make


def _read_embeddings(path: Path) -> object:
    from stripeless.embeddings.files import read_embeddings

    return read_embeddings(path)


def _one_tensor(folder: Path) -> Path:
    from stripeless.embeddings.safetensors_file import write_safetensors

    write_safetensors(folder / "x.safetensors", {"v": np.ones((3, 2), np.float32)}, {})
    (folder / "x.ids").write_text("a-1\na-2\nb-1\n")
    (folder / "utt2spk").write_text("a-1 a\na-2 a\nb-1 b\n")
    (folder / "spk2gender").write_text("a f\nb m\n")
    return folder / "x.safetensors"


def _voiceprivacy(folder: Path) -> Path:
    import io
    import zipfile

    described = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00"  # noqa: E501
    described += b"cpuK\x12tQK\x00K\x06K\x03\x86K\x03K\x01\x86\x89ccollections\nOrderedDict\n)RtR."
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("archive/data.pkl"), described)
        archive.writestr(zipfile.ZipInfo("archive/data/0"), np.arange(18, dtype="<f4").tobytes())
    (folder / "speaker_vectors.pt").write_bytes(content.getvalue())
    (folder / "id2idx").write_text("".join(f"u{i} {i}\n" for i in range(6)))
    (folder / "idx2spk").write_text("".join(f"{i} s{i % 3}\n" for i in range(6)))
    (folder / "spk2gender").write_text("s0 f\ns1 m\ns2 f\n")
    return folder


# --- lists of recordings, and sound ---------------------------------------------------------------------------------


def _kaldi_corpus(folder: Path) -> Path:
    tables = {
        "wav.scp": "a-1 a-1.wav\nb-1 b-1.wav\n",
        "utt2spk": "a-1 a\nb-1 b\n",
        "spk2gender": "a f\nb m\n",
        "segments": "a-1 a-1 0.0 0.1\nb-1 b-1 0 -1\n",
        "text": "a-1 one two\nb-1\n",
        "enrolls": "a-1\n",
        "trials": "a b-1 nontarget\n",
    }
    for name, content in tables.items():
        (folder / name).write_text(content)
    return folder


def _read_corpus(path: Path) -> object:
    from stripeless.audio.corpus_files import read_corpus

    corpus = read_corpus(path)
    return corpus.speakers, corpus.trials, [utterance.path for utterance in corpus.utterances]


def _csv_corpus(folder: Path) -> Path:
    (folder / "list.csv").write_text(
        'path,speaker,utterance,sex,text,role\na/1.wav,a,a-1,f,"what, is said",enrollment\nb/1.wav,b,b-1,m,,trial\n'
    )
    return folder / "list.csv"


def _voice_folder(folder: Path) -> Path:
    (folder / "utt2spk").write_text("a-1 a\nb-1 b\n")
    (folder / "text").write_text("a-1 one two\nb-1\n")
    (folder / "wav.scp").write_text("a-1 a-1.wav\nb-1 b-1.wav\n")
    return folder


def _read_voice_folder(path: Path) -> object:
    from stripeless.ranks.folder import read_voice_folder

    return read_voice_folder(path)


def _tone() -> Any:
    from stripeless.audio.recordings import Recording

    return Recording(0.5 * np.sin(np.arange(1600) / 9), 16000)


def _sound(ending: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from stripeless.audio.recordings import write_recording

        write_recording(folder / f"x{ending}", _tone())
        return folder / f"x{ending}"

    return make


def _other_sound(ending: str, **how: Any) -> Callable[[Path], Path]:
    """What other programs write: floats, mu-law, AIFF, AU, MP3."""

    def make(folder: Path) -> Path:
        import soundfile

        soundfile.write(folder / f"x{ending}", np.stack([_tone().samples] * 2, axis=1), 16000, **how)
        return folder / f"x{ending}"

    return make


def _odd_sound(draw: random.Random, good: bytes) -> bytes:
    bits, channels = draw.choice((8, 16, 24, 32, 12, 64, 0)), draw.choice((1, 2, 0, 7, 300, 65535))
    rate, kind = (
        draw.choice((0, 1, 999, 1000, 8000, 44100, 10**6, 2**32 - 1)),
        draw.choice((1, 1, 3, 6, 7, 2, 0x11, 0x31, 0xFFFE)),
    )
    block = draw.choice((bits // 8 * channels, 0, 1, 3)) % 65536
    data = bytes(draw.getrandbits(8) for _ in range(draw.choice((0, 1, 2, 3, 100, 3001))))
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * block % 2**32, block, bits) + bytes(
        draw.choice((0, 0, 2, 24))
    )
    size = draw.choice((len(data), len(data), 0, 2**31, 2**32 - 1))
    body = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size) + data
    return b"RIFF" + struct.pack("<I", (4 + len(body)) % 2**32) + b"WAVE" + body


def _read_sound(path: Path) -> object:
    from stripeless.audio.recordings import read_recording

    return read_recording(path)


# --- protections, networks ------------------------------------------------------------------------------------------


def _protection(kind: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from stripeless.protections.lda import fit_lda_protection
        from stripeless.protections.moments import fit_moment_protection
        from stripeless.protections.settings import AdversarialSettings, FlowSettings
        from stripeless.protections.train_adversarial import fit_adversarial_protection
        from stripeless.protections.train_flow import fit_flow_protection

        vectors = np.random.default_rng(0).normal(size=(80, 6)) + np.arange(80)[:, None] % 2
        given: tuple[Any, ...] = vectors, ["f", "m"] * 40
        path = folder / "x.safetensors"
        if kind == "lda":
            fit_lda_protection(*given).save(path)
        elif kind == "moments":
            fit_moment_protection(*given, pca=4, directions=1).save(path)
        elif kind == "adversarial":
            fit_adversarial_protection(*given, settings=AdversarialSettings(code=3, hidden=4, epochs=1)).save(path)
        else:
            fit_flow_protection(*given, settings=FlowSettings(couplings=2, hidden=4, epochs=1, components=None)).save(
                path
            )
        return path

    return make


def _use_protection(path: Path) -> object:
    from stripeless.protections.load import load_protection

    return load_protection(path).apply(np.ones((2, 6)))


def _pseudo(kind: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from pseudo_population import POOL, SMALL

        from stripeless.protections.pseudo.catalog import make_pseudo_speakers
        from stripeless.protections.pseudo.files import save_pseudo_speakers

        save_pseudo_speakers(folder / "x.safetensors", make_pseudo_speakers(kind, POOL, SMALL[kind], seed=1))
        return folder / "x.safetensors"

    return make


def _use_pseudo(path: Path) -> object:
    from pseudo_population import SOURCES

    from stripeless.protections.pseudo.files import load_pseudo_speakers

    return load_pseudo_speakers(path).apply(SOURCES)


def _network(folder: Path) -> Path:
    from stripeless.embeddings.encoders.xvector import NetworkTraining, XvectorEncoder, build, write_xvector

    write_xvector(
        folder / "net.safetensors", XvectorEncoder(build(8, 4), NetworkTraining(channels=8, dimension=4), "x")
    )
    return folder / "net.safetensors"


def _use_network(path: Path) -> object:
    from stripeless.embeddings.encoders.xvector import read_xvector

    return read_xvector(path).embed(_tone().samples)


# --- ratings and results --------------------------------------------------------------------------------------------


def _ratings(folder: Path) -> Path:
    rows = [
        f"l{i % 3},u{i},s{i % 2},{'target' if i % 2 else 'nontarget'},{'anonymized' if i % 3 else 'original'},{i % 10 + 1},5"
        for i in range(12)
    ]
    (folder / "ratings.csv").write_text(
        "\n".join(["listener,stimulus,system,trial,speech,naturalness,similarity", *rows]) + "\n"
    )
    return folder / "ratings.csv"


def _listen(path: Path) -> object:
    from stripeless.listening.ratings import read_ratings
    from stripeless.listening.study import listening_study
    from stripeless.results.stored import result_text

    return result_text(listening_study(read_ratings(path), resamples=0).to_dict())


DOORS = {"assessment": "assess-by", "evaluation": "evaluate", "comparison": "compare", "systems": "compare-rank",
"listening": "listen",
         "attack": "attack", "similarity": "similarity", "rank": "rank", "attribute": "protect", "reproduction": "reproduce",
         "summary": "summary"}  # fmt: skip


def _result(kind: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        door = ROOT / "tests" / "golden" / "doors" / f"{DOORS[kind]}.json"
        result = _shorter(json.loads(door.read_text(encoding="utf-8"))["result"])
        (folder / "x.json").write_text(json.dumps(result), encoding="utf-8")
        return folder / "x.json"

    return make


def _shorter(value: Any) -> Any:
    """Curves of a hundred points say no more to a reader than curves of eight; versions, which doors leave out, are put back."""
    if isinstance(value, dict):
        short = {key: _shorter(inner) for key, inner in value.items()}
        if isinstance(value.get("versions"), list):
            short["versions"] = dict.fromkeys(value["versions"], "1.0")
        curves = {key: inner for key, inner in value.items() if isinstance(inner, list) and len(inner) > 20}
        lengths = {len(inner) for inner in curves.values()}
        if len(lengths) == 1 and all(isinstance(number, (int, float)) for inner in curves.values() for number in inner):
            short |= {key: inner[:4] + inner[-4:] for key, inner in curves.items()}
        return short
    return [_shorter(inner) for inner in value] if isinstance(value, list) else value


def _show(path: Path) -> object:
    """What the page and the commands do with a stored result."""
    from stripeless.report.kinds import html_of, latex_of, markdown_of, numbers_of, text_of
    from stripeless.results.stored import read_result, result_text

    plain = read_result(path).to_dict()
    result_text(plain)
    with uploads.drawing_now_and_then(path):
        return [form(plain) for form in (html_of, text_of, markdown_of, latex_of, numbers_of)]


def _labels(folder: Path) -> Path:
    (folder / "labels").write_text("".join(f"s{i % 3}-{i} {'young' if i % 2 else 'old'}\n" for i in range(6)))
    return folder / "labels"


def _use_labels(path: Path) -> object:
    from stripeless.cli.shared.files import labels_for

    return labels_for(_example(), str(path))


def _trial_pairs(folder: Path) -> Path:
    (folder / "trials").write_text(
        "".join(f"s{i % 2} s{i % 3}-{i} {'target' if i % 2 == i % 3 else 'nontarget'}\n" for i in range(6))
    )
    return folder / "trials"


def _use_trial_pairs(path: Path) -> object:
    from stripeless.scores.comparison import compare_embeddings
    from stripeless.scores.pairs import read_trials

    return compare_embeddings(_example(), _example(), read_trials(path))


SCORES = [
    *(Reader(f"scores-{name}", _scores(f"s.{name}"), _read_scores) for name in ("csv", "tsv", "txt", "csv.gz")),
    Reader("scores-parquet", _scores("s.parquet"), _read_scores, lambda draw, good: odd.parquet(draw), ("duckdb",)),
    Reader("scores-npz", _scores("s.npz"), _read_scores, lambda draw, good: odd.npz(draw)),
    Reader("scores-hdf5", _bosaris("both"), _read_scores, odd.hdf5, ("h5py",)),
    Reader("scores-hdf5-pair", _bosaris("pair"), _read_scores, odd.hdf5, ("h5py",)),
    Reader("scores-kaldi", _scores("scores", "trials"), _read_scores),
    Reader("scores-speakers", _scores("s.csv", **EXTRA_TABLES), _read_scores),
    Reader("assess", _scores("s.csv"), _assess),
    Reader("assess-files", _two_parts, _assess_files),
]
EMBEDDINGS = [
    Reader("embeddings-npz", _embeddings("x.npz"), _read_embeddings, lambda draw, good: odd.npz(draw)),
    Reader(
        "embeddings-parquet",
        _embeddings("x.parquet"),
        _read_embeddings,
        lambda draw, good: odd.parquet(draw),
        ("duckdb",),
    ),
    Reader("embeddings-hdf5", _embeddings("x.h5"), _read_embeddings, odd.hdf5, ("h5py",)),
    Reader("embeddings-safetensors", _embeddings("x.safetensors"), _read_embeddings),
    Reader("embeddings-tensor", _one_tensor, _read_embeddings),
    Reader("embeddings-ark", _embeddings("x.ark"), _read_embeddings),
    Reader("embeddings-ark-text", _embeddings("x.ark", text=True), _read_embeddings),
    Reader("embeddings-scp", _embeddings("x.scp"), _read_embeddings),
    Reader("embeddings-folder", _voiceprivacy, _read_embeddings),
]
LISTS = [
    Reader("corpus-kaldi", _kaldi_corpus, _read_corpus),
    Reader("corpus-csv", _csv_corpus, _read_corpus),
    Reader("voice-folder", _voice_folder, _read_voice_folder),
    Reader("labels", _labels, _use_labels),
    Reader("trials", _trial_pairs, _use_trial_pairs),
    Reader("ratings", _ratings, _listen),
]
SOUND = [
    Reader("sound-wav", _sound(".wav"), _read_sound, _odd_sound),
    *(
        Reader(f"sound{ending.replace('.', '-')}", _sound(ending), _read_sound, None, ("soundfile",))
        for ending in (".flac", ".ogg")
    ),
    Reader("sound-wav-float", _other_sound(".wav", subtype="FLOAT"), _read_sound, None, ("soundfile",)),
    Reader("sound-wav-law", _other_sound(".wav", subtype="ULAW"), _read_sound, None, ("soundfile",)),
    *(
        Reader(f"sound{e.replace('.', '-')}", _other_sound(e), _read_sound, None, ("soundfile",))
        for e in (".aiff", ".au", ".mp3")
    ),
]
SAVED = [
    *(Reader(f"protection-{kind}", _protection(kind), _use_protection) for kind in ("lda", "moments")),
    *(
        Reader(f"protection-{kind}", _protection(kind), _use_protection, None, ("torch",))
        for kind in ("adversarial", "flow")
    ),
    *(Reader(f"pseudo-{kind}", _pseudo(kind), _use_pseudo) for kind in ("a1", "a2", "b1", "k2", "o1", "apart")),
    *(Reader(f"pseudo-{kind}", _pseudo(kind), _use_pseudo, None, ("torch",)) for kind in ("s1c1", "s2")),
    Reader("network", _network, _use_network, None, ("torch", "safetensors")),
    Reader("encoder-description", encoders.description, encoders.look_over, None, ("yaml",)),
    Reader("encoder-onnx", encoders.model, encoders.files_of_model),
]
RESULTS = [Reader(f"result-{kind}", _result(kind), _show) for kind in DOORS]
UPLOADS = [
    Reader("upload-ratings", _ratings, uploads.upload, None, ("starlette",)),
    *(Reader(f"upload-{kind}", _result(kind), uploads.upload, None, ("starlette",)) for kind in DOORS),
]
READERS = {reader.name: reader for reader in (*SCORES, *EMBEDDINGS, *LISTS, *SOUND, *SAVED, *RESULTS, *UPLOADS)}
