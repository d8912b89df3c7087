"""Laws of the flow: it inverts, its volume is right, and evidence that was set stays set."""

from dataclasses import replace

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.protections.coupling import Coupling, Network, forward, inverse, shapes
from stripeless.protections.labels import ProtectionWarning
from stripeless.protections.load import load_protection
from stripeless.protections.settings import FlowSettings, Progress

torch = pytest.importorskip("torch")

from stripeless.protections.train_flow import fit_flow_protection  # noqa: E402

QUICK = FlowSettings(hidden=32, epochs=6, patience=0, batch=128)


def random_couplings(dimension: int, count: int = 4, hidden: int = 16) -> list[Coupling]:
    rng = np.random.default_rng(dimension)
    return [
        Coupling(
            *(
                Network(
                    *(
                        rng.normal(size=s) / np.sqrt(s[0])
                        for inputs, outputs in layers
                        for s in ((inputs, outputs), (outputs,))
                    )
                )
                for _ in range(2)
            )
        )
        for layers in shapes(dimension, hidden, count)
    ]


@pytest.fixture(scope="module")
def bent():
    """Two classes on a bent surface: the LLR is x1 + x2^2 - 1 up to scale, which no linear map sees."""
    rng = np.random.default_rng(5)
    labels = np.where(rng.random(3000) < 0.5, "a", "b")
    evidence = np.where(labels == "a", 2.0, -2.0) + 2.0 * rng.normal(size=3000)  # LLR: mu 2, variance 4
    other = rng.normal(size=(3000, 4))
    vectors = np.column_stack([evidence / 2 - 1.2 * other[:, 0] ** 2 + 1, other]) @ rng.normal(size=(5, 5))
    return vectors, labels, evidence


@pytest.fixture(scope="module")
def flow(bent):
    return fit_flow_protection(bent[0], bent[1], settings=QUICK)


@pytest.mark.parametrize("dimension", [2, 5, 8])
def test_couplings_invert_and_know_their_volume(dimension):
    couplings = random_couplings(dimension)
    x = np.random.default_rng(1).normal(size=(4, dimension))
    z, volume = forward(couplings, x, np)
    np.testing.assert_allclose(inverse(couplings, z, np), x, atol=1e-10)
    nets = [Coupling(*(Network(*map(torch.tensor, net)) for net in coupling)) for coupling in couplings]
    for row, claimed in zip(torch.tensor(x), volume, strict=True):
        jacobian = torch.autograd.functional.jacobian(lambda r: forward(nets, r[None], torch)[0][0], row)
        assert float(torch.linalg.slogdet(jacobian)[1]) == pytest.approx(claimed, abs=1e-9)


def test_every_coordinate_moves(bent):
    """Masks alternate: after training, no half of the coordinates is left alone."""
    couplings = random_couplings(6)
    x = np.random.default_rng(1).normal(size=(4, 6))
    assert (np.abs(forward(couplings, x, np)[0] - x) > 1e-3).all()


def test_latent_and_back(flow, bent):
    vectors = bent[0]
    np.testing.assert_allclose(flow.from_latent(flow.latent(vectors)), vectors, atol=1e-4)
    np.testing.assert_allclose(flow.latent(vectors)[:, 0], flow.llr(vectors), atol=1e-5)


def test_zeroed_evidence_stays_zero(flow, bent):
    protected = flow.apply(bent[0])
    assert np.abs(flow.llr(protected)).max() < 1e-4
    np.testing.assert_allclose(flow.apply(protected), protected, atol=1e-4)


def test_evidence_can_be_set_to_anything(flow, bent):
    vectors = bent[0][:50]
    np.testing.assert_allclose(flow.llr(flow.apply(vectors, evidence=2.5)), 2.5, atol=1e-4)
    wanted = np.linspace(-3, 3, 50)
    np.testing.assert_allclose(flow.llr(flow.apply(vectors, evidence=wanted)), wanted, atol=1e-4)
    np.testing.assert_allclose(flow.apply(vectors, evidence=flow.llr(vectors)), vectors, atol=1e-4)


@pytest.mark.parametrize("evidence", [np.zeros(3), np.zeros((50, 2)), np.nan, np.inf])
def test_evidence_that_does_not_fit(flow, bent, evidence):
    with pytest.raises(InputError, match="evidence"):
        flow.apply(bent[0][:50], evidence=evidence)


