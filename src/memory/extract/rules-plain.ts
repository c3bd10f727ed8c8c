// Plain statements that no other rule understands: about what speakers do, have, are or are not,
// and about their things. They are kept verbatim in the third person, a denial as a denial.
// Statements about the moment or the conversation are not kept.

import {
  clauseOf,
  type FactKind,
  type Fit,
  inThirdPerson,
  NAME,
  nameAt,
  type Rule,
  rule,
} from "./rules-engine.ts";
import { anyOf, JOB, NO_NAMES } from "./rules-words.ts";

/** Confidence of such a fact: see docs/memory.md. */
const SURE = 0.75;

/** The speaker at the beginning of a clause. */
const START = "(?:^|[,;:–—] |\\b(?:and|but|so|well|also|now|because) )";
const WE_OR_I = `${START}(?:I|i|[Ww]e)`;
const HOW =
  "(?<how>(?: (?:always|usually|often|mostly|generally|normally|still|both|regularly|also|only|actually|really|now))*)";

/** Habits and lasting states, in the form behind `I`. */
const LASTING_VERBS = anyOf(`
  live, reside, work, teach, study, run, play, collect, swim, speak, drive, ride, own, use, bank,
  wear, sing, dance, cook, bake, paint, draw, garden, knit, sew, climb, hike, jog, cycle, bike,
  ski, surf, sail, fish, hunt, box, skate, practise, practice, exercise, meditate, pray,
  volunteer, coach, manage, mentor, rent, breed, raise, grow, brew, smoke, vape, drink, eat, fast,
  avoid, watch, vote, identify, commute, travel, code, program, develop, blog, repair, restore,
  farm, invest, prefer, enjoy, adore, fear, suffer, belong, celebrate, tutor, babysit, foster,
  specialise, specialize, freelance, consult, rely, struggle, subscribe, pay, sleep, wake, come,
  shower, support, hate, dislike, like, love
`);
/** Verbs that state something lasting only with the words behind them. */
const LASTING_PHRASES = [
  "take (?=the (?:tram|bus|train|metro|tube|subway|ferry)|.{2,40}\\b(?:pills?|medication|medicine|insulin|vitamins)\\b)",
  "get up (?=at |before |early|late)",
  "go to (?=church|mosque|synagogue|bed at|school|the gym)",
  "keep (?=bees|chickens|goats|hens|horses|kosher|a diary)",
  "make .{2,40} (?=for a living)",
  "need (?=captions|glasses|a wheelchair|subtitles|large print|a hearing aid)",
  "walk to (?=work|school)",
  "read (?=.{2,40}\\b(?:every|daily)\\b)",
  "write (?=.{2,40}\\bfor a living\\b|novels|poems|poetry|songs)",
  "care for (?=my )",
  "look after (?=my )",
].join("|");

/** Words about the conversation or the moment. */
const OF_TALK =
  /\b(?:you|your|yours|this|these|those|that|it|here|there|me\sa|each\sother|questions?|ideas?|problems?|issues?|help|clue|feeling|look|point|versions?|answers?|requests?|favou?r|news|minute|second|moment|today|tonight|tomorrow|yesterday|just\snow|so\sfar|again|yet|nothing|something|everything|so\smuch|a\slot|a\ston)\b/i;
const CANNOT =
  "swim|drive|eat|drink|cook|read|speak|sing|dance|ride|ski|hear|walk|tolerate|digest|smell|type|fly|whistle|lift|sleep|see colou?rs";

const IRREGULAR: Readonly<Record<string, string>> = { do: "does", go: "goes" };

/** The third person of a verb; the words behind the first stay as they are. */
function thirdPerson(verb: string): string {
  const [, first = verb, more = ""] = /^(\S+)(.*)$/.exec(verb.trim()) ?? [];
  const known = IRREGULAR[first];
  if (known !== undefined) return `${known}${more}`;
  if (/(?:s|sh|ch|x|z|o)$/.test(first)) return `${first}es${more}`;
  return `${/[^aeiou]y$/.test(first) ? `${first.slice(0, -1)}ie` : first}s${more}`;
}

