"""stripeless protect on files: what it prints, writes and refuses."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("sklearn")

from stripeless.cli.protect import command
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.errors import InputError, StripelessError

JUDGED = ["--classifier", "logistic", "--resamples", "0"]
QUICK = ["--method", "lda", *JUDGED]


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    """Training anew 99 times is tried where it is tested."""
    monkeypatch.setattr("stripeless.attributes.exchange.REFITS", 19)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """80 speakers of 6 utterances, half of them women."""
    place = tmp_path_factory.mktemp("vectors")
    rng = np.random.default_rng(0)
    speakers = np.repeat(np.arange(80), 6)
    sex = np.where(speakers % 2, "m", "f")
    vectors = 2.0 * rng.normal(size=(80, 5))[speakers] + rng.normal(size=(480, 5))
    vectors[:, 0] += np.where(sex == "f", 5.0, -5.0)
    names = tuple(f"u{row:03d}" for row in range(480))
    people = tuple(f"s{speaker:02d}" for speaker in speakers)
    both = Embeddings(vectors, names, people, tuple(sex))
    write_embeddings(place / "all.npz", both)
    for name, chosen in (("one", slice(0, 240)), ("two", slice(240, 480))):
        write_embeddings(
            place / f"{name}.npz", Embeddings(vectors[chosen], names[chosen], people[chosen], tuple(sex[chosen]))
        )
    write_embeddings(place / "bare.npz", Embeddings(vectors, names))
    masked = vectors[::-1] * [0, 1, 1, 1, 1] + 1e-9 * rng.normal(size=(480, 5))
    write_embeddings(place / "hidden.npz", Embeddings(masked, names[::-1]))
    ages = {person: 20 + int(person[1:]) % 3 * 20 for person in people}
    (place / "ages").write_text("".join(f"{person} {age}\n" for person, age in ages.items()))
    return place


def run(*words, fails=False):
    runner = CliRunner()
    result = runner.invoke(command, [str(word) for word in words])
    if fails:
        assert isinstance(result.exception, StripelessError | SystemExit)
        return str(result.exception) + result.output
    assert result.exception is None, result.exception
    return result


def test_fit_apply_judge_and_write(folder, tmp_path):
    result = run(
        folder / "all.npz", *QUICK, "--out", tmp_path / "out.npz", "--save", tmp_path / "sex.safetensors",
        "--html", tmp_path / "report.html",
    )  # fmt: skip
    assert "Verifier" in result.stdout
    assert "plda" in result.stdout
    written = read_embeddings(tmp_path / "out.npz")
    assert written.speakers == read_embeddings(folder / "all.npz").speakers
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "Before" in page
    again = run(folder / "all.npz", "--model", tmp_path / "sex.safetensors", *JUDGED, "--out", tmp_path / "again.npz")
    assert again.exception is None
    np.testing.assert_array_equal(read_embeddings(tmp_path / "again.npz").vectors, written.vectors)


def test_json_alone_on_standard_output_and_the_same_twice(folder):
    words = (folder / "two.npz", "--fit-on", folder / "one.npz", *QUICK, "--json")
    first, second = run(*words), run(*words)
    assert first.stdout == second.stdout
    proof = json.loads(first.stdout)
    assert proof["measures"]["d_ece"]["value"] < 0.2 < proof["original"]["measures"]["d_ece"]["value"]
    assert proof["speakers"] == {"f": 20, "m": 20}
    assert proof["llr"]["cllr_min"] <= proof["llr"]["cllr"] < 0.5
    assert set(proof["protected"]["verification"]) == {"cosine", "plda"}


def test_the_result_with_figures_opens_again(folder, tmp_path):
    """What --json prints beside --html is what the page and `summary` read: its shape is checked there."""
    pytest.importorskip("matplotlib")
    from stripeless.results.attribute import AttributeProof

    proof = json.loads(
        run(folder / "two.npz", "--fit-on", folder / "one.npz", *QUICK, "--json", "--html", tmp_path / "r.html").stdout
    )
    assert proof["map_method"] in ("UMAP", "t-SNE", "PCA")
    AttributeProof.from_dict(proof)
    page = (tmp_path / "r.html").read_text()
    assert "log-likelihood ratio" in page
    assert f"{proof['llr']['cllr']:.3f}" in page
    with pytest.raises(InputError, match="llr"):
        AttributeProof.from_dict({**proof, "llr": {"cllr": "good"}})


def test_a_users_pair_of_files_in_another_order(folder):
    proof = json.loads(run(folder / "all.npz", "--protected", folder / "hidden.npz", *JUDGED, "--json").stdout)
    assert proof["method"] == ""
    assert proof["original"]["measures"]["d_ece"]["value"] > 0.5
    assert proof["measures"]["d_ece"]["value"] < 0.1


def test_the_command_and_python_give_one_dict(folder):
    """Everything in the JSON is there for who calls `protect_study`, and nothing else."""
    from stripeless import protect_study

    one, two = (read_embeddings(folder / name) for name in ("one.npz", "two.npz"))
    quick = {"classifiers": ["logistic"], "resamples": 0}
    halves = protect_study(read_embeddings(folder / "all.npz"), method="lda", name="all.npz", **quick)
    assert json.loads(run(folder / "all.npz", *QUICK, "--json").stdout) == json.loads(json.dumps(halves.to_dict()))
    apart = protect_study(two, method="lda", fit_on=one, name="two.npz", **quick)
    words = (folder / "two.npz", "--fit-on", folder / "one.npz", *QUICK, "--json")
    assert json.loads(run(*words).stdout) == json.loads(json.dumps(apart.to_dict()))
    assert {"method", "figures", "llr"} <= set(apart.to_dict())


def test_labels_that_contradict_each_other_are_refused(folder, tmp_path):
    lines = (folder / "ages").read_text() + "s07 99\n"
    (tmp_path / "ages").write_text(lines)
    said = run(folder / "all.npz", "--labels", tmp_path / "ages", *QUICK, fails=True)
    assert "two values" in said
    assert "line 481" in said or f"line {len(lines.splitlines())}" in said


def test_ages_are_cut_into_classes(folder):
    words = (folder / "all.npz", "--labels", folder / "ages", "--bins", "2", *QUICK, "--json")
    assert len(json.loads(run(*words).stdout)["classes"]) == 2


def test_ages_of_two_sets_of_people_are_cut_in_the_same_places(folder, tmp_path):
    """Speakers of --fit-on and of VECTORS differ in age; the classes must not."""
    people = [f"s{speaker:02d}" for speaker in range(80)]
    (tmp_path / "ages").write_text("".join(f"{name} {20 + place % 33}\n" for place, name in enumerate(people)))
    words = (folder / "two.npz", "--fit-on", folder / "one.npz", "--labels", tmp_path / "ages", "--bins", "2", *QUICK)
    proof = json.loads(run(*words, "--method", "oblique", "--json", fails=False).stdout)
    assert "llr" in proof  # only where fitted and judged classes have the same names


def test_a_loaded_protection_may_have_met_the_speakers_and_that_is_said(folder, tmp_path):
    run(folder / "all.npz", "--method", "lda", "--no-judge", "--save", tmp_path / "sex.safetensors")
    proof = json.loads(run(folder / "all.npz", "--model", tmp_path / "sex.safetensors", *JUDGED, "--json").stdout)
    assert "fitting_speakers_unknown" in {finding["code"] for finding in proof["warnings"]}
    honest = json.loads(run(folder / "two.npz", "--fit-on", folder / "one.npz", *QUICK, "--json").stdout)
    assert honest["warnings"] == []


def test_a_protection_of_another_attribute_is_judged_all_the_same(folder, tmp_path):
    run(folder / "all.npz", "--method", "lda", "--no-judge", "--save", tmp_path / "sex.safetensors")
    words = ("--model", tmp_path / "sex.safetensors", "--labels", folder / "ages", "--bins", "2", *JUDGED, "--json")
    proof = json.loads(run(folder / "all.npz", *words).stdout)
    assert "llr" not in proof
    (finding,) = [finding for finding in proof["warnings"] if finding["code"] == "other_attribute"]
    assert "The protection hides f, m; judged here is" in finding["message"]


def test_warnings_about_the_fit_are_in_the_report_too(folder, tmp_path):
    words = (folder / "all.npz", "--folds", "2", *QUICK, "--html", tmp_path / "r.html")
    few = read_embeddings(folder / "all.npz")
    rows = [row for row, who in enumerate(few.speakers) if int(who[1:]) < 60]
    part = Embeddings(
        few.vectors[rows], *(tuple(names[row] for row in rows) for names in (few.utterances, few.speakers, few.sex))
    )
    write_embeddings(tmp_path / "few.npz", part)
    result = run(tmp_path / "few.npz", *words[1:])
    assert "fewer than 20" in result.stderr
    assert "fewer than 20" in result.stdout
    assert "fewer than 20" in (tmp_path / "r.html").read_text()
    assert "s left" in result.stderr


@pytest.mark.parametrize(("method", "words"), [("oblique", "one mean"), ("moments", "spread differs")])
def test_methods_without_torch(folder, method, words, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    fitted = (folder / "all.npz", *QUICK, "--method", method, *(("--directions", "1") if method == "moments" else ()))
    result = run(*fitted)
    assert words in result.stdout
    proof = json.loads(run(*fitted, "--json").stdout)
    assert proof["measures"]["d_ece"]["value"] < 0.2 < proof["original"]["measures"]["d_ece"]["value"]


def test_the_flow_tells_how_long_it_takes(folder, tmp_path):
    pytest.importorskip("torch")
    result = run(folder / "all.npz", "--no-judge", "--epochs", "2", "--out", tmp_path / "out.npz")
    assert "s left" in result.stderr
    assert result.stdout == ""
    assert (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("all.npz", "--fit-on", "one.npz"), "among the vectors to judge too"),
        (("bare.npz",), "names no speakers"),
        (("all.npz", "--protected", "one.npz"), "lacks u240 and 239 other"),
        (("all.npz", "--model", "all.npz"), "not a protection"),
        (("all.npz", "--fit-on", "one.npz", "--protected", "two.npz"), "exclude each other"),
        (("all.npz", "--labels", "all.npz"), "cannot be read"),
    ],
)
def test_what_is_refused(folder, tmp_path, words, says):
    out = tmp_path / "out.npz"
    paths = [folder / word if word.endswith(".npz") else word for word in words]
    made = "--protected" in words or "--model" in words  # by a method of its own
    assert says in run(*paths, *(JUDGED if made else QUICK), "--out", out, fails=True)
    assert not out.exists()


def test_a_file_of_labels_that_nobody_named_is_told(folder, tmp_path):
    all_ = read_embeddings(folder / "all.npz")
    write_embeddings(tmp_path / "x.npz", Embeddings(all_.vectors, all_.utterances, all_.speakers))
    sexes = dict(zip(all_.speakers, all_.sex, strict=True))
    (tmp_path / "spk2gender").write_text("".join(f"{who} {sex}\n" for who, sex in sexes.items()))
    note = f"The sex of the speakers was read from {tmp_path / 'spk2gender'}, which was not named"
    shown = run(tmp_path / "x.npz", *QUICK, "--html", tmp_path / "page.html")
    assert note in shown.stdout
    assert note in (tmp_path / "page.html").read_text()
    (said,) = json.loads(run(tmp_path / "x.npz", *QUICK, "--json").stdout)["notes"]
    assert said.startswith(note)
    assert "notes" not in json.loads(run(tmp_path / "x.npz", "--labels", folder / "ages", *QUICK, "--json").stdout)
    few = read_embeddings(folder / "two.npz")
    write_embeddings(tmp_path / "x.npz", Embeddings(few.vectors, few.utterances, few.speakers))
    words = ("--method", "apart", "--pool", folder / "one.npz", "--set", "dimensions=4", "--seed", "7", "--json")
    (said,) = json.loads(run(tmp_path / "x.npz", *words, "--out", tmp_path / "y.npz").stdout)["notes"]
    assert said.startswith(note)


def test_labels_that_are_missing(folder, tmp_path):
    (tmp_path / "few").write_text("s00 young\ns01 old\n")
    assert "no label for s02" in run(folder / "all.npz", "--labels", tmp_path / "few", fails=True)
    (tmp_path / "odd").write_text("s00\n")
    assert "line 1" in run(folder / "all.npz", "--labels", tmp_path / "odd", fails=True)