def test_protecting_changes_the_evidence_alone(flow, bent):
    before, after = flow.latent(bent[0]), flow.latent(flow.apply(bent[0]))
    np.testing.assert_allclose(after[:, 1:], before[:, 1:], atol=1e-3)


def test_it_finds_the_evidence_that_lda_cannot(bent):
    vectors, labels, truth = bent
    fresh = fit_flow_protection(
        vectors[:2500], labels[:2500], settings=replace(QUICK, epochs=25, noise=0.0, learning_rate=3e-3)
    )
    straight = fit_flow_protection(vectors[:2500], labels[:2500], settings=replace(QUICK, learning_rate=1e-9))
    assert np.corrcoef(fresh.llr(vectors[2500:]), truth[2500:])[0, 1] > 0.98
    assert np.corrcoef(straight.llr(vectors[2500:]), truth[2500:])[0, 1] < 0.9
    assert fresh.mu == pytest.approx(2.0, abs=0.4)


def test_an_untrained_flow_starts_at_the_gaussian_solution(two_gaussians):
    """LLR, mu and class means of linear discriminant analysis; the protected classes have one mean."""
    vectors, labels, _ = two_gaussians
    still = fit_flow_protection(vectors, labels, settings=replace(QUICK, learning_rate=1e-12, shrinkage=0.0, epochs=1))
    from stripeless.protections.lda import fit_lda_protection

    linear = fit_lda_protection(vectors, labels, projection="oblique")
    np.testing.assert_allclose(still.llr(vectors), linear.evidence(vectors)[:, 0], atol=1e-3)
    np.testing.assert_allclose(still.apply(vectors), linear.apply(vectors), atol=1e-4)
    difference = vectors[labels == "f"].mean(0) - vectors[labels == "m"].mean(0)
    assert 2 * still.mu == pytest.approx(linear.weights[:, 0] @ difference, rel=1e-3)


def test_three_classes_leave_no_likelihood_apart():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 1500)
    centers = np.array([[0, 0, 0, 0], [1.5, 0, 0, 0], [3.5, 1.0, 0, 0]])
    vectors = centers[labels] + rng.normal(size=(1500, 4))
    flow = fit_flow_protection(vectors, labels, settings=QUICK)
    truth = -0.5 * ((vectors[:, None] - centers) ** 2).sum(axis=2)
    truth -= truth.mean(axis=1, keepdims=True)
    assert np.corrcoef(flow.log_likelihoods(vectors).ravel(), truth.ravel())[0, 1] > 0.97
    assert np.abs(flow.log_likelihoods(flow.apply(vectors))).max() < 1e-3
    with pytest.raises(InputError, match="two classes"):
        flow.llr(vectors)


def test_what_the_couplings_do_not_act_on_passes(bent):
    flow = fit_flow_protection(bent[0], bent[1], settings=replace(QUICK, components=3, epochs=1))
    assert flow.components == 3
    assert flow.latent(bent[0]).shape == (3000, 5)
    np.testing.assert_allclose(flow.from_latent(flow.latent(bent[0])), bent[0], atol=1e-4)
    assert np.abs(flow.llr(flow.apply(bent[0]))).max() < 1e-4


def test_after_pca_nothing_is_left_outside_the_components(bent):
    vectors = bent[0] @ np.random.default_rng(0).normal(size=(5, 9)) + 0.01 * np.random.default_rng(1).normal(
        size=(3000, 9)
    )
    flow = fit_flow_protection(vectors, bent[1], settings=replace(QUICK, pca=4, epochs=1))
    protected = flow.apply(vectors)
    values = np.linalg.svd(protected - protected.mean(axis=0), compute_uv=False)
    assert values[3] > 1e-3 * values[0]  # one of the four is the evidence, which is the same for all
    assert values[4] < 1e-5 * values[0]
    assert np.abs(flow.llr(protected)).max() < 1e-3
    assert flow.latent(vectors).shape == (3000, 4)
    np.testing.assert_allclose(flow.latent(flow.from_latent(flow.latent(vectors))), flow.latent(vectors), atol=1e-4)


def test_vectors_full_of_zeros_are_warned_of(bent):
    with pytest.warns(ProtectionWarning, match="exactly zero"):
        fit_flow_protection(np.maximum(bent[0], 0), bent[1], settings=replace(QUICK, epochs=1))
    fit_flow_protection(np.maximum(bent[0], 0), bent[1], settings=replace(QUICK, epochs=1, pca=4))


