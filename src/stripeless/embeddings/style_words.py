"""An open English word list for measuring how people speak, not what about.

Compiled for this project from the closed word classes that any grammar lists and from common fillers of speech; it copies no
other list. MIT, like the rest of the project. Content words (topics, emotions) are left out on purpose: topics were
rarely chosen freely where transcripts come from.
"""

from __future__ import annotations

_LISTS = {
    "first person singular": "i me my mine myself i'm i've i'd i'll",
    "first person plural": "we us our ours ourselves we're we've we'd we'll let's",
    "second person": "you your yours yourself yourselves you're you've you'd you'll ya y'all",
    "third person singular": "he him his himself she her hers herself he's she's he'd she'd he'll she'll",
    "third person plural": "they them their theirs themselves they're they've they'd they'll",
    "impersonal pronouns": "it its itself it's it'd it'll this that these those that's one ones something anything nothing "
    "everything someone anyone everyone somebody anybody everybody nobody thing things stuff",
    "articles": "a an the",
    "prepositions": "of in to for with on at from by about into through during before after above below between among "
    "under over against across along around behind beside beyond near off onto out toward towards upon within without "
    "until since per via despite except inside outside throughout underneath",
    "coordination": "and but or nor yet so plus",
    "subordination": "because cause although though while whereas if unless whether when whenever where wherever as than "
    "till once lest provided",
    "auxiliaries": "am is are was were be been being do does did doing have has had having ain't isn't aren't wasn't weren't "
    "don't doesn't didn't haven't hasn't hadn't",
    "modals": "can could may might must shall should will would ought can't cannot couldn't won't wouldn't shouldn't mustn't "
    "gonna wanna gotta hafta",
    "negation": "no not never none neither nor nothing nobody nowhere don't doesn't didn't isn't aren't wasn't weren't can't "
    "cannot couldn't won't wouldn't shouldn't haven't hasn't hadn't ain't without",
    "quantifiers": "all any some many much more most few fewer less least several enough both each every either half lot "
    "lots bunch couple plenty",
    "numbers": "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred "
    "thousand million first second third",
    "questions": "what who whom whose which why how when where",
    "intensifiers": "very really so too quite rather pretty totally absolutely completely extremely just even super",
    "hedges": "maybe perhaps probably possibly somewhat sort kind kinda sorta guess suppose seem seems apparently almost",
    "certainty": "always never definitely certainly sure surely clearly obviously exactly indeed course truly",
    "time": "now then today yesterday tomorrow always sometimes often usually already still again ever soon later ago "
    "before after yet once",
    "place": "here there everywhere somewhere anywhere away back up down home",
    "fillers": "uh um er erm ah eh hm hmm mm mhm uhm huh",
    "discourse markers": "well like you know mean anyway actually basically literally okay ok right yeah yes yep yup oh "
    "alright",
    "assent": "yes yeah yep yup ok okay right sure mhm uh-huh exactly absolutely agreed",
    "politeness": "please thanks thank sorry excuse pardon welcome hello hi bye goodbye",
    "comparison": "like as than same different similar more less most least better worse best worst",
    "cognition verbs": "think thought know knew believe understand remember forget guess wonder mean suppose",
    "speech verbs": "say says said tell tells told talk talked speak spoke ask asked",
    "light verbs": "get gets got getting go goes went going gone make makes made take takes took come comes came put give "
    "gives gave",
}
CATEGORIES: dict[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in _LISTS.items()}

# Single words that are frequent in anyone's speech, so that their shares are measured soon.
_SINGLE = (
    "the a an and but or so of in to for with on at from it that this i you he she we they is was are have do not "
    "if because when just like well know"
)
SINGLE_WORDS: tuple[str, ...] = tuple(_SINGLE.split())
