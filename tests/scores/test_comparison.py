"""From embeddings to scores: cosine, PLDA, lists of trials, whole matrices."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.plda import _em_step, fit_plda, two_covariances
from stripeless.embeddings.vectors import take
from stripeless.errors import FileError, InputError, OneClassOnly, TrialMismatch
from stripeless.measures.eer import eer
from stripeless.measures.other_tools import eer_by_tool
from stripeless.scores.comparison import compare_embeddings, cosine_scores, score_blocks
from stripeless.scores.files.read import read_scores
from stripeless.scores.files.write import write_scores
from stripeless.scores.pairs import generate_trials, read_trials


def people(speakers: int = 40, each: int = 6, dimensions: int = 8, seed: int = 0, prefix: str = "s") -> Embeddings:
    """Drawn from the two-covariance model itself."""
    rng = np.random.default_rng(seed)
    mix = np.random.default_rng(7).normal(size=(dimensions, dimensions))
    who = np.repeat(rng.normal(size=(speakers, dimensions)) @ mix, each, axis=0)
    vectors = who + rng.normal(size=who.shape) * np.linspace(0.3, 2, dimensions)
    names = tuple(f"{prefix}{i}" for i in range(speakers) for _ in range(each))
    sex = tuple("fm"[int(n[len(prefix) :]) % 2] for n in names)
    return Embeddings(vectors + 5, tuple(f"{n}-{i}" for i, n in enumerate(names)), names, sex)


def split(data: Embeddings) -> tuple[Embeddings, Embeddings]:
    odd = np.arange(len(data)) % 2 == 1
    return take(data, odd), take(data, ~odd)


def test_plda_llr_is_the_ratio_of_two_gaussians() -> None:
    """Against the joint densities written out, with one and with three utterances at enrollment."""
    model = fit_plda(people().vectors, people().speakers, lda_dimensions=3)
    data = people(3, seed=9)
    latent = model.apply(data.vectors)
    b = np.diag(model.between)
    eye = np.eye(len(b))
    for n in (1, 3):
        models = latent[:n].mean(axis=0, keepdims=True)
        found = model.latent_scores(models, latent, np.array([float(n)]))[0]
        same = np.block([[b + eye / n, b], [b, b + eye]])
        other = np.block([[b + eye / n, 0 * b], [0 * b, b + eye]])
        pairs = np.hstack([np.repeat(models, len(latent), axis=0), latent])
        zero = np.zeros(2 * len(b))
        expected = multivariate_normal(zero, same).logpdf(pairs) - multivariate_normal(zero, other).logpdf(pairs)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def log_likelihood(
    centered: NDArray[np.float64], codes: NDArray[np.int64], within: NDArray[np.float64], between: NDArray[np.float64]
) -> float:
    """Natural-log likelihood of the data under the two-covariance model; EM may only raise it."""
    total = 0.0
    for code in range(int(codes.max()) + 1):
        rows = centered[codes == code]
        n, d = rows.shape
        mean = rows.mean(axis=0)
        inner = rows - mean
        spread = within + n * between
        total -= 0.5 * (
            (n - 1) * np.linalg.slogdet(within)[1] + np.linalg.slogdet(spread)[1] + n * d * np.log(2 * np.pi)
        )
        total -= 0.5 * (np.trace(np.linalg.solve(within, inner.T @ inner)) + n * mean @ np.linalg.solve(spread, mean))
    return float(total)


def test_em_raises_the_likelihood_and_finds_the_covariances() -> None:
    rng = np.random.default_rng(1)
    between, within = np.diag([4.0, 1.0]), np.array([[1.0, 0.3], [0.3, 0.5]])
    codes = np.repeat(np.arange(3000), rng.integers(1, 5, 3000))
    who = rng.multivariate_normal([0, 0], between, 3000)
    data = who[codes] + rng.multivariate_normal([0, 0], within, len(codes))
    data -= data.mean(axis=0)
    values = [log_likelihood(data[:600], codes[:600], *two_covariances(data[:600], codes[:600], k)) for k in range(6)]
    assert all(np.diff(values) > 0)
    found_within, found_between = two_covariances(data, codes, 30)
    np.testing.assert_allclose(found_within, within, atol=0.1)
    np.testing.assert_allclose(found_between, between, atol=0.3)
    counts = np.array([2.0, 3.0])
    fixed = _em_step(counts, np.zeros((2, 2)), np.zeros((2, 2)), within, between)
    assert np.linalg.eigvalsh(fixed[0]).min() > 0


def test_plda_beats_cosine_where_its_model_holds() -> None:
    enrolled, tested = split(people(60, seed=3, prefix="t"))
    model = fit_plda(people(80, seed=1).vectors, people(80, seed=1).speakers)
    by_cosine, by_plda = compare_embeddings(enrolled, tested), compare_embeddings(enrolled, tested, plda=model)
    assert eer(by_plda.target, by_plda.nontarget) < 0.6 * eer(by_cosine.target, by_cosine.nontarget)
    assert by_plda.trial_digest == by_cosine.trial_digest


def test_plda_is_not_judged_on_its_training_speakers() -> None:
    enrolled, tested = split(people())
    model = fit_plda(people().vectors, people().speakers)
    with pytest.raises(InputError, match="training speakers are enrolled"):
        compare_embeddings(enrolled, tested, plda=model)


def test_plda_survives_fewer_vectors_than_dimensions() -> None:
    data = people(12, 3, dimensions=100)
    assert np.isfinite(fit_plda(data.vectors, data.speakers).scores(data.vectors[:2], data.vectors)).all()


@pytest.mark.parametrize(
    ("vectors", "speakers", "error", "words"),
    [
        (np.ones((4, 2)), ("a", "b"), InputError, "2 labels for 4"),
        (np.ones((4, 2)), ("a", "a", "b", "b"), OneClassOnly, "three speakers"),
        (np.ones((4, 2)), ("a", "b", "c", "d"), InputError, "several"),
    ],
)
def test_plda_refuses(vectors: np.ndarray, speakers: tuple[str, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fit_plda(vectors, speakers)


def test_blocks_equal_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    data = people(10)
    model = fit_plda(people(seed=4).vectors, people(seed=4).speakers)
    monkeypatch.setattr("stripeless.scores.comparison.BLOCK_BYTES", 8 * 60 * 7)
    blocks = [block for _, block in score_blocks(data.vectors, data.vectors)]
    assert len(blocks) == 9
    np.testing.assert_allclose(np.vstack(blocks), cosine_scores(data.vectors, data.vectors), atol=1e-15)
    by_plda = np.vstack([block for _, block in score_blocks(data.vectors, data.vectors, plda=model)])
    np.testing.assert_allclose(by_plda, model.scores(data.vectors, data.vectors), atol=1e-12)


def test_blocks_stay_small() -> None:
    vectors = np.random.default_rng(0).normal(size=(6000, 16)).astype(np.float32)
    tracemalloc.start()
    total = sum(block.shape[0] for _, block in score_blocks(vectors, vectors))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total == 6000
    assert peak < 6000 * 6000 * 4  # less than the matrix itself would take


def test_generated_trials() -> None:
    enrolled, tested = split(people(6))
    trials = generate_trials(enrolled, tested)
    assert len(trials) == 3 * 9 * 2
    assert int(trials.target.sum()) == 18
    assert len(generate_trials(enrolled, tested, same_sex=False)) == 6 * 18
    leaked = generate_trials(enrolled, people(6))
    assert len(leaked) == 3 * 18 * 2 - 18  # the enrolled utterances against their own model are left out
    assert "18 utterances" in leaked.notes[0]
    with pytest.raises(OneClassOnly, match="no target"):
        generate_trials(enrolled, people(6, prefix="t"))


def test_scores_read_back(tmp_path: Path) -> None:
    enrolled, tested = split(people(6))
    scores = compare_embeddings(enrolled, tested)
    write_scores(tmp_path / "x.csv", scores)
    read = read_scores(tmp_path / "x.csv")
    np.testing.assert_array_equal(read.target, scores.target)


def test_row_order_does_not_matter() -> None:
    enrolled, tested = split(people(6))
    order = np.random.default_rng(0).permutation(len(tested))
    a, b = compare_embeddings(enrolled, tested), compare_embeddings(enrolled, take(tested, order))
    np.testing.assert_allclose(np.sort(a.target), np.sort(b.target), atol=1e-12)


def test_bad_lists(tmp_path: Path) -> None:
    enrolled, tested = split(people(6))
    (tmp_path / "trials").write_text("s0 s0-0 target\ns1 nobody nontarget\n")
    with pytest.raises(TrialMismatch, match="'nobody'"):
        compare_embeddings(enrolled, tested, read_trials(tmp_path / "trials"))
    (tmp_path / "trials").write_text("s0 s0-0 nontarget\ns1 s0-0 target\n")
    with pytest.raises(InputError, match="utt2spk disagree"):
        compare_embeddings(enrolled, tested, read_trials(tmp_path / "trials"))
    (tmp_path / "trials").write_text("s9 s0-0 target\ns1 s0-0 nontarget\n")
    with pytest.raises(TrialMismatch, match="models"):
        compare_embeddings(enrolled, tested, read_trials(tmp_path / "trials"))
    (tmp_path / "trials").write_text("only\n")
    with pytest.raises((FileError, InputError)):
        read_trials(tmp_path / "trials")
    with pytest.raises(InputError, match="8 and 5"):
        compare_embeddings(enrolled, Embeddings(tested.vectors[:, :5], tested.utterances, tested.speakers))


@pytest.mark.parametrize(("sex", "expected"), [("f", 0.10330103556275311), ("m", 0.028540271250035054)])
def test_line_1_of_the_invertibility_table(librispeech: Path, sex: str, expected: float) -> None:
    folder = librispeech / "xvectors/original"
    enrolled = read_embeddings(folder / "enrolls.scp", utt2spk=librispeech / "enrolls")
    tested = read_embeddings(folder / f"trials_{sex}.scp", utt2spk=librispeech / f"trials_{sex}")
    scores = compare_embeddings(enrolled, tested, read_trials(librispeech / f"trials_{sex}" / "trials"))
    assert eer_by_tool(scores.target, scores.nontarget)["scikit_learn_folded"] == pytest.approx(expected, abs=1e-9)