/** The object in the third person; undefined when the statement is not kept. */
function told(rest: string): string | undefined {
  const said = clauseOf(rest.trimStart()).replace(/ (?:actually|though|anyway)$/i, "");
  if (said === "" || OF_TALK.test(said) || said.split(" ").length > 16) return undefined;
  return inThirdPerson(said);
}

/** Keeps a statement about the speaker, or about something of theirs. */
function keepPlain({ speech, confidence }: Fit, whom: string, said: string, kind: FactKind): void {
  const { speaker, found } = speech;
  const whose = whom.replace(/^(?:[Mm]y|[Oo]ur)\b/, `${speaker}'s`);
  found.fact({ text: `${whose} ${said.trim()}.`.replace(/ +/g, " "), kind, confidence });
}

function kindOf(verb: string): FactKind {
  return /^(?:like|love|enjoy|prefer|hate|dislike|adore)/.test(verb) ? "preference" : "general";
}

const NO_OBJECT =
  /^(?:in\s(?:fear|peace|the\s(?:past|moment))|to\s(?!work|school|church|the|my|bed)|if\b|whether\b|what\b|how\b|why\b)/;

function findDoing(fit: Fit): void {
  const { how = "", verb = "" } = fit.match.groups ?? {};
  const object = told(fit.rest);
  if (object === undefined || NO_OBJECT.test(object)) return;
  if (/^(?:like|love|want)$/.test(verb) || (verb === "come" && !object.startsWith("from "))) return;
  const often = how.replace(/ (?:actually|really|now|also|only)\b/g, "");
  keepPlain(fit, fit.speech.speaker, `${often} ${thirdPerson(verb)} ${object}`, kindOf(verb));
}

function findNotDoing(fit: Fit): void {
  const { not = "", verb = "" } = fit.match.groups ?? {};
  const isUnable = / can/.test(not);
  const object = isUnable && fit.rest.trim() === "" ? "" : told(fit.rest);
  if (object === undefined || NO_OBJECT.test(object)) return;
  const denied = isUnable
    ? `cannot ${verb}`
    : / never/.test(not)
      ? `never ${thirdPerson(verb)}`
      : / longer/.test(not)
        ? `no longer ${thirdPerson(verb)}`
        : `does not ${verb}`;
  keepPlain(fit, fit.speech.speaker, `${denied} ${object}`, kindOf(verb));
}

/** Keeps a past action or a long-standing state verbatim. */
function findDone(said: string): (fit: Fit) => void {
  return (fit) => {
    const object = told(fit.rest);
    if (object === undefined) return;
    const verb = fit.match.groups?.["verb"] ?? "";
    keepPlain(fit, fit.speech.speaker, `${said}${verb} ${object}`, "general");
  };
}

const COUNTED =
  "(?:an? |one |two |three |four |five |six |seven |eight |nine |ten |eleven |twelve |several |no |\\d{1,4} |type |twins|kids|children|siblings|(?:\\p{L}+ )?(?:diabetes|asthma|arthritis|epilepsy|migraines|adhd|ADHD|dyslexia|autism|insomnia|an[a]?emia|allergies|hay fever|tinnitus|blood pressure|depression|anxiety)(?!\\p{L}))";
/** Things that one has only for the moment, or in the conversation. */
const PASSING_HAVING =
  /\b(?:hard|good|bad|great|nice|quick|few|couple|rough|tough|long|little|lot|bit|fun|blast|idea|clue|time|error|bug|meeting|call|interview|headache|cold|fever|chance|choice|concern|thought|plan|file|code|app|list|dataset|function|table|appointment|deadline|day|week|while|feeling|crush|goal|dream|budget|decent|clear|better|solid|strong)s?\b/;

