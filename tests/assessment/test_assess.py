"""assess, its intervals, its doctor, its groups, and the comparison of two systems."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import stripeless as s
from stripeless.errors import InputError, TrialMismatch
from stripeless.measures.one_pass import FUNCTIONS, score_pass
from stripeless.measures.uncertainty.bootstrap import Resampler, people_in, resampled_values
from stripeless.measures.uncertainty.interval import interval, small_sample_factor
from stripeless.scores.trials import Factor, MissingTrials, TrialScores

RNG = np.random.default_rng(7)
TARGET, NONTARGET = RNG.normal(1.5, 1, 300), RNG.normal(-0.5, 1, 1200)


def corpus(
    shift: float = 1.5, speakers: int = 24, utterances: int = 6, seed: int = 0, spread: float = 0.7
) -> TrialScores:
    """Everybody against everybody; speakers differ in how well they are recognized."""
    rng = np.random.default_rng(seed)
    model = np.repeat(np.arange(speakers), speakers * utterances)
    talker = np.tile(np.repeat(np.arange(speakers), utterances), speakers)
    same = model == talker
    ease = rng.normal(shift, spread, speakers)
    scores = np.where(same, ease[talker], 0.0) + rng.normal(size=model.size)
    names = tuple(f"s{k:02d}" for k in range(speakers))

    def factor(codes: np.ndarray) -> Factor:
        codes = codes.astype(np.int32)
        return Factor(names, codes[same], codes[~same])

    sex = (talker % 2).astype(np.int32)
    return TrialScores(
        scores[same],
        scores[~same],
        enrollment_speakers=factor(model),
        trial_speakers=factor(talker),
        columns={"sex": Factor(("female", "male"), sex[same], sex[~same])},
        trial_digest="corpus",
    )


class TestAssess:
    def test_every_measure_equals_its_own_function(self) -> None:
        result = s.assess(TARGET, NONTARGET)
        z = s.zebra(TARGET, NONTARGET)
        assert result["eer"] == s.eer(TARGET, NONTARGET)
        assert result["eer_rocch"] == s.eer_rocch(TARGET, NONTARGET)
        assert result["eer_kaldi"] == s.eer_kaldi(TARGET, NONTARGET)
        assert result["cllr"] == s.cllr(TARGET, NONTARGET)
        assert result["cllr_min"] == s.cllr_min(TARGET, NONTARGET)
        assert result["d_ece"] == z.d_ece
        assert result["log10_lr"] == z.log10_lr
        assert result["category"] == z.category
        assert result["linkability"] == s.linkability(TARGET, NONTARGET)
        assert result["linkability_binned"] == s.linkability_binned(TARGET, NONTARGET)
        assert result["key_length"] == s.key_length(TARGET, NONTARGET)
        assert result["hit_rate_1pct"] == s.hit_rate(TARGET, NONTARGET, false_alarm_rate=0.01)
        assert result.measures["log10_lr"].reach == z.log10_lr_limit
        assert dict(result.category_counts) == z.category_counts
        assert dict(result.eer_by_tool) == s.eer_by_tool(TARGET, NONTARGET)

    def test_what_cannot_be_measured_has_a_reason(self) -> None:
        measure = s.assess(TARGET, NONTARGET).measures["hit_rate_0_1pct"]
        assert measure.value is None
        assert "10000 are needed" in measure.reason

    def test_the_dict_is_json_even_with_infinities(self) -> None:
        result = s.assess([np.inf, -np.inf, *[1.0] * 30], [0.0, -np.inf, np.inf]).to_dict()
        text = json.dumps(result, allow_nan=False)
        assert json.loads(text)["measures"]["cllr"] == {**result["measures"]["cllr"], "value": None}
        assert "infinite" in result["measures"]["cllr"]["reason"]
        assert "infinite scores" in result["measures"]["linkability_binned"]["reason"]

    def test_same_seed_same_bytes(self) -> None:
        first, second = (json.dumps(s.assess_scores(corpus(), resamples=100, seed=3).to_dict()) for _ in range(2))
        assert first == second
        assert first != json.dumps(s.assess_scores(corpus(), resamples=100, seed=4).to_dict())

    def test_too_few_resamples_are_refused(self) -> None:
        with pytest.raises(InputError, match="at least 100"):
            s.assess(TARGET, NONTARGET, resamples=10)


class TestBootstrap:
    def test_a_resample_equals_repeating_the_trials(self) -> None:
        """Every measure of re-weighted scores is the measure of scores that are written out as often as drawn."""
        scores = corpus()
        resampler = Resampler(scores.target, scores.nontarget, people_in(scores))
        draw = resampler.draw(np.random.default_rng(1))
        assert draw.people is not None
        times = draw.people.astype(int)
        assert scores.enrollment_speakers is not None
        assert scores.trial_speakers is not None
        model, talker = scores.enrollment_speakers, scores.trial_speakers
        target = np.repeat(scores.target, times[model.target])
        nontarget = np.repeat(scores.nontarget, times[model.nontarget] * times[talker.nontarget])
        weighted, repeated = resampler.resample(draw), score_pass(target, nontarget)
        for name, measure in FUNCTIONS.items():
            try:
                expected = measure(repeated)
            except InputError:
                continue
            assert measure(weighted) == pytest.approx(expected, abs=1e-12), name

    def test_drawing_trials_repeats_trials(self) -> None:
        resampler = Resampler(TARGET, NONTARGET, None)
        draw = resampler.draw(np.random.default_rng(1))
        assert draw.target is not None
        assert draw.nontarget is not None
        assert draw.target.sum() == TARGET.size
        repeated = score_pass(
            np.repeat(TARGET, draw.target.astype(int)), np.repeat(NONTARGET, draw.nontarget.astype(int))
        )
        for name in ("eer", "cllr", "cllr_min", "linkability_binned", "eer_kaldi"):
            assert FUNCTIONS[name](resampler.resample(draw)) == pytest.approx(FUNCTIONS[name](repeated), abs=1e-12), (
                name
            )

    def test_the_result_says_what_was_drawn(self) -> None:
        known = s.assess_scores(corpus(), resamples=100).intervals
        unknown = s.assess(TARGET, NONTARGET, resamples=100).intervals
        assert known is not None
        assert unknown is not None
        assert (known.unit, known.units) == ("speakers", 24)
        assert (unknown.unit, unknown.units) == ("trials", 300)

    def test_one_nameless_trial_makes_trials_the_unit(self) -> None:
        scores = corpus()
        assert scores.enrollment_speakers is not None
        assert scores.trial_speakers is not None
        nobody = [np.array(side.nontarget) for side in (scores.enrollment_speakers, scores.trial_speakers)]
        for codes in nobody:
            codes[5] = -1
        names = scores.enrollment_speakers.names
        scores = replace(
            scores,
            enrollment_speakers=Factor(names, scores.enrollment_speakers.target, nobody[0]),
            trial_speakers=Factor(names, scores.trial_speakers.target, nobody[1]),
        )
        assert people_in(scores) is None

    def test_speakers_who_differ_widen_the_interval(self) -> None:
        """Intervals over trials are too short where few speakers make up many trials."""
        scores = corpus(spread=1.5)
        by_speaker = s.assess_scores(scores, resamples=200).measures["eer"]
        by_trial = s.assess(scores.target, scores.nontarget, resamples=200).measures["eer"]
        widths = [float(m.high) - float(m.low) for m in (by_speaker, by_trial)]  # type: ignore[arg-type]
        assert widths[0] > 1.5 * widths[1]

    def test_every_interval_holds_its_value_and_stays_in_range(self) -> None:
        for shift in (0.0, 1.5, 6.0):
            result = s.assess_scores(corpus(shift), resamples=100)
            for name, measure in result.measures.items():
                if isinstance(measure.value, float) and measure.low is not None:
                    assert measure.low <= measure.value <= measure.high, name  # type: ignore[operator]
                    assert measure.low >= 0, name  # type: ignore[operator]
            assert result.measures["cllr_min"].high <= 1.0  # type: ignore[operator]

    def test_near_chance_the_interval_reaches_the_truth_that_percentiles_miss(self) -> None:
        scores = corpus(shift=0.0, spread=0.0, seed=5)
        values = resampled_values(Resampler(scores.target, scores.nontarget, people_in(scores)), ("cllr_min",), 200, 0)
        value = s.cllr_min(scores.target, scores.nontarget)
        ends = interval("cllr_min", value, values["cllr_min"], 24)
        assert ends is not None
        assert np.quantile(values["cllr_min"], 0.975) < ends[1] <= 1.0
        assert ends[1] > 0.999

    def test_few_units_widen_as_students_t(self) -> None:
        assert small_sample_factor(2) == pytest.approx(12.7062 / 1.95996 * np.sqrt(2), rel=1e-4)
        assert small_sample_factor(1) == np.inf


class TestDoctor:
    def codes(self, scores: TrialScores, **options: object) -> dict[str, str]:
        found = s.assess_scores(scores, **options).warnings  # type: ignore[arg-type]
        return {finding.code: finding.severity for finding in found}

    def test_swapped_signs(self) -> None:
        scores = corpus()
        swapped = TrialScores(-scores.target, -scores.nontarget)
        assert self.codes(swapped)["signs_swapped"] == "serious"
        assert self.codes(swapped, resamples=100)["signs_swapped"] == "serious"
        assert "signs_swapped" not in self.codes(scores)

    def test_chance(self) -> None:
        guessing = corpus(shift=0.0, spread=0.0)
        assert self.codes(guessing)["chance"] == "caution"
        assert self.codes(guessing, resamples=100)["chance"] == "caution"
        assert "chance" not in self.codes(corpus(), resamples=100)

    def test_constant_scores_are_silence_not_privacy(self) -> None:
        found = s.assess([2.0] * 200, [2.0] * 200).warnings
        assert found[0].code == "constant"
        assert "silence, not privacy" in found[0].message
        assert "chance" not in {finding.code for finding in found}

    def test_missing_trials_of_one_class_are_worse_than_of_both(self) -> None:
        scores = corpus()
        share = round(30 * scores.nontarget.size / scores.target.size)
        assert self.codes(replace(scores, missing=MissingTrials(30, share)))["missing"] == "caution"
        assert self.codes(replace(scores, missing=MissingTrials(30, 0)))["missing_unbalanced"] == "serious"
        assert "missing" not in self.codes(scores)

    def test_scores_that_are_no_llrs(self) -> None:
        cosine = corpus()
        scaled = TrialScores(cosine.target * 20, cosine.nontarget * 20)
        assert self.codes(scaled, llr=True)["not_llr"] == "serious"
        assert self.codes(scaled)["not_llr"] == "remark"
        calibration = s.fit_logistic_calibration(scaled.target, scaled.nontarget)
        calibrated = TrialScores(calibration.apply(scaled.target), calibration.apply(scaled.nontarget))
        assert "not_llr" not in self.codes(calibrated, llr=True)

    def test_few_trials_and_few_speakers(self) -> None:
        assert self.codes(TrialScores(TARGET[:30], NONTARGET))["few_trials"] == "caution"
        assert self.codes(corpus(speakers=8, utterances=20))["few_speakers"] == "caution"
        assert "speakers_unknown" in self.codes(TrialScores(TARGET, NONTARGET))
        assert not {"few_trials", "few_speakers", "speakers_unknown"} & set(self.codes(corpus()))

    def test_a_category_at_its_reach(self) -> None:
        separated = TrialScores(np.arange(100.0) + 500, np.arange(100.0))
        assert self.codes(separated)["category_at_reach"] == "caution"
        assert "category_at_reach" not in self.codes(TrialScores(TARGET, RNG.normal(1.4, 1, 9000)))

    def test_the_serious_come_first(self) -> None:
        found = s.assess_scores(TrialScores(-TARGET[:50], -NONTARGET)).warnings
        order = ["serious", "caution", "remark"]
        assert [order.index(f.severity) for f in found] == sorted(order.index(f.severity) for f in found)
        assert found[0].severity == "serious"


class TestGroups:
    def test_each_group_is_assessed_on_its_own_trials(self) -> None:
        scores = corpus()
        sex = scores.columns["sex"]
        found = s.assess_groups(scores, "sex")
        assert list(found) == ["female", "male"]
        for code, name in enumerate(("female", "male")):
            expected = s.eer(scores.target[sex.target == code], scores.nontarget[sex.nontarget == code])
            assert found[name]["measures"]["eer"]["value"] == expected

    def test_a_speaker_takes_part_on_either_side(self) -> None:
        scores = corpus()
        model, talker = scores.enrollment_speakers, scores.trial_speakers
        assert model is not None
        assert talker is not None
        found = s.assess_groups(scores, "speaker")
        assert len(found) == 24
        involved = (model.nontarget == 3) | (talker.nontarget == 3)
        expected = s.cllr_min(scores.target[model.target == 3], scores.nontarget[involved])
        assert found["s03"]["measures"]["cllr_min"]["value"] == expected
        assert found["s03"]["counts"] == {"target": 6, "nontarget": int(involved.sum())}

    def test_a_group_that_is_too_small_gets_a_reason(self) -> None:
        found = s.assess_groups(corpus(utterances=3), "speaker")["s00"]
        assert found["measures"] == {}
        assert "fewer than 5" in found["reason"]

    def test_an_unknown_label_names_those_there_are(self) -> None:
        with pytest.raises(InputError, match=r"cannot group by 'age': these trials are labeled by speaker, sex"):
            s.assess_groups(corpus(), "age")
        with pytest.raises(InputError, match="name no speakers"):
            s.assess_groups(TrialScores(TARGET, NONTARGET), "speaker")


class TestCompare:
    def test_a_real_difference_is_found_and_points_the_right_way(self) -> None:
        weak, strong = corpus(shift=1.0), corpus(shift=3.0)
        found = s.compare_scores(weak, strong, resamples=200)
        assert found["eer"].difference == s.eer(weak.target, weak.nontarget) - s.eer(strong.target, strong.nontarget)
        assert all(d.p_value < 0.05 and d.more_private == 1 for d in found.values())
        back = s.compare_scores(strong, weak, resamples=200)
        assert all(d.more_private == 2 for d in back.values())
        assert back["eer"].difference == -found["eer"].difference

    def test_the_same_system_twice_does_not_differ(self) -> None:
        scores = corpus()
        found = s.compare_scores(scores, scores, resamples=100)
        assert all(
            (d.difference, d.low, d.high, d.p_value, d.more_private) == (0, 0, 0, 1.0, 0) for d in found.values()
        )

    def test_pairing_cancels_what_both_systems_find_hard(self) -> None:
        """Two noisy copies of one system: the paired interval is far shorter than the difference of two single ones."""
        scores = corpus(spread=1.5)
        rng = np.random.default_rng(0)
        noisy = replace(
            scores,
            target=scores.target + rng.normal(0, 0.1, scores.target.size),
            nontarget=scores.nontarget + rng.normal(0, 0.1, scores.nontarget.size),
        )
        paired = s.compare_scores(scores, noisy, resamples=200)["eer"]
        single = s.assess_scores(scores, resamples=200).measures["eer"]
        assert (paired.high - paired.low) < 0.5 * (float(single.high) - float(single.low))  # type: ignore[arg-type]

    def test_other_trials_are_refused(self) -> None:
        with pytest.raises(TrialMismatch, match="same trial list"):
            s.compare_scores(corpus(), corpus(speakers=20))
        with pytest.raises(TrialMismatch, match="same trial list"):
            s.compare_scores(corpus(), replace(corpus(), trial_digest="other"))
