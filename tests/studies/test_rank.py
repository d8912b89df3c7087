"""Rank analysis, its figures, its page and its command."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from stripeless.cli.rank import command, in_time
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import write_embeddings
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError, TooFewTrials
from stripeless.papers.reproduce import reproduce
from stripeless.ranks.analysis import analyze_ranks, rank_bins, sampled_eer
from stripeless.ranks.counts import count_ranks, ranking_job
from stripeless.report.rank import html as render_rank_html
from stripeless.report.rank import in_words, table_ii, table_iii
from stripeless.report.rank import text as render_rank_text
from stripeless.results.ranks import RankReport, SpeakersDisclosure
from stripeless.studies.rank import RankSettings, observations_of, rank_against, rank_within, study_features


def voices(people=40, count=6, dimension=8, noise=0.8, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(people, 1, dimension)) + noise * random.normal(size=(people, count, dimension))


def embeddings(array, prefix="u"):
    people, count, dimension = array.shape
    speakers = tuple(f"s{i:03d}" for i in range(people) for _ in range(count))
    return Embeddings(
        array.reshape(-1, dimension), tuple(f"{prefix}{i}" for i in range(people * count)), speakers=speakers
    )


@pytest.fixture(scope="module")
def report():
    features = {"voice": (voices(), "cosine"), "pitch": (np.abs(voices(noise=3, seed=1)), "hellinger")}
    names = [f"s{i}" for i in range(40)]
    return study_features(features, names, RankSettings(resamples=50), lengths=[1, 2, 3], name="A study")


def test_result_is_plain_json_and_complete(report):
    result = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert result["kind"] == "rank"
    first, second = result["features"]
    assert result["measures"] == first["measures"]
    assert {"value", "low", "high", "unit"} <= set(first["measures"]["mean_disclosure"])
    assert first["measures"]["mean_disclosure"]["value"] > second["measures"]["mean_disclosure"]["value"]
    assert set(first["fits"]) == {"ll", "ms", "wms", "rwms", "cll"}
    assert first["eer"] < 0.2 < second["eer"]
    assert result["sum"]["total"] == pytest.approx(sum(f["model"]["mean_disclosure"] for f in result["features"]))
    assert result["sum"]["allowed"]
    assert result["stream"]["mean_disclosure_model"][2][2] > result["stream"]["mean_disclosure_model"][0][0]


def test_tables_hold_the_numbers_of_the_result(report):
    columns, rows = table_ii(report)
    assert columns == ["", "voice", "pitch"]
    value = report.features[0].measures["max_disclosure"].value
    assert next(row for row in rows if row[0] == "MaxD (bit)")[1].startswith(f"{value:.2f} [")
    _, fits = table_iii(report)
    assert len(fits) == 10
    assert fits[0][1] == f"{report.features[0].fits['ll'].kl_divergence:.3g}"


def test_page_is_one_file_without_script_and_escapes_names(report):
    result = replace(report, name="<script>alert(1)</script>")
    page = render_rank_html(result)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<svg") >= 6
    assert not re.search(r'(?:src|href)="https?:', page)
    assert page == render_rank_html(result)


def test_every_figure_can_be_drawn(report):
    pytest.importorskip("matplotlib")
    from stripeless.plots.rank import draw_rank, plot_stream

    result = report.to_dict()
    assert set(draw_rank(result)) == {
        "rank_histogram", "cmc", "speaker_disclosure", "example_speaker", "stream", "rank_shapes",
    }  # fmt: skip
    assert len(plot_stream(result).get_lines()) == 5
    with pytest.raises(InputError, match="no lengths"):
        plot_stream(result | {"stream": None})
    with pytest.raises(InputError, match="result of a ranking"):
        plot_stream({"kind": "assessment"})


def test_warnings_for_few_probes_ties_and_reversal():
    few = analyze_ranks(count_ranks(voices(60)[:, 0], voices(60)[:, 1]), resamples=0)
    assert [w.code for w in few.warnings] == ["sparse_ranks"]
    same = np.ones((60, 1, 3)) + np.zeros((60, 4, 3))
    tied, _ = rank_within(same, [str(i) for i in range(60)], RankSettings(resamples=0))
    assert "ties" in [w.code for w in tied.warnings]
    assert tied.disclosure.mean_disclosure == pytest.approx(0, abs=1e-9)

    def distance_as_similarity(a, b):
        return np.linalg.norm(a[:, None] - b[None], axis=2)

    array = voices(60, noise=0.5)
    reversed_ = analyze_ranks(count_ranks(array[:, 0], array[:, 1], metric=distance_as_similarity), resamples=0)
    assert "reversed" in [w.code for w in reversed_.warnings]


def test_bins_cover_every_rank_once():
    for n in (2, 9, 30, 1251, 1_000_000):
        edges = rank_bins(n)
        assert edges[0] == 0
        assert edges[-1] == n
        assert (np.diff(edges) > 0).all()


def test_eer_of_a_sample_is_that_of_all(monkeypatch):
    from stripeless.measures.eer import eer
    from stripeless.ranks import analysis as rank_analysis

    array = voices(300, 2, noise=1.5)
    job = ranking_job(array[:, 0], array[:, 1])
    unit = [a / np.linalg.norm(a, axis=1, keepdims=True) for a in (array[:, 0], array[:, 1])]
    scores = unit[0] @ unit[1].T
    whole = eer(np.diag(scores), scores[~np.eye(300, dtype=bool)])
    assert sampled_eer(job) == pytest.approx(whole, abs=1e-9)
    monkeypatch.setattr(rank_analysis, "MOST_SCORES", 20_000)
    assert sampled_eer(job) == pytest.approx(whole, abs=0.08)


def test_the_order_of_the_templates_file_shows_in_no_number(monkeypatch):
    from stripeless.ranks import analysis as rank_analysis

    monkeypatch.setattr(rank_analysis, "MOST_SCORES", 2_000)  # so that the EER is that of a sample
    probes, templates = embeddings(voices(2100, 1)), embeddings(voices(2100, 1, seed=1), "t")
    shuffled = take(templates, np.random.default_rng(2).permutation(len(templates)))
    first, again = (rank_against(probes, t, RankSettings(resamples=0))[0].to_dict() for t in (templates, shuffled))
    assert first == again


def test_observations_and_means():
    known = embeddings(voices(4, 3))
    array, speakers = observations_of(known)
    assert array.shape == (4, 3, 8)
    assert speakers == ("s000", "s001", "s002", "s003")
    np.testing.assert_allclose(speaker_means(known).vectors, voices(4, 3).mean(axis=1))
    with pytest.raises(TooFewTrials, match="0 of 4 speakers"):
        observations_of(known, least=5)
    with pytest.raises(InputError, match="speakers are not known"):
        observations_of(Embeddings(np.eye(2), ("a", "b")))


# --- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path):
    array = voices(30, 6, noise=1.0)
    write_embeddings(tmp_path / "templates.npz", embeddings(array[:, :3], "e"))
    write_embeddings(tmp_path / "probes.npz", embeddings(array[:, 3:], "t"))
    return tmp_path


def test_command_with_templates(files: Path):
    arguments = [str(files / "probes.npz"), str(files / "templates.npz"), "--json", "--html", str(files / "r.html")]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["features"][0]["n"] == 30
    assert result["features"][0]["probes"] == 90
    assert result["features"][0]["speakers"] == 30
    assert len(result["inputs"]) == 2
    assert (files / "r.html").read_text().startswith("<!DOCTYPE html>")
    again = CliRunner().invoke(command, arguments)
    assert again.stdout == done.stdout


def test_command_within_one_file(files: Path):
    arguments = [
        str(files / "probes.npz"),
        "--lengths",
        "1,2",
        "--figures",
        str(files / "figures"),
        "--name",
        "x-vector",
    ]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "MeanD (bit)" in done.stdout
    assert "Ranked by x-vector" in done.stdout
    assert (files / "figures" / "stream.png").exists()


def test_command_resumes_and_spreads(files: Path):
    base = [str(files / "probes.npz"), str(files / "templates.npz"), "--json", "--resamples", "0"]
    plain = CliRunner().invoke(command, base).stdout
    for more in (["--threads", "2"], ["--resume", str(files / "tiles")], ["--resume", str(files / "tiles")]):
        assert CliRunner().invoke(command, base + more).stdout == plain
    assert list((files / "tiles").glob("tile-*.npy"))


def test_command_refusals(files: Path):
    probes = str(files / "probes.npz")
    both = CliRunner().invoke(command, [probes, "--threads", "2", "--device", "cpu"])
    assert both.exit_code == 2
    assert CliRunner().invoke(command, [probes, "--lengths", "one"]).exit_code == 2
    assert CliRunner().invoke(command, [probes, probes, "--lengths", "1"]).exit_code == 2
    missing = CliRunner().invoke(command, [str(files / "nothing.npz")])
    assert isinstance(missing.exception, InputError)


def test_probes_without_template_are_refused_or_left_out_on_request(files: Path):
    array = voices(33, 2, noise=1.0, seed=9)
    write_embeddings(files / "more.npz", embeddings(array, "m"))
    base = [str(files / "more.npz"), str(files / "templates.npz"), "--json", "--resamples", "0"]
    refused = CliRunner().invoke(command, base)
    assert isinstance(refused.exception, InputError)
    assert str(refused.exception) == (
        "probes: 's030' has no template (6 of 66 probes have none); give templates of those speakers, or leave their probes "
        "out with --allow-missing"
    )
    allowed = json.loads(CliRunner().invoke(command, [*base, "--allow-missing"]).stdout)
    assert allowed["features"][0]["probes"] == 60
    assert "6 of 66 probes were left out" in allowed["notes"][0]


def test_people_differ_only_where_they_do(report):
    feature = replace(report.features[0], per_speaker=SpeakersDisclosure(4.0, (), 6, 4.0, 0.0))
    assert in_words(feature)[-1] == "Every speaker gives away about as much: 4.0 bits on average."
    for std in (0.05, None):
        unequal = replace(feature, per_speaker=replace(feature.per_speaker, std=std))
        assert in_words(unequal)[-1].startswith("People differ: the most exposed speaker gives away 4.0 bits")


def test_time_in_words():
    assert [in_time(s) for s in (3, 600, 86400)] == ["3 s", "10 min", "24.0 h"]


def test_text_names_what_depends(report):
    result = report.to_dict()
    result["sum"] = {
        "total": 3.0, "limited": 3.0, "at_least": 2.0, "allowed": False,
        "pairs": [{"features": ["voice", "pitch"], "shared_bits": 0.5, "p_value": 0.001, "independent": False}],
    }  # fmt: skip
    text = render_rank_text(RankReport.from_dict(result))
    assert "between 2.00 and 3.00 bit" in text
    assert "voice and pitch (0.50 bit shared)" in text


# --- the paper ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_reproduce_srd_agrees_everywhere():
    lines = reproduce("srd")
    assert len(lines) == 18
    assert all(line["agrees"] for line in lines), [line["what"] for line in lines if not line["agrees"]]


def test_identities_of_table_ii():
    from stripeless.papers import srd as reproduce_srd

    lines = [*reproduce_srd._identities(), *reproduce_srd._signs()]
    assert all(line["agrees"] for line in lines)
    assert {"what", "published", "ours", "difference"} <= set(lines[0])


@pytest.mark.data
def test_x_vectors_of_librispeech(librispeech: Path):
    folder = librispeech / "xvectors" / "original"
    arguments = [str(folder / "trials_m.scp"), "--utt2spk", str(librispeech / "trials_m"), "--json", "--resamples", "0"]
    result = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    feature = result["features"][0]
    assert (feature["n"], feature["probes"]) == (20, 280)
    assert feature["measures"]["id_rate"]["value"] == pytest.approx(0.989, abs=0.002)