function findHaving(fit: Fit): void {
  const { not, object: first = "" } = fit.match.groups ?? {};
  const object = told(`${first}${fit.rest}`);
  if (object === undefined || PASSING_HAVING.test(object)) return;
  const has = not === undefined ? "has" : "does not have";
  keepPlain(fit, fit.speech.speaker, `${has} ${object}`, "general");
}

/** Lasting states; turns of speech are left out. */
const BEING = [
  "an? (?!bit|little|lot|fan|few|huge|big|mix|mess|wreck|fool|genius|bundle|pro\\b|sucker|believer|beginner|\\p{L}+ (?:mess|wreck|potato))",
  ...[
    "(?:severely )?allergic to ",
    "afraid of ",
    "scared of ",
    "terrified of ",
    "responsible for ",
  ],
  "(?:(?:left|right)-handed|retired|vegan|vegetarian|pescatarian|pregnant|married|divorced|religious|colou?r-?blind|in recovery|on insulin|on parental leave|on maternity leave|\\d{1,3}(?: years old)?)(?=$|[,;.]| and | but )",
  ...["learning (?=\\p{Lu}|how to |to )", "studying (?=\\p{L})", "raising ", "from ", "based in "],
].join("|");

function findBeing(fit: Fit): void {
  const { not, being = "" } = fit.match.groups ?? {};
  const object = told(`${being}${fit.rest}`);
  if (object === undefined) return;
  keepPlain(fit, fit.speech.speaker, `is ${not === undefined ? "" : "not "}${object}`, "identity");
}

/** Something of the speaker's, of a few words. */
const OWN = `${START}(?<whose>(?:[Mm]y|[Oo]ur) (?<thing>(?:[\\p{L}\\d'.-]+ ){0,4}?[\\p{L}\\d'.-]+)) `;
/** Things of the moment or of the conversation. */
const PASSING_THING =
  /\b(?:code|files?|script|query|tests?|build|browser|screen|request|order|invoice|essay|questions?|point|guess|bad|problem|issue|mistake|understanding|message|answer|draft|internet|connection|bus|taxi|head|hands|coffee|input|output|data|prompt|text|function|class|program|back|body|appetite|spirits|mood|focus|taste|cold|concern|idea|plan|apologies)$|\b(?:I|and|or|is|was)\b/;
const OWN_VERBS =
  "(?<verb>isn't|is not|aren't|are not|is|are|was|were|has|have|doesn't have|does not have|(?:(?:no longer |never |always |usually |still |now )?(?:lives|works|runs|uses|ends|closes|opens|plays|speaks|likes|loves|hates|prefers|dislikes|enjoys|collects|teaches|studies|owns|drives|supports|sells|wears|belongs|retired|graduated|died|use|run|live))|(?:doesn't|does not|don't|do not) (?:live|work|use|run|play|speak|like|eat|drink|own|drive|support|sell|wear|have))";
/** The beginning of a lasting state of something of the speaker's. */
const LASTING_STATE =
  "(?:an? (?!bit|little|lot)|the \\p{Ll}+ of |called |named |from |made of |built |born |allergic |afraid |married|retired|vegan|vegetarian|divorced|on (?:the )?\\p{L}|in (?:the )?\\p{L}|\\d|\\p{Lu}\\p{Ll})";