def test_same_seed_same_flow_whatever_the_number_of_threads(bent):
    before = torch.get_num_threads()
    try:
        outcomes = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            outcomes.append(
                fit_flow_protection(bent[0], bent[1], settings=replace(QUICK, epochs=2), seed=4).apply(bent[0])
            )
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(*outcomes)
    other = fit_flow_protection(bent[0], bent[1], settings=replace(QUICK, epochs=2), seed=5).apply(bent[0])
    assert not np.array_equal(outcomes[0], other)


def test_it_leaves_the_callers_random_numbers_alone(bent):
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    fit_flow_protection(bent[0][:200], bent[1][:200], settings=replace(QUICK, epochs=1))
    assert torch.equal(torch.rand(3), expected)


def test_saved_and_loaded_it_is_the_same(flow, bent, tmp_path):
    flow.save(tmp_path / "flow.safetensors")
    loaded = load_protection(tmp_path / "flow.safetensors")
    np.testing.assert_array_equal(loaded.apply(bent[0]), flow.apply(bent[0]))
    assert loaded.mu == flow.mu
    assert loaded.training["settings"]["hidden"] == 32


def test_early_stopping_watches_other_speakers_and_keeps_the_best():
    """No structure beyond the Gaussian start: training on few speakers can only get worse for others."""
    rng = np.random.default_rng(3)
    speakers = np.repeat(np.arange(60), 10)
    labels = np.where(speakers % 2, "f", "m")
    vectors = rng.normal(size=(60, 12))[speakers] + 0.05 * rng.normal(size=(600, 12))
    flow = fit_flow_protection(
        vectors, labels, speakers=speakers, settings=FlowSettings(hidden=64, batch=32, epochs=30, patience=6)
    )
    losses = flow.training["losses"]
    assert flow.training["loss"] == min(losses)
    assert flow.training["epochs"] == int(np.argmin(losses)) < 24
    assert len(losses) <= flow.training["epochs"] + 7


def test_progress_counts_down(bent):
    seen: list[Progress] = []
    fit_flow_protection(bent[0][:300], bent[1][:300], settings=replace(QUICK, epochs=3), progress=seen.append)
    assert [p.done for p in seen] == [1, 2, 3]
    assert {p.total for p in seen} == {3}
    assert seen[-1].seconds_left == 0 < seen[0].seconds_left


def test_rows_come_out_in_their_order_and_precision(flow, bent):
    many = np.concatenate([bent[0]] * 3).astype(np.float32)  # more than one block
    protected = flow.apply(many)
    assert protected.dtype == np.float32
    np.testing.assert_allclose(protected[8990], flow.apply(bent[0][2990:2991])[0], atol=1e-4)


def test_the_paper_settings_train(bent):
    paper = FlowSettings.paper()
    assert (paper.couplings, paper.hidden, paper.learning_rate, paper.batch, paper.epochs) == (6, 1024, 1e-4, 64, 10)
    flow = fit_flow_protection(bent[0][:256], bent[1][:256], settings=replace(paper, epochs=1))
    assert flow.components == 5
    assert 8 < flow.training["trained_mu"] < 10.5  # starts at 10 and forgets one percent per batch


@pytest.mark.parametrize(
    "wrong", [{"epochs": 0}, {"components": 1}, {"start": "middle"}, {"mu_memory": 1.0}, {"held_out": 0.0}]
)
def test_settings_that_cannot_be(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        FlowSettings(**wrong)


def test_a_single_dimension_is_too_few():
    with pytest.raises(InputError, match="1 dimensions"):
        fit_flow_protection(np.random.default_rng(0).normal(size=(80, 1)), [0, 1] * 40)


def test_a_torch_device_gives_what_numpy_gives(flow, bent):
    """`cpu:0` takes the path of every torch device, without one."""
    np.testing.assert_allclose(flow.apply(bent[0], device="cpu:0"), flow.apply(bent[0]), atol=1e-4)
    np.testing.assert_allclose(
        flow.llr(flow.apply(bent[0][:9], evidence=1.5, device="cpu:0")), np.full(9, 1.5), atol=1e-3
    )


def test_mu_follows_the_evidence_and_not_where_it_started(two_gaussians):
    """Eq. 6: from far too much, mu comes down to what the vectors hold."""
    vectors, labels, _ = two_gaussians
    settings = FlowSettings(start="standardize", mu_start=30.0, mu_memory=0.5, epochs=3, hidden=8, couplings=2)
    flow = fit_flow_protection(vectors, labels, settings=settings)
    assert flow.training["trained_mu"] < 15
