"""An option that would change nothing is refused with its name, before any file is looked for."""

from __future__ import annotations

import shlex

import click
import pytest
from click.testing import CliRunner

from stripeless.cli import COMMANDS, group
from stripeless.cli.shared.unused import FOR_ALL, RULES

# a call, and what it refuses
CALLS = {
    "anonymize a.wav b.wav --format flac": "--format: changes nothing for one sound file, whose name gives the format",
    "anonymize a.wav b.wav --on-error skip": "--on-error: changes nothing for one sound file",
    "anonymize a.wav b.wav --allow-pipes": "--allow-pipes: changes nothing for one sound file",
    "anonymize a.wav b.wav --state d": "--state: changes nothing for one sound file",
    "embed a b.safetensors --train --encoder ge2e --no-cache": "--encoder, --no-cache: changes nothing with --train",
    "embed a b.npz --epochs 40": "--epochs: changes nothing without --train",
    "embed a b.npz --no-cache --cache d": "--cache: changes nothing with --no-cache",
    "evaluate a --anonymizer mcadams --epochs 40": "--epochs: changes nothing without --retrain network",
    "evaluate a --anonymized b --set alpha=1": "--set: changes nothing without --anonymizer",
    "evaluate a --anonymizer mcadams --state d": "--state: changes nothing without --out",
    "evaluate a --anonymizer b --no-utility --asr x --asr-limit 3": "--asr, --asr-limit: changes nothing with --no-utility",
    "evaluate a --anonymizer mcadams --no-audio": "--no-audio: changes nothing without a report, --html or --out",
    "evaluate a --anonymizer mcadams --embed-audio": "--embed-audio: changes nothing without --json or --out",
    "protect a --method lda --directions 8": "--directions: changes nothing with --method lda",
    "protect a --method oblique --paper": "--paper: changes nothing with --method oblique",
    "protect a --method flow --directions 8": "--directions: changes nothing with --method flow",
    "protect a --directions 3": "--directions: changes nothing with --method flow",
    "protect a --method moments --epochs 3 --device cpu": "--epochs, --device: changes nothing with --method moments",
    "protect a --method adversarial --pca 3": "--pca: changes nothing with --method adversarial",
    "protect a --pool b --role trial": "--pool, --role: changes nothing with a method that hides an attribute",
    "protect a --method b1 --pool b --no-judge": "--no-judge: changes nothing with a method that makes pseudo-speakers",
    "protect a --method b1 --pool b --labels c": "--labels: changes nothing with a method that makes pseudo-speakers",
    "protect a --fit-utt2spk b": "--fit-utt2spk: changes nothing without --fit-on",
    "protect a --model b --method lda": "--method: changes nothing with --model, which was fitted before",
    "protect a --protected b --save c": "--save: changes nothing with --protected, which something else made",
    "protect a --no-judge --html b --folds 3": "--folds, --html: changes nothing with --no-judge",
    "protect a --no-judge --margin 35": "--margin: changes nothing with --no-judge",
    "protect a --method b1 --pool b --margin 35": "--margin: changes nothing with a method that makes pseudo-speakers",
    "evaluate --template a --out b": "--out: changes nothing with --template, which writes an example and stops",
    "assess a --allow-missing": "--allow-missing: changes nothing without --trials",
    "assess a --figure-format svg": "--figure-format: changes nothing without --figures",
    "compare a.json b.json --trials c": "--trials: changes nothing without a score file",
    "compare a b --allow-missing": "--allow-missing: changes nothing without --trials",
    "compare a.txt b.txt --measure eer": "--measure: changes nothing without --rank, --among, --table or a folder",
    "rank a --template-utt2spk b": "--template-utt2spk: changes nothing without TEMPLATES",
    "rank a --pieces 3": "--pieces: changes nothing without --feature",
    "rank a b --feature f0 --utt2spk c": "--utt2spk: changes nothing with --feature",
    "demo --voices --strength 0.5": "--strength: changes nothing with --voices",
    "reproduce --json": "--json: changes nothing without TABLE or --data",
}

SPOKEN = "quiet verbose log as_json seed workers resamples"  # how the work is done and told: may always be given
# Options that change something in every call of their command, or are refused by the command itself where they do not.
ALWAYS = {
    "demo": "html out voices",
    "assess": "attacker by figures html labels llr margin name on_disk original people spk2gender summary trials utt2spk",
    "anonymize": "method pairs rate",
    "embed": "allow_pipes train",
    "evaluate": "template",
    "protect": "model out utt2spk",
    "compare": "among figures html rank split tables",
    "attack": "enrollment enrollment_utt2spk figures html margin name training_anonymized training_original training_utt2spk "
    "utt2spk",
    "similarity": "figures html name utt2spk",
    "rank": "dask device features figures html lengths metric name probe_length resume template_length",
    "listen": "figures html name objective published scale without",
    "summary": "html",
    "serve": "allow_host host max_mb open_browser port",
    "reproduce": "data",
    "info": "",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_of_every_option_it_is_known_whether_it_can_mean_nothing(command: str) -> None:
    """A new option gets a rule in `unused.py` for the calls in which it changes nothing; where there are none, it stands here."""
    options = {param.name for param in group.get_command(None, command).params if isinstance(param, click.Option)}  # type: ignore[arg-type,union-attr]
    ruled = {name for rule in (*FOR_ALL, *RULES.get(command, ())) for name in rule.unused}
    known = {"old_jobs", "old_threads", *SPOKEN.split(), *ALWAYS[command].split(), *ruled}
    assert sorted(map(str, options - known)) == []
    assert set(ALWAYS[command].split()) <= options - ruled


@pytest.mark.parametrize("call", CALLS)
def test_what_would_change_nothing_is_refused(call: str) -> None:
    done = CliRunner().invoke(group, shlex.split(call))
    assert done.exit_code == 2
    assert f"{CALLS[call]}" in done.stderr
    assert "; leave it out." in done.stderr


def test_every_rule_is_about_options_of_its_command_and_has_a_call() -> None:
    for command, rules in RULES.items():
        known = {param.name for param in group.get_command(None, command).params}  # type: ignore[arg-type,union-attr]
        for rule in rules:
            assert set(rule.unused) <= known, (command, rule.why)
            mine = [said for call, said in CALLS.items() if shlex.split(call)[0] == command]
            assert [said for said in mine if rule.why in said], (command, rule.why)
    assert set(RULES) <= set(COMMANDS)
    assert all(rule.unused for rule in FOR_ALL)


@pytest.mark.parametrize(
    "call",
    [
        "assess no.txt --seed 3",
        "anonymize no.wav b.wav --workers 2 --seed 3",
        "protect no.npz --method moments --directions 3 --pca 4",
        "compare no.txt no2.txt --trials no --allow-missing",
        "rank no.npz no2.npz --allow-missing --template-utt2spk x",
    ],
)
def test_what_means_something_is_taken(call: str) -> None:
    done = CliRunner().invoke(group, shlex.split(call))
    assert "changes nothing" not in str(done.exception) + done.output
    assert done.exit_code == 1  # a file is not there