function findOwn(fit: Fit): void {
  const { whose = "", thing = "", verb = "" } = fit.match.groups ?? {};
  if (PASSING_THING.test(thing) || OF_TALK.test(thing)) return;
  const object = told(fit.rest);
  if (object === undefined || NO_OBJECT.test(object)) return;
  if (/ha(?:s|ve)$/.test(verb) && PASSING_HAVING.test(object)) return;
  const plain = verb.replace(/^(\p{Ll}+)n't/u, "$1 not");
  keepPlain(fit, whose, `${plain} ${object}`, "general");
}

function findNamed(fit: Fit): void {
  const { name = "", not, being = "" } = fit.match.groups ?? {};
  const [first = ""] = name.split(" ");
  if (nameAt(name) !== name || NO_NAMES.has(first.toLowerCase())) return;
  const { confidence, speech } = fit;
  const text = `${name} is ${not === undefined ? "" : "not "}${being}.`;
  speech.found.fact({ text, kind: "general", confidence, topics: [name] });
  speech.found.entity({ name, type: "person" });
}

const END_OF_WORD = "(?![\\p{L}'-])";
const BEEN =
  "been (?:living|working|teaching|playing|studying|learning|freelancing|married|vegan|vegetarian|sober|running|practicing|practising|collecting|writing|driving|single|retired)|lived|worked|owned|taught|played";
const ONCE =
  "moved|studied|quit|stopped|graduated|retired|served|emigrated|majored|turned (?=\\p{Ll}+(?:ty|een)|\\d)|grew up|gave up|got (?:married|divorced|engaged)|used to (?:live|work|be|play|smoke|teach)";

/** The rules, in the order in which they are tried. */
export const PLAIN_RULES: readonly Rule[] = [
  rule(
    `${WE_OR_I}(?<not> (?:do not|don't|never|no longer)(?: really| usually| even)?) (?<verb>${LASTING_VERBS})${END_OF_WORD}`,
    SURE,
    findNotDoing,
  ),
  rule(
    `${WE_OR_I}(?<not> (?:can't|cannot|can not)) (?<verb>${CANNOT})${END_OF_WORD}`,
    SURE,
    findNotDoing,
  ),
  rule(`${WE_OR_I}${HOW} (?<verb>${LASTING_VERBS})${END_OF_WORD}`, SURE, findDoing),
  rule(`${WE_OR_I}${HOW} (?<verb>${LASTING_PHRASES})`, SURE, findDoing),
  rule(
    `${WE_OR_I} (?:start|begin) (?=my (?:new )?(?:job|studies|degree|internship) )`,
    SURE,
    (fit) => {
      const object = told(fit.rest);
      if (object !== undefined) keepPlain(fit, fit.speech.speaker, `starts ${object}`, "date_fact");
    },
  ),
  rule(`${WE_OR_I}(?: have|'ve got| have got)(?: also)? (?<object>${COUNTED})`, SURE, findHaving),
  rule(`${WE_OR_I}(?<not> (?:do not|don't) have) (?=an? |any |\\p{L}+$)`, SURE, findHaving),
  rule(
    `${WE_OR_I}(?:'ve| have) never (?<verb>been to|lived|worked|eaten|driven|owned|smoked|flown|learned|learnt|married) `,
    SURE,
    findDone("has never "),
  ),
  rule(
    `${WE_OR_I} (?:haven't|have not) (?<verb>\\p{Ll}{3,12}) (?=.{1,60} (?:in|for|since) (?:\\d|a |an |ten|two|three|many|years|my))`,
    SURE,
    findDone("has not "),
  ),
  rule(
    `${WE_OR_I}(?:'ve| have) (?<verb>${BEEN})(?= .{0,60}\\b(?:since|for) )`,
    SURE,
    findDone("has "),
  ),
  rule(`${WE_OR_I}(?: recently)? (?<verb>${ONCE})(?![\\p{L}'])`, SURE, findDone("")),
  rule(
    `${WE_OR_I}(?:'m|m| am|'re| are)(?: actually| really| also| now| originally)?(?<not> not)?(?: actually| really)? (?<being>${BEING})`,
    SURE,
    findBeing,
  ),
  rule(
    `${OWN}${OWN_VERBS}(?<!(?:is|are|was|were|not)) (?!not )(?!(?:\\p{Ll}+ly )?\\p{Ll}+(?:ed|en|un) )`,
    SURE,
    findOwn,
  ),
  rule(
    `${OWN}(?<verb>isn't|is not|aren't|are not|is|are|was|were) (?=${LASTING_STATE})`,
    SURE,
    findOwn,
  ),
  rule(
    `^(?<name>${NAME}) is (?<not>not )?(?<being>(?:an? )?(?:vegan|vegetarian|pescatarian|diabetic|(?i:${JOB})))(?=$|[,.;])`,
    SURE,
    findNamed,
  ),
];
