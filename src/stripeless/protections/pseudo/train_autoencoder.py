"""Training S1c1 and S2c1: rebuild the vector, while heads that recognize speaker and sex in the code pull the wrong way.

Gradient reversal between code and heads: the heads learn to recognize, the encoder learns to stop them. The third-party code
for the authors' later work reverses after the heads' softmax, which trains the heads to be wrong instead; this one does not.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless.embeddings.vectors import length_normalized, need_speakers, speaker_codes
from stripeless.errors import InputError
from stripeless.protections.pseudo.autoencoder import (
    Autoencoded,
    AutoencodedTuned,
    FarthestAutoencoded,
    FarthestAutoencodedTuned,
    Layer,
    Squeeze,
    through_decoder,
    through_encoder,
)
from stripeless.protections.pseudo.farthest import fit_farthest
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.singular import Scale
from stripeless.protections.pseudo.system import check_share, check_whole
from stripeless.protections.settings import few_threads

HIDDEN, HEAD = (512, 256), 64
WEIGHTS, CODES = (0.5, 1.0, 2.0, 5.0), (64, 128, 256)  # what S2c1 searches
WORSE = 1.1  # how much worse it may rebuild for that


def fit_autoencoded(pool: Pool, **options: Any) -> Autoencoded:
    """S1c1."""
    return _fit(Autoencoded, pool, tuned=False, on_b1=False, **options)


def fit_autoencoded_tuned(pool: Pool, **options: Any) -> Autoencoded:
    """S2c1."""
    return _fit(AutoencodedTuned, pool, tuned=True, on_b1=False, **options)


def fit_farthest_autoencoded(pool: Pool, **options: Any) -> Autoencoded:
    """S1."""
    return _fit(FarthestAutoencoded, pool, tuned=False, on_b1=True, **options)


def fit_farthest_autoencoded_tuned(pool: Pool, **options: Any) -> Autoencoded:
    """S2."""
    return _fit(FarthestAutoencodedTuned, pool, tuned=True, on_b1=True, **options)


TRAINING = ("code", "speaker_weight", "sex_weight", "epochs", "batch", "learning_rate", "training_seed")
ON_B1 = ("farthest", "draw", "affinity", "cross_sex")


def _fit(
    kind: type[Autoencoded], pool: Pool, *, tuned: bool, on_b1: bool, seed: int = 0, **options: Any
) -> Autoencoded:
    training = {name: options.pop(name) for name in TRAINING if name in options}
    farthest = {name: options.pop(name) for name in ON_B1 if name in options}
    squeeze = tuned_squeeze(pool, **training) if tuned else fit_squeeze(pool, **training)
    return kind(
        **pool.stamp(seed),
        squeeze=squeeze,
        first=fit_farthest(pool, seed=seed, **farthest) if on_b1 else None,
        **options,
    )


def fit_squeeze(
    pool: Pool,
    *,
    code: int = 128,
    speaker_weight: float = 1.0,
    sex_weight: float = 0.5,
    epochs: int = 50,
    batch: int = 256,
    learning_rate: float = 1e-3,
    training_seed: int = 0,
) -> Squeeze:
    """The auto-encoder of S1c1: mean squared error, and the heads' cross-entropies with reversed gradients, which grow
    from nothing to full weight as 2 / (1 + exp(-10 p)) - 1 over the progress p of training.
    """
    said = pool.need_utterances("an adversarial auto-encoder")
    torch = need("torch", "flow", "an adversarial auto-encoder")
    code, epochs = check_whole("code", code, 1), check_whole("epochs", epochs, 1)
    batch, training_seed = check_whole("batch", batch, 1), check_whole("training_seed", training_seed, 0)
    weights = [
        check_share(n, v, 0.0, 100.0) for n, v in (("speaker_weight", speaker_weight), ("sex_weight", sex_weight))
    ]
    scale = Scale.of(said.vectors.astype(np.float64))
    labels = [speaker_codes(need_speakers(said, "pool"))[1], speaker_codes(said.sex or ())[1]]
    if not learning_rate > 0:
        raise InputError(f"learning_rate: expected a number above 0, got {learning_rate}")
    with few_threads(torch, 1):
        rows = torch.tensor(scale.apply(said.vectors.astype(np.float64)).astype(np.float32))
        game = _Game(torch, rows.shape[1], code, [int(one.max()) + 1 for one in labels], weights, training_seed)
        history = game.play(rows, [torch.tensor(one) for one in labels], epochs, batch, float(learning_rate))
    training = {"code": code, "speaker_weight": weights[0], "sex_weight": weights[1], "epochs": epochs}
    return Squeeze(
        scale, _numpy(game.encoder), _numpy(game.decoder), {**training, "training_seed": training_seed, **history}
    )


@lru_cache(maxsize=8)  # S2 after S2c1, on the same pools, need not search again
def tuned_squeeze(pool: Pool, *, training_seed: int = 0, **options: Any) -> Squeeze:
    """S2c1: of all strengths and code sizes that rebuild at most a tenth worse than the best, the one after which people
    of the pool who were held out are hardest to tell apart. (The authors bounded the word error rate instead.)
    """
    for name in ("code", "speaker_weight"):
        if name in options:
            raise InputError(f"{name}: is what this system searches; set it with s1c1 or s1")
    held = held_out(pool, training_seed)
    seen, unseen = pool.without(held), pool.without(set(pool.speakers) - held)
    tried = []
    for weight in WEIGHTS:
        for code in CODES:
            found = fit_squeeze(seen, code=code, speaker_weight=weight, training_seed=training_seed, **options)
            tried.append((weight, code, *judged(found, unseen)))
    best = min(one[2] for one in tried)
    weight, code, _, _ = min((one for one in tried if one[2] <= WORSE * best), key=lambda one: one[3])
    return fit_squeeze(pool, code=code, speaker_weight=weight, training_seed=training_seed, **options)


def held_out(pool: Pool, seed: int) -> set[str]:
    """A quarter of the speakers of each sex."""
    random = np.random.default_rng([seed, 3])
    people: set[str] = set()
    for sex in pool.sexes:
        names = [pool.speakers[row] for row in pool.rows(sex)]
        people |= {names[i] for i in random.permutation(len(names))[: max(2, len(names) // 4)]}
    return people


def judged(squeeze: Squeeze, pool: Pool) -> tuple[float, float]:
    """Squared error of rebuilding, and how often two utterances of one person are more alike than of two of one sex."""
    said = pool.need_utterances("tuning")
    vectors = said.vectors.astype(np.float64)
    rebuilt = squeeze.apply(vectors)
    error = float(np.mean((squeeze.scale.apply(vectors) - squeeze.scale.apply(rebuilt)) ** 2))
    unit = length_normalized(rebuilt - squeeze.scale.center)
    first, second = np.triu_indices(len(unit), k=1)
    speakers, sexes = np.array(said.speakers), np.array(said.sex)
    alike = sexes[first] == sexes[second]
    scores, same = (unit @ unit.T)[first, second][alike], (speakers[first] == speakers[second])[alike]
    other = np.sort(scores[~same])
    return error, float(np.searchsorted(other, scores[same]).mean() / max(1, len(other)))


class _Game:
    """Networks of one training run."""

    def __init__(self, torch: Any, width: int, code: int, classes: list[int], weights: list[float], seed: int) -> None:
        self.torch, self.weights = torch, weights
        self.random = torch.Generator().manual_seed(seed)
        self.encoder = self._layers([width, *HIDDEN, code])
        self.decoder = self._layers([code, *reversed(HIDDEN), width])
        self.heads = [self._layers([code, HEAD, count]) for count in classes]

    def _layers(self, sizes: list[int]) -> tuple[Layer, ...]:
        made = []
        for inputs, outputs in pairwise(sizes):
            bound = 1 / math.sqrt(inputs)
            arrays = [
                ((2 * self.torch.rand(shape, generator=self.random) - 1) * bound).requires_grad_()
                for shape in ((inputs, outputs), (outputs,))
            ]
            made.append(Layer(*arrays))
        return tuple(made)

    def play(self, rows: Any, labels: list[Any], epochs: int, batch: int, rate: float) -> dict[str, float]:
        """Train; what was lost in rebuilding and how well the heads still saw, in the last epoch."""
        torch = self.torch
        parts = [self.encoder, self.decoder, *self.heads]
        adam = torch.optim.Adam([array for part in parts for layer in part for array in layer], lr=rate)
        steps, step = epochs * math.ceil(len(rows) / batch), 0
        error, seen = math.nan, [math.nan for _ in self.heads]
        for _ in range(epochs):
            error, seen = 0.0, [0.0 for _ in self.heads]
            for chosen in torch.randperm(len(rows), generator=self.random).split(batch):
                ramp = 2 / (1 + math.exp(-10 * step / steps)) - 1
                code = through_encoder(self.encoder, rows[chosen], torch)
                rebuilding = (through_decoder(self.decoder, code) - rows[chosen]).square().mean()
                loss, share = rebuilding, len(chosen) / len(rows)
                for number, (head, weight) in enumerate(zip(self.heads, self.weights, strict=True)):
                    answer = _classified(head, reversed_gradient(code, weight * ramp))
                    loss = loss + torch.nn.functional.cross_entropy(answer, labels[number][chosen])
                    seen[number] += share * float((answer.argmax(1) == labels[number][chosen]).float().mean())
                adam.zero_grad(set_to_none=True)
                loss.backward()
                adam.step()
                step, error = step + 1, error + share * float(rebuilding.detach())
        if not math.isfinite(error):
            raise InputError("pool: training diverged; give a lower learning_rate, or look for outliers")
        return {"rebuilding_error": error, "speakers_seen": seen[0], "sex_seen": seen[1]}


def reversed_gradient(code: Any, weight: float) -> Any:
    """The code itself forward; backward its gradient times minus `weight`."""
    return (1 + weight) * code.detach() - weight * code


def _classified(head: tuple[Layer, ...], code: Any) -> Any:
    first, second = head
    return (code @ first.weight + first.bias).relu() @ second.weight + second.bias


def _numpy(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    arrays: list[NDArray[np.float32]] = []
    for layer in layers:
        arrays += [array.detach().numpy().copy() for array in layer]
    return tuple(Layer(weight, bias) for weight, bias in zip(arrays[::2], arrays[1::2], strict=True))
