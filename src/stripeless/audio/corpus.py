"""A corpus: which utterance lies where, who speaks in it, and what is compared with what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from stripeless.audio.recordings import RATE, Recording, read_pipe, read_recording
from stripeless.errors import FileError, InputError


@dataclass(frozen=True)
class Utterance:
    """One utterance: where its sound lies and who speaks in it.

    Attributes:
        name: what the utterance is called in every list; unique in its corpus.
        path: the sound file.
        speaker: who speaks in it.
        sex: "f", "m", or empty where it is not known.
        text: the words that are spoken; None where they are not known.
        command: a Kaldi pipe that gives the sound instead of a file; empty for none.
        start: where the utterance begins in the recording, in seconds.
        end: where it ends, in seconds; None for the end of the recording.
    """

    name: str
    path: Path
    speaker: str
    sex: str = ""
    text: str | None = None
    command: str = ""
    start: float = 0.0
    end: float | None = None

    def read(self, rate: int | None = RATE) -> Recording:
        """The sound of this utterance, at `rate` samples a second; None keeps the rate of the file."""
        whole = read_pipe(self.command, self.name, rate) if self.command else read_recording(self.path, rate)
        if not self.start and self.end is None:
            return whole
        last = len(whole.samples) if self.end is None else round(self.end * whole.rate)
        part = whole.samples[round(self.start * whole.rate) : last]
        if not part.size:
            raise FileError(
                self.path, f"utterance {self.name!r} asks for {self.start}-{self.end} s, which is not there"
            )
        return Recording(part, whole.rate)


@dataclass(frozen=True)
class Trial:
    """One question: is the speaker of this utterance the one who is enrolled?

    Attributes:
        enrolled: the speaker whose model is asked.
        utterance: the name of the utterance that is tried.
        target: whether the answer is yes.
    """

    enrolled: str
    utterance: str
    target: bool


@dataclass(frozen=True)
class Corpus:
    """Recordings of known speakers, and what is to be compared with what.

    Attributes:
        folder: where the corpus lies, for messages and names of results.
        utterances: all utterances in the order of their list.
        enrollment: names of the utterances that build speaker models.
        trials: which model is compared with which utterance; empty where that is not laid down.
        notes: sentences about the reading that a reader of results should see.
    """

    folder: Path
    utterances: tuple[Utterance, ...]
    enrollment: tuple[str, ...] = ()
    trials: tuple[Trial, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.utterances:
            raise FileError(self.folder, "lists no utterance")
        known = self.by_name()
        if len(known) != len(self.utterances):
            raise FileError(self.folder, "lists an utterance twice; every utterance needs a name of its own")
        for name in self.enrollment:
            if name not in known:
                raise FileError(self.folder, f"enrollment utterance {name!r} has no recording")
        self._check_people()
        speakers = {utterance.speaker for utterance in self.utterances}
        for trial in self.trials:
            if trial.utterance not in known or trial.enrolled not in speakers:
                raise FileError(
                    self.folder, f"trial {trial.enrolled!r} {trial.utterance!r}: no such speaker or utterance"
                )
            if trial.target != (known[trial.utterance].speaker == trial.enrolled):
                raise FileError(
                    self.folder,
                    f"trial {trial.enrolled!r} {trial.utterance!r} is labeled {'target' if trial.target else 'nontarget'}, but "
                    f"{known[trial.utterance].speaker!r} speaks in that utterance",
                )
        both = set(self.enrollment) & {trial.utterance for trial in self.trials}
        if both:
            raise FileError(
                self.folder,
                f"utterance {min(both)!r} enrolls a speaker and is a trial too ({len(both)} such utterances): a recording is "
                "always recognized as itself; take it out of one of the two lists",
            )

    def _check_people(self) -> None:
        """One sex for each speaker, one speaker for each recording: else somebody would be taken for somebody else."""
        sexes: dict[str, str] = {}
        heard: dict[tuple[Path, str, float, float | None], str] = {}
        for one in self.utterances:
            sex = sexes.setdefault(one.speaker, one.sex) if one.sex else ""
            if sex != one.sex:
                raise FileError(self.folder, f"speaker {one.speaker!r} is both {sex!r} and {one.sex!r}; mend the lists")
            other = heard.setdefault((one.path, one.command, one.start, one.end), one.speaker)
            if other != one.speaker:
                raise FileError(
                    self.folder, f"{one.path.name!r} is of {other!r} and of {one.speaker!r}; mend the lists"
                )

    def by_name(self) -> dict[str, Utterance]:
        """Every utterance by its name."""
        return {utterance.name: utterance for utterance in self.utterances}

    @property
    def speakers(self) -> tuple[str, ...]:
        """Every speaker once, in the order of their first utterance."""
        return tuple(dict.fromkeys(utterance.speaker for utterance in self.utterances))

    def role(self, name: str) -> str:
        """What the utterance called `name` is for: "enrollment" or "trial"."""
        return "enrollment" if name in set(self.enrollment) else "trial"

    def of_speaker(self, speaker: str) -> tuple[Utterance, ...]:
        """The utterances of this `speaker`, in their order."""
        return tuple(utterance for utterance in self.utterances if utterance.speaker == speaker)

    def subset(self, speakers: Iterable[str]) -> Corpus:
        """The same corpus with these `speakers` only, trials and enrollment included."""
        wanted = set(speakers)
        kept = tuple(utterance for utterance in self.utterances if utterance.speaker in wanted)
        names = {utterance.name for utterance in kept}
        return replace(
            self,
            utterances=kept,
            enrollment=tuple(name for name in self.enrollment if name in names),
            trials=tuple(t for t in self.trials if t.enrolled in wanted and t.utterance in names),
        )


def with_trials(corpus: Corpus) -> Corpus:
    """The corpus with a list of trials; where it came without, one is made and a note says so.

    Of each speaker with two or more utterances the first half (in list order) enrolls, the rest are trials, each compared
    with every enrolled speaker of the same sex.
    """
    if corpus.trials:
        return corpus
    enrollment: list[str] = list(corpus.enrollment)
    if not enrollment:
        for speaker in corpus.speakers:
            names = [utterance.name for utterance in corpus.of_speaker(speaker)]
            enrollment.extend(names[: len(names) // 2])
    chosen = set(enrollment)
    known = corpus.by_name()
    enrolled = {known[name].speaker: known[name].sex for name in enrollment}
    trials = tuple(
        Trial(speaker, utterance.name, speaker == utterance.speaker)
        for utterance in corpus.utterances
        if utterance.name not in chosen
        for speaker, sex in enrolled.items()
        if sex == utterance.sex
    )
    if not any(trial.target for trial in trials) or all(trial.target for trial in trials):
        raise InputError(
            f"{corpus.folder}: no trials can be made; at least two speakers of the same sex with two utterances each "
            f"are needed, there are {len(corpus.speakers)} speakers and {len(corpus.utterances)} utterances"
        )
    notes = ["no list of trials came with the corpus: half of each speaker's utterances enroll, the rest are trials"]
    if corpus.enrollment:
        notes = ["no list of trials came with the corpus: what does not enroll is compared with every enrolled speaker"]
    if not any(utterance.sex for utterance in corpus.utterances):
        notes.append(
            "the corpus does not say who is a woman and who a man: they are compared with each other too, which is easier for an "
            "attacker than the usual trials within one sex"
        )
    return replace(corpus, enrollment=tuple(enrollment), trials=trials, notes=(*corpus.notes, *notes))
