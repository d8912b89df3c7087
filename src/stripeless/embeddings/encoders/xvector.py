"""`xvector`: our own encoder network and its training, which is what makes a semi-informed attacker real.

An attacker who knows the anonymizer runs it over recordings of known people and trains on the result. The network
is small, ECAPA-style: 1-D convolutions over 80 log mel energies with growing dilation and residual paths, attentive
pooling of mean and deviation, a linear layer of 128. It learns to tell the training speakers apart (additive-margin
softmax) on random two-second pieces. So that few people teach more, each is also played slower and faster, which makes
other people of them, and noise is put under every second piece. A few hundred recordings take minutes on two cores; a GPU is
used when there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._files import write_whole
from stripeless._weights import WeightsFile, sha256_of_weights
from stripeless.audio.recordings import Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.spectra import kaldi_filterbank
from stripeless.errors import FileError, InputError, NotANumber, shown

BINS = 80


@dataclass(frozen=True)
class NetworkTraining:
    """How the network is trained."""

    epochs: int = 40
    batch: int = 32
    piece: int = 150
    channels: int = 128
    dimension: int = 128
    rate: float = 2e-3
    margin: float = 0.2
    scale: float = 30.0
    seed: int = 0
    device: str = ""
    speeds: tuple[float, ...] = (0.9, 1.0, 1.1)
    noise: float = 0.5  # share of pieces that noise is put under


def usual_training(*, epochs: int = 40, seed: int = 0) -> NetworkTraining:
    """What this machine can do in minutes: a wider network and longer pieces where there is a GPU."""
    torch: Any = need("torch", "torch", "Training an x-vector network")
    if torch.cuda.is_available():
        return NetworkTraining(epochs=epochs, seed=seed, batch=128, piece=300, channels=512, device="cuda")
    return NetworkTraining(epochs=epochs, seed=seed)


@dataclass(frozen=True)
class TrainingRun:
    """What to watch: loss and share of pieces given to the right training speaker, per epoch."""

    loss: tuple[float, ...]
    accuracy: tuple[float, ...]
    speakers: int
    utterances: int
    device: str


def build(channels: int, dimension: int) -> Any:
    """The network as a torch module: (batch, 80, frames) -> (batch, dimension)."""
    torch: Any = need("torch", "torch", "Training or running an x-vector network")
    nn = torch.nn

    class Residual(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, dilation: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation),
                nn.ReLU(),
                nn.BatchNorm1d(channels),
                nn.Conv1d(channels, channels, 1),
                nn.ReLU(),
                nn.BatchNorm1d(channels),
            )

        def forward(self, x: Any) -> Any:
            return x + self.body(x)

    class Network(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(nn.Conv1d(BINS, channels, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(channels))
            self.middle = nn.Sequential(*(Residual(dilation) for dilation in (1, 2, 3, 4)))
            self.attention = nn.Sequential(nn.Conv1d(channels, 64, 1), nn.Tanh(), nn.Conv1d(64, channels, 1))
            self.last = nn.Sequential(nn.BatchNorm1d(2 * channels), nn.Linear(2 * channels, dimension))

        def forward(self, x: Any) -> Any:
            x = self.middle(self.first(x))
            weight = self.attention(x).softmax(dim=-1)
            mean = (weight * x).sum(-1)
            deviation = ((weight * x * x).sum(-1) - mean * mean).clamp_min(1e-6).sqrt()
            return self.last(torch.cat([mean, deviation], dim=1))

    return Network()


@dataclass(frozen=True, eq=False)
class XvectorEncoder:
    """A trained network."""

    network: Any
    training: NetworkTraining
    identity: str
    name: str = "xvector"
    file: WeightsFile | None = None  # where it was read from

    def __post_init__(self) -> None:
        self.network.eval()

    def embed(self, samples: Samples) -> Vector:
        torch: Any = need("torch", "torch", "Running an x-vector network")
        with torch.inference_mode():
            vector = self.network(torch.from_numpy(features(samples)[None]))[0]
        return np.asarray(vector.numpy(), dtype=np.float32)


def spectrum_of(samples: Samples) -> Vector:
    """(80, frames), log mel energies."""
    return np.ascontiguousarray(kaldi_filterbank(samples, BINS).T.astype(np.float32))


def features(samples: Samples) -> Vector:
    """(80, frames), mean over the utterance removed."""
    values = spectrum_of(samples)
    return np.asarray(values - values.mean(axis=1, keepdims=True))


def at_speeds(samples: Samples, speeds: Sequence[float]) -> list[Samples]:
    """The recording played at each speed: pitch, formants and pace change together, as if someone else spoke."""
    from scipy.signal import resample_poly

    return [samples if speed == 1 else resample_poly(samples, 100, round(100 * speed)) for speed in speeds]


def fit_xvector(
    recordings: Sequence[Samples],
    speakers: Sequence[str],
    training: NetworkTraining | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[XvectorEncoder, TrainingRun]:
    """Train on labeled recordings at 16 kHz; the same seed gives the same network on the same machine."""
    training = training or NetworkTraining()
    torch: Any = need("torch", "torch", "Training an x-vector network")
    names = sorted(set(speakers))
    if len(names) < 4 or len(recordings) < 2 * len(names):
        raise InputError(
            f"speakers: an encoder learns from at least four people with two recordings each on average, got {len(names)} "
            f"people and {len(recordings)} recordings"
        )
    for number, samples in enumerate(recordings, start=1):
        if not np.isfinite(samples).all():
            raise NotANumber(f"recordings: number {number} of {len(recordings)} holds NaN or infinity; leave it out")
    device = training.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(training.seed)
    rng = np.random.default_rng(training.seed)
    spectra = [spectrum_of(played) for samples in recordings for played in at_speeds(samples, training.speeds)]
    kinds = len(training.speeds)
    labels = np.array([kinds * names.index(speaker) + kind for speaker in speakers for kind in range(kinds)])
    voices = kinds * len(names)
    network = build(training.channels, training.dimension).to(device)
    centers = torch.nn.Parameter(torch.randn(voices, training.dimension, device=device) * 0.1)
    optimizer = torch.optim.AdamW([*network.parameters(), centers], lr=training.rate, weight_decay=1e-3)
    pieces = max(1, round(2 * len(recordings) / training.batch))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, training.rate, total_steps=training.epochs * pieces)
    losses, accuracies = [], []
    network.train()
    for epoch in range(training.epochs):
        total, right, seen = 0.0, 0, 0
        for _ in range(pieces):
            chosen = rng.integers(len(spectra), size=training.batch)
            cut = [piece(spectra[i], training.piece, rng, training.noise) for i in chosen]
            batch = torch.from_numpy(np.stack(cut)).to(device)
            wanted = torch.from_numpy(labels[chosen]).to(device)
            cosine = torch.nn.functional.normalize(network(batch)) @ torch.nn.functional.normalize(centers).T
            margin = training.margin * min(1.0, 2 * epoch / training.epochs)
            hot = torch.nn.functional.one_hot(wanted, voices)
            loss = torch.nn.functional.cross_entropy(training.scale * (cosine - margin * hot), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(chosen)
            right += int((cosine.argmax(1) == wanted).sum())
            seen += len(chosen)
        losses.append(total / seen)
        accuracies.append(right / seen)
        if progress is not None:
            progress(epoch + 1, training.epochs)
    run = TrainingRun(tuple(losses), tuple(accuracies), len(names), len(recordings), device)
    return XvectorEncoder(network.cpu(), training, f"xvector-1-{state_digest(network)}"), run


def piece(spectrum: Vector, length: int, rng: np.random.Generator, noise: float = 0.0) -> Vector:
    """A random piece of `length` frames, of a shorter recording repeated; bands and moments masked now and then."""
    if spectrum.shape[1] < length:
        spectrum = np.tile(spectrum, (1, -(-length // spectrum.shape[1])))
    start = int(rng.integers(spectrum.shape[1] - length + 1))
    part = spectrum[:, start : start + length].copy()
    if rng.uniform() < noise:
        part = under_noise(part, rng)
    part -= part.mean(axis=1, keepdims=True)
    low, moment = int(rng.integers(BINS - 10)), int(rng.integers(length - 20))
    part[low : low + int(rng.integers(10))] = 0
    part[:, moment : moment + int(rng.integers(20))] = 0
    return part


def under_noise(part: Vector, rng: np.random.Generator) -> Vector:
    """Log energies with noise of a random color 5 to 25 dB below the speech; energies of independent sounds add."""
    level = np.log(np.exp(part.astype(np.float64)).mean(axis=1).mean())
    color = np.interp(np.arange(BINS), np.linspace(0, BINS - 1, 5), rng.normal(0, 1.0, 5))
    floor = level - rng.uniform(5, 25) * np.log(10) / 10 + color[:, None] + rng.normal(0, 0.3, part.shape)
    return np.asarray(np.logaddexp(part, floor), dtype=np.float32)


def state_digest(network: Any) -> str:
    """Identifies the weights."""
    import hashlib

    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode() + tensor.cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def write_xvector(path: str | PathLike[str], encoder: XvectorEncoder) -> None:
    """The network as a .safetensors file: plain tensors, nothing that runs when it is read."""
    save: Any = need("safetensors.torch", "torch", "Writing a network")
    state = {name: tensor.contiguous() for name, tensor in encoder.network.state_dict().items()}
    write_whole(path, save.save(state, {"stripeless": json.dumps(asdict(encoder.training))}))


def _check_sizes(training: NetworkTraining, state: dict[str, Any]) -> None:
    """The sizes that are claimed, held against the weights that are there, before memory is taken for a network."""
    claimed = (training.channels, training.dimension)
    if claimed != (len(state["first.0.bias"]), len(state["last.1.bias"])) or not all(
        type(size) is int for size in claimed
    ):
        raise ValueError(f"{claimed} channels and numbers, but other weights")


def read_xvector(path: str | PathLike[str], name: str = "") -> XvectorEncoder:
    """A network written by `write_xvector`; called after its file, where no name is given."""
    safetensors: Any = need("safetensors", "torch", "Reading a network")
    path = Path(path)
    try:
        with safetensors.safe_open(path, "pt") as file:
            training = NetworkTraining(**json.loads(file.metadata()["stripeless"]))
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (no mapping)
        _check_sizes(training, state)
        network = build(training.channels, training.dimension)
        network.load_state_dict(state)
    except (
        OSError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RuntimeError,
        safetensors.SafetensorError,
    ) as error:
        raise FileError(path, f"is no network written by stripeless ({shown(error)})") from error
    file = WeightsFile(path, sha256_of_weights(path))
    return XvectorEncoder(network, training, f"xvector-1-{file.sha256[:16]}", name or path.stem, file)
