import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.protections.load import load_protection
from stripeless.protections.settings import AdversarialSettings

pytest.importorskip("torch")

from stripeless.protections.train_adversarial import fit_adversarial_protection

QUICK = AdversarialSettings(code=16, hidden=32, epochs=30, batch=64, learning_rate=4e-3)


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(800) < 0.5, "f", "m")
    vectors = rng.normal(size=(800, 8)) * 3 + 1
    vectors[:, 0] += np.where(labels == "f", 5.0, -5.0)
    return vectors, labels


@pytest.fixture(scope="module")
def protection(population):
    return fit_adversarial_protection(*population, settings=QUICK)


def gap(vectors, labels):
    return abs(vectors[labels == "f", 0].mean() - vectors[labels == "m", 0].mean())


def test_the_attribute_goes_and_the_rest_stays(population, protection):
    vectors, labels = population
    protected = protection.apply(vectors)
    assert gap(protected, labels) < 0.2 * gap(vectors, labels)
    for place in range(1, 8):
        assert np.corrcoef(vectors[:, place], protected[:, place])[0, 1] > 0.75


def test_the_decoder_listens_to_the_attribute(population, protection):
    """Told one class or the other, the rebuilt vectors move to that class: the attribute has a place of its own."""
    vectors, _ = population
    as_f, as_m = protection.apply(vectors, attribute=[1, 0]), protection.apply(vectors, attribute=[0, 1])
    assert as_f[:, 0].mean() - as_m[:, 0].mean() > 5
    middle = protection.apply(vectors)
    np.testing.assert_array_equal(middle, protection.apply(vectors, attribute=[0.5, 0.5]))


def test_without_the_adversary_the_attribute_stays(population, protection):
    vectors, labels = population
    blind = fit_adversarial_protection(
        vectors,
        labels,
        settings=AdversarialSettings(code=16, hidden=32, epochs=30, batch=64, learning_rate=4e-3, adversary=1e-9),
    )
    assert gap(blind.apply(vectors), labels) > 2 * gap(protection.apply(vectors), labels)


def test_same_seed_same_bytes(population, tmp_path):
    vectors, labels = population
    quick = AdversarialSettings(code=4, hidden=16, epochs=1)
    for name in ("one", "two"):
        fit_adversarial_protection(vectors, labels, settings=quick, seed=2).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    loaded = load_protection(tmp_path / "one")
    assert loaded.classes == ("f", "m")
    assert loaded.apply(vectors.astype(np.float32)).dtype == np.float32


def test_three_classes(population):
    vectors, _ = population
    labels = np.arange(800) % 3
    protection = fit_adversarial_protection(vectors, labels, settings=AdversarialSettings(code=4, hidden=16, epochs=1))
    assert protection.apply(vectors).shape == vectors.shape
    assert protection.encode(vectors).shape == (800, 4)


def test_settings_that_cannot_be():
    with pytest.raises(InputError, match="code"):
        AdversarialSettings(code=0)
