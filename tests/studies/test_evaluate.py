"""From recordings to a report: attackers, leaks that must not happen, utility, and the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.anonymizers.mcadams import McAdams
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.attackers.backends import cross_fitted_scores, fit_backend, speaker_folds
from stripeless.attackers.voices import Encoded, play_encoder
from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import Recording, write_recording
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.cli import group
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.statistics import StatisticsEncoder
from stripeless.errors import InputError, StripelessError, TooFewTrials
from stripeless.measures.utility.pitch_correlation import pitch_correlation
from stripeless.measures.utility.word_errors import plain, word_errors
from stripeless.studies.evaluate import Options, evaluate_voices
from stripeless.studies.judged_data import matched

Pair = tuple[Corpus, Corpus]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("pair")
    original = synthetic_corpus(folder / "in", speakers=16, utterances=4, digits=4)
    return original, anonymize_corpus(original, folder / "out", McAdams(), workers=2).corpus


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    monkeypatch.setenv("STRIPELESS_CACHE", str(tmp_path / "cache"))

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(group, [str(argument) for argument in arguments])

    return run


def population(separation: float, seed: int = 0, people: int = 24, each: int = 6) -> Embeddings:
    rng = np.random.default_rng(seed)
    voices = separation * rng.normal(size=(people, 10))
    vectors = np.repeat(voices, each, axis=0) + rng.normal(size=(people * each, 10)) * np.linspace(0.2, 4, 10)
    speakers = tuple(f"s{k // each:02d}" for k in range(people * each))
    return Embeddings(vectors, tuple(f"{s}-{k}" for k, s in enumerate(speakers)), speakers)


def as_corpus(data: Embeddings, each: int = 6) -> Corpus:
    from stripeless.audio.corpus import Utterance, with_trials

    rows = zip(data.utterances, data.speakers or (), strict=True)
    return with_trials(Corpus(Path("x"), tuple(Utterance(n, Path(n), s) for n, s in rows)))


def eer_of(heard: Encoded, corpus: Corpus, attacker: str) -> float:
    value = play_encoder(heard, corpus, (attacker,))[0].assessment["eer"]
    assert isinstance(value, float)
    return value


def test_retraining_helps_where_there_is_something_to_learn() -> None:
    """Noise lies in a few directions: who learns which ones sees the speakers better."""
    data = population(1.0)
    heard, corpus = Encoded("x", data, data), as_corpus(data)
    assert eer_of(heard, corpus, "semi-informed") < eer_of(heard, corpus, "lazy-informed") - 0.05


def test_retraining_learns_nothing_from_noise() -> None:
    """Where nobody differs, cross-fitting must stay at chance: a leak of the trial speakers would show here."""
    rates = []
    for seed in range(4):
        data = population(0.0, seed)
        rates.append(eer_of(Encoded("x", data, data), as_corpus(data), "semi-informed"))
    assert np.mean(rates) == pytest.approx(0.5, abs=0.05)


def test_every_trial_is_scored_by_a_backend_that_saw_neither_speaker(monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.attackers import backends as retraining

    data = population(1.0)
    names = tuple(dict.fromkeys(data.speakers or ()))
    fold = speaker_folds(names, [""] * len(names), 4, 0)
    models = Embeddings(np.arange(len(names) * 10.0).reshape(-1, 10), names, names)

    class Spy:
        def __init__(self, vectors: np.ndarray, speakers: tuple[str, ...]) -> None:
            self.seen = {fold[s] for s in speakers}

        def scores(self, m: np.ndarray, t: np.ndarray, counts: np.ndarray) -> np.ndarray:
            return np.full((len(m), len(t)), sum(2.0**f for f in self.seen))

    monkeypatch.setattr(retraining, "backends", lambda: {"spy": Spy})
    monkeypatch.setattr(retraining, "choose_backend", lambda *a: "spy")
    matrix, _ = cross_fitted_scores(models, np.ones(len(names)), data, data, fold)
    for i, name in enumerate(names):
        for j, speaker in enumerate(data.speakers or ()):
            if fold[name] != fold[speaker]:
                assert np.isnan(matrix[i, j])
                continue
            seen = {f for f in range(4) if int(matrix[i, j]) >> f & 1}
            assert not seen & {fold[name], fold[speaker]}


def test_folds_are_of_equal_size_and_hold_each_speaker_once() -> None:
    names = [f"s{k}" for k in range(12)]
    fold = speaker_folds(names, ["f"] * 6 + ["m"] * 6, 4, 0)
    assert sorted(fold) == sorted(names)
    assert [list(fold.values()).count(f) for f in range(4)] == [3, 3, 3, 3]


def test_a_semi_informed_attacker_trains_on_other_people(pair: Pair, tmp_path: Path) -> None:
    """With a training corpus the comparison is learned there; with `network` a whole encoder too."""
    pytest.importorskip("torch")
    from stripeless.embeddings.encoders.xvector import NetworkTraining

    others = synthetic_corpus(tmp_path / "others", speakers=10, utterances=4, digits=2, seed=9, prefix="other")
    training = anonymize_corpus(others, tmp_path / "hidden", McAdams()).corpus
    network = NetworkTraining(epochs=4, batch=16, piece=60, channels=16, dimension=8)
    result = evaluate_voices(*pair, [StatisticsEncoder()], replace(quick(pair), network=network), training=training)
    semi = {(one.encoder, one.backend) for one in result.played if one.attacker == "semi-informed"}
    assert {encoder for encoder, _ in semi} == {"statistics", "xvector"}
    assert any(encoder == "statistics" and not backend.endswith("cross-fitted") for encoder, backend in semi)
    assert {backend for encoder, backend in semi if encoder == "xvector"} == {"cosine"}
    with pytest.raises(InputError, match="needs --training"):
        evaluate_voices(*pair, [StatisticsEncoder()], replace(quick(pair), network=network))


def test_too_few_speakers_teach_nothing() -> None:
    with pytest.raises(InputError, match="at least 6 people"):
        fit_backend(np.zeros((4, 2)), ("a", "a", "b", "b"))


@pytest.fixture(scope="module")
def evaluated(pair: Pair) -> dict[str, Any]:
    return evaluate_voices(*pair, [StatisticsEncoder()], quick(pair)).to_dict()


def quick(pair: Pair) -> Options:
    return Options(utility=False, cache=pair[1].folder / "cache")


def test_evaluation_of_synthetic_voices(evaluated: dict[str, Any]) -> None:
    result = evaluated
    assert [a["attacker"] for a in result["attackers"]] == ["ignorant", "lazy-informed", "semi-informed"]
    eer = {a["attacker"]: a["measures"]["eer"]["value"] for a in result["attackers"]}
    original = result["original"]["measures"]["eer"]["value"]
    assert eer["ignorant"] > original
    assert min(eer.values()) < eer["ignorant"]
    voices = result["voices"]
    assert {row["sex"] for row in voices["listeners"]} == {"all", "f", "m"}
    assert {row["encoder"] for row in voices["listeners"]} == {"statistics", "noise-floor"}
    assert voices["ranks"]["original"]["templates"] == 16
    assert set(voices["similarity"]) == {"f", "m"}
    json.dumps(result, allow_nan=False)


def test_the_ceiling_may_relearn_as_the_semi_informed_attacker_does(evaluated: dict[str, Any]) -> None:
    """Else anonymized speech could seem easier to recognize than original speech."""
    rows = [
        row
        for row in evaluated["voices"]["listeners"]
        if row["sex"] == "all" and row["encoder"] == "statistics" and row["attacker"] == "original"
    ]
    assert {row["backend"].endswith("cross-fitted") for row in rows} == {True, False}
    assert evaluated["original"]["measures"]["d_ece"]["value"] in [row["d_ece"] for row in rows]


def test_the_result_fits_the_schema_and_is_read_back(evaluated: dict[str, Any]) -> None:
    from importlib.resources import files

    from stripeless.results.stored import parse_result

    jsonschema = pytest.importorskip("jsonschema", reason="checking the schema needs jsonschema")
    schema = json.loads(files("stripeless").joinpath("data", "result.schema.json").read_text(encoding="utf-8"))
    text = json.dumps(evaluated, allow_nan=False)
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    assert parse_result(text.encode(), "x.json").to_dict() == json.loads(text)
    broken = json.loads(text)
    del broken["voices"]["ranks"]
    assert not jsonschema.Draft202012Validator(schema).is_valid(broken)


def test_same_input_same_result(pair: Pair, evaluated: dict[str, Any]) -> None:
    assert evaluate_voices(*pair, [StatisticsEncoder()], quick(pair)).to_dict() == evaluated


def test_copies_of_the_originals_are_noticed(pair: Pair) -> None:
    result = evaluate_voices(pair[0], pair[0], [StatisticsEncoder()], quick(pair))
    assert any(f.code == "not-anonymized" and f.severity == "serious" for f in result.evaluation.warnings)


def test_training_speakers_must_be_other_people(pair: Pair) -> None:
    with pytest.raises(InputError, match="also speak in the trials"):
        evaluate_voices(*pair, [StatisticsEncoder()], Options(utility=False), training=pair[1])


def test_row_order_of_the_anonymized_corpus_does_not_matter(pair: Pair) -> None:
    shuffled = replace(pair[1], utterances=pair[1].utterances[::-1])
    _, after, _ = matched(pair[0], shuffled)
    assert [u.name for u in after.utterances] == [u.name for u in pair[0].utterances]


def test_what_has_no_copy_stops_the_run_or_is_left_out_and_said(pair: Pair) -> None:
    fewer = replace(pair[1], utterances=pair[1].utterances[1:], enrollment=(), trials=())
    gone = pair[0].utterances[0].name
    with pytest.raises(InputError, match=rf"1 of 64 .* without an anonymized copy \({gone}\).* --allow-missing"):
        evaluate_voices(pair[0], fewer, [StatisticsEncoder()], quick(pair))
    result = evaluate_voices(pair[0], fewer, [StatisticsEncoder()], replace(quick(pair), allow_missing=True))
    assert result.voices is not None
    assert result.voices.corpus["utterances"] == 63
    assert result.notes[-1] == f"left out: 1 without an anonymized copy ({gone})"
    assert [(f.code, f.severity) for f in result.warnings if f.code.startswith("missing")] == [("missing", "caution")]
    with pytest.raises(InputError, match="names must agree"):
        matched(pair[0], Corpus(Path("y"), (replace(pair[0].utterances[0], name="zz"),)))


def test_a_recording_on_both_sides_of_the_test_is_refused(pair: Pair) -> None:
    """Who enrolled with a recording is always recognized in it."""
    with pytest.raises(InputError, match="enrolls a speaker and is a trial too"):
        replace(pair[0], enrollment=(*pair[0].enrollment, pair[0].trials[0].utterance))


def test_a_trial_with_a_wrong_label_is_refused(pair: Pair) -> None:
    first, *rest = pair[0].trials
    with pytest.raises(InputError, match="speaks in that utterance"):
        replace(pair[0], trials=(replace(first, target=not first.target), *rest))


def test_copies_between_enrollment_and_trials_are_noticed(pair: Pair) -> None:
    """The same recording under two names."""
    known, first = pair[0].by_name(), pair[0].trials[0].utterance
    twin = next(n for n in pair[0].enrollment if known[n].speaker == known[first].speaker)
    swapped = tuple(replace(u, path=known[twin].path) if u.name == first else u for u in pair[0].utterances)
    result = evaluate_voices(replace(pair[0], utterances=swapped), pair[1], [StatisticsEncoder()], quick(pair))
    found = [f for f in result.evaluation.warnings if f.code == "copies"]
    assert [f.severity for f in found] == ["serious"]
    assert repr(twin) in found[0].message


def test_broken_recordings_stop_the_run_or_are_left_out_by_name(pair: Pair, tmp_path: Path) -> None:
    """On the original side, on the anonymized side, and silence; what is left is the same on both sides."""
    names = [u.name for u in pair[0].utterances]
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    write_recording(tmp_path / "silent.wav", Recording(np.zeros(16000), 16000))
    before = tuple(replace(u, path=tmp_path / "broken.wav") if u.name == names[0] else u for u in pair[0].utterances)
    after = tuple(replace(u, path=tmp_path / "silent.wav") if u.name == names[5] else u for u in pair[1].utterances)
    damaged = (replace(pair[0], utterances=before), replace(pair[1], utterances=after))
    with pytest.raises(InputError, match=r"broken\.wav"):
        evaluate_voices(*damaged, [StatisticsEncoder()], quick(pair))
    result = evaluate_voices(*damaged, [StatisticsEncoder()], replace(quick(pair), on_error="skip"))
    assert result.voices.corpus["utterances"] == len(names) - 2
    notes = " ".join(result.evaluation.notes)
    assert "broken.wav" in notes
    assert f"1 silent or shorter than 0.1 s ({names[5]}), 1 that cannot be read ({names[0]})" in notes


def test_ranks_are_counted_on_what_the_attackers_compare(evaluated: dict[str, Any], pair: Pair) -> None:
    """`statistics` has numbers of different units; without standardizing, ranks and attackers heard different things."""
    from stripeless.embeddings.encoders.noise_floor import NoiseFloorEncoder
    from stripeless.embeddings.extract import extract_embeddings
    from stripeless.studies.evaluate import ranks_of

    sides = [extract_embeddings(c, NoiseFloorEncoder(), cache=quick(pair).cache).embeddings for c in pair]
    scaled = [replace(e, vectors=e.vectors * np.geomspace(1, 1e4, e.dimension)) for e in sides]
    plain, stretched = (ranks_of(Encoded("x", *s, standardize=True), pair[0]) for s in (sides, scaled))
    assert plain["original"]["mean_disclosure"] == pytest.approx(stretched["original"]["mean_disclosure"])


def test_an_anonymizer_that_leaves_no_voice_is_not_judged_by_the_rest(pair: Pair, tmp_path: Path) -> None:
    from stripeless.measures.utility.voices import melody, trial_utterances

    lost = trial_utterances(pair[0])[0].name
    noise = np.random.default_rng(0).standard_normal(32000) * 0.1
    write_recording(tmp_path / "whisper.wav", Recording(noise, 16000))
    after = tuple(replace(u, path=tmp_path / "whisper.wav") if u.name == lost else u for u in pair[1].utterances)
    found = melody(pair[0], replace(pair[1], utterances=after), limit=8)
    assert found["without_voice"] == 1
    assert found["utterances"] == 7


def test_a_flat_folder_of_copies_is_read(pair: Pair, tmp_path: Path) -> None:
    from stripeless.audio.corpus_files import read_copies

    for utterance in pair[0].utterances[:3]:
        (tmp_path / f"{utterance.name}.wav").write_bytes(utterance.path.read_bytes())
    found = read_copies(tmp_path, pair[0])
    assert [u.name for u in found.utterances] == [u.name for u in pair[0].utterances[:3]]
    assert found.speakers == (pair[0].speakers[0],)
    for path in tmp_path.iterdir():
        path.rename(tmp_path / f"x{path.name}")
    with pytest.raises(InputError, match="named after an utterance"):
        read_copies(tmp_path, pair[0])


def test_word_errors_known_answers() -> None:
    pytest.importorskip("jiwer")
    found = word_errors({"a": "one two three", "b": "Four."}, {"a": "one three", "b": "four five"})
    assert (found.words, found.deletions, found.insertions, found.substitutions) == (4, 1, 1, 0)
    assert found.rate == 0.5
    assert plain("It's, ON!") == "it's on"
    with pytest.raises(InputError, match="no transcript"):
        word_errors({"a": "one"}, {})


def test_pitch_correlation_known_answers() -> None:
    contour = 120 + 20 * np.sin(np.arange(100) / 8)
    assert pitch_correlation(contour, 300 - contour) < -0.8  # the search for a lag finds a little less than -1
    assert pitch_correlation(contour, np.interp(np.linspace(0, 99, 150), np.arange(100), contour)) > 0.98
    assert pitch_correlation(contour, np.concatenate([np.zeros(2), contour[:-2]])) == pytest.approx(1.0)
    octave = contour.copy()
    octave[[20, 50]] = [2 * contour[20], contour[50] / 2]  # two frames an octave off must not decide
    assert pitch_correlation(contour, octave) == pytest.approx(1.0)
    with pytest.raises(TooFewTrials):
        pitch_correlation(np.zeros(50), contour)


def test_digit_recognizer_on_real_speech(digits: Path) -> None:
    pytest.importorskip("pocketsphinx")
    pytest.importorskip("jiwer")
    from stripeless.recognizers.transcribe import Transcriber

    chosen = read_corpus(digits).utterances[:48:4]
    heard = {u.name: Transcriber("sphinx-digits")(u) for u in chosen}
    assert word_errors({u.name: u.text or "" for u in chosen}, heard).rate < 0.25
    backwards = {u.name: Transcriber("sphinx-digits")(u) for u in chosen[::-1]}
    assert backwards == heard  # nothing is carried over from one recording to the next


def test_anonymize_command_on_a_file_and_a_corpus(invoke: Callable[..., Result], pair: Pair, tmp_path: Path) -> None:
    source = pair[0].utterances[0].path
    done = invoke("anonymize", source, tmp_path / "hidden.wav", "--set", "alpha=0.7")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "hidden.wav").stat().st_size == source.stat().st_size
    done = invoke("anonymize", pair[0].folder, tmp_path / "out", "--jobs", 1, "--json")
    assert json.loads(done.stdout)["made"] == 64
    done = invoke("anonymize", pair[0].folder, tmp_path / "out", "--jobs", 1, "--json")
    assert json.loads(done.stdout)["kept"] == 64


def test_embed_command(invoke: Callable[..., Result], pair: Pair, tmp_path: Path) -> None:
    done = invoke("embed", pair[0].folder, tmp_path / "x.npz", "--encoder", "noise-floor", "--jobs", 1)
    assert done.exit_code == 0, done.output
    from stripeless.embeddings.files import read_embeddings

    read = read_embeddings(tmp_path / "x.npz")
    assert (len(read), read.dimension) == (64, 20)
    assert read.speakers is not None


def test_evaluate_command_writes_a_report_with_sound(invoke: Callable[..., Result], pair: Pair, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = invoke("evaluate", pair[0].folder, "--anonymized", pair[1].folder, "--encoder", "statistics", "--no-utility",
                  "--resamples", 0, "--jobs", 1, "--out", out, "--json", "--cache", pair[1].folder / "cache")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["kind"] == "evaluation"
    page = (out / "report.html").read_text()
    assert page.count("data:audio/wav;base64,") == 6
    assert "<script" not in page
    names = {path.name for path in (out / "scores").iterdir()}
    assert {f"statistics-{name}.csv" for name in ("original", "ignorant", "lazy-informed", "semi-informed")} <= names
    assert "statistics-original-cosine.csv" in names or "statistics-original-plda.csv" in names
    rows = json.loads((out / "result.json").read_text())["voices"]["listeners"]
    assert len(names) == sum(row["encoder"] == "statistics" and row["sex"] == "all" for row in rows), "every back-end"
    assessed = invoke("assess", out / "scores" / "statistics-ignorant.csv", "--json")
    result = json.loads(done.stdout)
    assert json.loads(assessed.stdout)["measures"]["eer"]["value"] == pytest.approx(
        result["attackers"][0]["measures"]["eer"]["value"]
    )


def test_evaluate_puts_sound_into_the_json_only_when_asked(
    invoke: Callable[..., Result], pair: Pair, tmp_path: Path
) -> None:
    from stripeless.report.kinds import html_of
    from stripeless.results.stored import parse_result

    call = ("evaluate", pair[0].folder, "--anonymized", pair[1].folder, "--encoder", "statistics", "--no-utility",
            "--resamples", 0, "--jobs", 1, "--json", "--cache", pair[1].folder / "cache")  # fmt: skip
    assert "listen" not in json.loads(invoke(*call).stdout)
    done = invoke(*call, "--embed-audio", "--figures", tmp_path / "figures")
    assert done.exit_code == 0, done.output
    result = parse_result(done.stdout.encode(), "x.json").to_dict()
    assert len(result["listen"]) == 3
    assert html_of(result).count("data:audio/wav;base64,") == 6
    assert (tmp_path / "figures" / "det.png").exists()
    assert (tmp_path / "figures" / "det.csv").read_text().startswith("system,false_alarm,miss")


def test_a_name_cannot_smuggle_html_into_the_report(evaluated: dict[str, Any]) -> None:
    from stripeless.report import render_html

    result = evaluated
    sound = "data:audio/wav;base64,AAAA"
    listen_to = [{"speaker": "<b>x</b>", "sex": "", "text": '"><script>', "before": sound, "after": sound}]
    page = render_html({**result, "listen": [*listen_to, {**listen_to[0], "after": "https://example.org/a.wav"}]})
    assert "<b>x</b>" not in page
    assert "<script>" not in page
    assert "example.org" not in page


def test_evaluate_says_which_files_it_needs(invoke: Callable[..., Result], tmp_path: Path) -> None:
    assert invoke("evaluate").exit_code == 2
    assert "--template" in invoke("evaluate").output
    assert invoke("evaluate", "--template", tmp_path / "list.csv").exit_code == 0
    assert read_corpus(tmp_path / "list.csv").speakers == ("anna", "boris")
    for wrong in (("--encoder", "magic"), ("--asr", "magic"), ("--transcripts", "x=nowhere.txt")):
        done = invoke("evaluate", tmp_path / "nowhere", "--anonymizer", "mcadams", *wrong)
        assert wrong[1].rpartition("=")[2] in str(done.exception)  # before hours of work, and before the corpus is read
    missing = invoke("evaluate", tmp_path / "nowhere", "--anonymizer", "mcadams")
    assert isinstance(missing.exception, StripelessError)
    assert "a corpus is one of" in str(missing.exception)


def test_real_digits_ignorant_is_fooled_and_informed_is_not(digits: Path, tmp_path: Path) -> None:
    """Three speakers of each sex are enough to show the order seen before; all of them take minutes."""
    pytest.importorskip("torch")
    from stripeless.embeddings.encoders.catalog import make_encoder
    from stripeless.errors import MissingExtra

    try:
        encoder = make_encoder("ge2e")
    except MissingExtra as error:
        pytest.skip(str(error))
    corpus = read_corpus(digits)
    women = [s for s in corpus.speakers if corpus.of_speaker(s)[0].sex == "f"][:3]
    men = [s for s in corpus.speakers if corpus.of_speaker(s)[0].sex == "m"][:3]
    part = corpus.subset([*women, *men])
    few = {u.name for u in part.utterances if int(u.name[-2:]) in (0, 1, 2, 6, 7, 8, 9)}
    part = replace(
        part,
        utterances=tuple(u for u in part.utterances if u.name in few),
        enrollment=tuple(name for name in part.enrollment if name in few),
        trials=tuple(t for t in part.trials if t.utterance in few),
    )
    hidden = anonymize_corpus(part, tmp_path / "out", McAdams()).corpus
    result = evaluate_voices(part, hidden, [encoder], Options(utility=False))
    found = {a.attacker: a["eer"] for a in result.evaluation.attackers}
    original = result.evaluation.original
    assert original is not None
    assert original["eer"] < 0.01
    assert found["ignorant"] > 0.05
    assert found["lazy-informed"] < found["ignorant"] / 2
    assert any(f.code == "no-semi-informed" for f in result.evaluation.warnings)


def test_weak_encoders_alone_are_a_caution() -> None:
    from stripeless.attackers.voice_checks import only_weak
    from stripeless.embeddings.encoders.catalog import make_encoder

    weak = [make_encoder("compact"), make_encoder("statistics")]
    assert [finding.code for finding in only_weak(weak)] == ["weak-encoder"]

    class Strong:
        name = "campplus"

    assert only_weak([*weak, Strong()]) == []  # type: ignore[list-item]
