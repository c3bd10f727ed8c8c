// Statements of speakers about themselves: name, home, work, age, health, family, plans, likings.

import { dateAt, sinceAt } from "./rules-dates.ts";
import {
  ADVERBS,
  AM,
  clauseOf,
  type Fit,
  I,
  keep,
  nameAt,
  placeAt,
  type Rule,
  relate,
  rule,
  slugOf,
} from "./rules-engine.ts";
import { anyOf, JOB, NO_NAMES, TECHNOLOGIES } from "./rules-words.ts";

/** Start of a changing fact: when it was said, unless another time is named. */
function since({ speech, rest }: Fit, object: string): { validFromMs: number } {
  const validFromMs = sinceAt(rest.slice(object.length), speech.saidMs) ?? speech.saidMs;
  return { validFromMs };
}

/** A name that a speaker gives as their own. */
function ownName({ rest, speech }: Fit): string | undefined {
  const name =
    nameAt(rest) ?? (speech.isLower ? /^\p{Ll}{2,20}(?=$|[,.])/u.exec(rest)?.[0] : undefined);
  if (name === undefined || name.split(" ").length > 4) return undefined;
  return NO_NAMES.has(name.toLowerCase()) ? undefined : name;
}

function findName(fit: Fit): void {
  const name = ownName(fit);
  if (name === undefined) return;
  keep(fit, "identity", `'s name is ${name}`, { key: "name", ...since(fit, name) });
  fit.speech.found.entity({ name, type: "person" });
}

function findHome(fit: Fit): void {
  const place = placeAt(fit.rest, fit.speech.isLower);
  if (place === undefined) return;
  keep(fit, "location", ` lives in ${place}`, {
    ...{ key: "home_city", topics: ["home"] },
    ...since(fit, place),
  });
  relate(fit, "lives_in", place);
  keepPlace(fit, place);
}

/** Keeps a place, and the larger one that it lies in, by their names. */
function keepPlace({ speech }: Fit, place: string): void {
  for (const name of place.split(", ")) {
    if (nameAt(name) === name) speech.found.entity({ name, type: "location" });
  }
}

function findMove(fit: Fit): void {
  const from = fit.match.groups?.["from"];
  if (from !== undefined) relate(fit, "lived_in", from);
  findHome(fit);
}

function findOrigin(key: string, said: string, predicate: string): (fit: Fit) => void {
  return (fit) => {
    const place = placeAt(fit.rest, fit.speech.isLower);
    if (place === undefined) return;
    keep(fit, "location", ` ${said} ${place}`, { key, topics: ["origin"] });
    relate(fit, predicate, place);
    keepPlace(fit, place);
  };
}

const ARTICLE_ORG = /^(?:an?|the) [\p{L}\d -]{2,60}/u;
const NO_EMPLOYER =
  /^(?:the (?:moment|office|weekend|time|same|call|meeting|computer)|a (?:lot|time))\b/;

function findEmployer(fit: Fit): void {
  const { rest, match, speech } = fit;
  const name = nameAt(rest);
  const said = name ?? ARTICLE_ORG.exec(clauseOf(rest).split(" as ")[0] ?? "")?.[0];
  if (said === undefined || NO_EMPLOYER.test(said)) return;
  const org = (said.split(/ (?:in|on|near|from|full|part|for|with|as|doing) /)[0] ?? said).trim();
  const how = / for $/.test(match[0]) ? "for" : "at";
  const times = since(fit, said);
  keep(fit, "work", ` works ${how} ${org}`, { key: "employer", topics: ["work"], ...times });
  if (name !== undefined) {
    relate(fit, "works_at", name);
    speech.found.entity({ name, type: "organization" });
  }
  const job = new RegExp(`^(?:,| now| in [\\p{L} ]{2,30})? as (an? |the )?(${JOB})\\b`, "iu").exec(
    rest.slice(org.length),
  );
  if (job?.[2] !== undefined) keepJob(fit, `${job[1] ?? ""}${job[2]}`, times);
}

function keepJob(fit: Fit, job: string, times: { validFromMs: number }): void {
  keep(fit, "work", ` is ${job}`, { key: "occupation", topics: ["work"], ...times });
}

const WORKPLACE = /^(?:,? who works)? (?:at|for|with|of) /;

function findJob(fit: Fit): void {
  const { match, rest } = fit;
  const { article = "", job } = match.groups ?? {};
  // A word behind it makes it another thing, as in `teacher training`.
  if (
    job === undefined ||
    /^ (?!at|for|in|and|but|by|with|from|of|who|since|working|on|now)/.test(rest)
  )
    return;
  if (/^(?:bad|terrible|horrible|great|good|huge|big|slow|fast) /i.test(job)) return;
  const place = WORKPLACE.exec(rest)?.[0];
  const org = place === undefined ? undefined : nameAt(rest.slice(place.length));
  // `The head` says little without the organization.
  const where = article === "the " && org !== undefined ? `${place ?? ""}${org}` : "";
  const times = { validFromMs: fit.speech.saidMs };
  keepJob(fit, `${article.toLowerCase()}${job}${where}`, times);
  if (place === undefined || org === undefined) return;
  findEmployer({ ...fit, rest: rest.slice(place.length) });
}

function findAge(fit: Fit): void {
  const age = Number(fit.match.groups?.["age"]);
  if (age < 5 || age > 120) return;
  keep(fit, "identity", ` is ${age} years old`, { key: "age", validFromMs: fit.speech.saidMs });
}

const GOAL_VERBS =
  "learn|become|move|run|write|visit|travel|study|save|buy|build|start|quit|retire|lose|get|publish|open|finish|climb|master|improve|graduate|apply|adopt|renovate|train";

function findGoal(said: string): (fit: Fit) => void {
  return (fit) => {
    const goal = clauseOf(fit.rest, 140);
    if (goal.split(" ").length < 2 || /^(?:it|that|this|be|do so)\b/.test(goal)) return;
    keep(fit, "goal", ` ${said} ${goal}`, { topics: ["goal"] });
  };
}

function findHealth(said: string): (fit: Fit) => void {
  return (fit) => {
    const object = clauseOf(fit.rest, 60);
    if (object === "" || /^(?:it|that|this|you|them)\b/.test(object)) return;
    keep(fit, "identity", ` ${said} ${object}`, { topics: ["health"] });
    relate(fit, said.replace(/^is /, "is_").replaceAll(" ", "_"), object);
  };
}

const TRAITS =
  "vegan|vegetarian|pescatarian|diabetic|celiac|coeliac|lactose intolerant|gluten intolerant|left-handed|colou?r-?blind|deaf|blind|pregnant|dyslexic|autistic|retired|unemployed|self-employed|a (?:vegan|vegetarian|pescatarian|smoker|non-smoker|night owl|morning person|morning bird|early bird|twin|single (?:mom|mum|dad|mother|father|parent)|mother of (?:two|three|four|\\d)|father of (?:two|three|four|\\d)|only child)";
const STATUS = "married|single|divorced|engaged|widowed";

function findStatus(fit: Fit): void {
  const { status = "" } = fit.match.groups ?? {};
  const to = / to $/.test(fit.match[0]) ? nameAt(fit.rest) : undefined;
  const times = { validFromMs: fit.speech.saidMs };
  if (to === undefined && /^(?: to| in| with|-| person| most)/.test(fit.rest)) return;
  if (to === undefined && / to $/.test(fit.match[0])) return;
  const said = to === undefined ? ` is ${status}` : ` is ${status} to ${to}`;
  keep(fit, "relationship", said, { key: "marital_status", topics: ["family"], ...times });
  if (to === undefined) return;
  relate(fit, status === "married" ? "is_married_to" : "is_engaged_to", to);
  fit.speech.found.entity({ name: to, type: "person" });
}

const LANGUAGES =
  /^(?:fluent |native |some |a little |a bit of )?\p{Lu}\p{Ll}+(?:(?:,|,? and) \p{Lu}\p{Ll}+)*/u;

function findLanguages(fit: Fit): void {
  const said = clauseOf(fit.rest, 60);
  if (!LANGUAGES.test(said)) return;
  const list = /^[\p{L} ]+?(?= (?:fluently|at home|with|every|to|in)\b|$)/u.exec(said)?.[0] ?? said;
  keep(fit, "identity", ` speaks ${list}`, { topics: ["language"] });
}

function findBirth(fit: Fit): void {
  const date = dateAt(fit.rest, fit.speech.saidMs);
  if (date === undefined) return;
  keep(fit, "date_fact", ` was born ${/ in $/.test(fit.match[0]) ? "in" : "on"} ${date.text}`, {
    key: "birthday",
    topics: ["birthday"],
  });
}

const MOVED_FROM =
  "(?: here| back)?(?: from (?<from>\\p{Lu}[\\p{L}-]{1,30}(?: \\p{Lu}[\\p{L}-]{1,30}){0,2}))?";

/** The rules about speakers themselves. */
export const SELF_RULES: readonly Rule[] = [
  rule("[Mm]y (?:full |first |real |given )?name(?:'s| is) ", 0.95, findName),
  rule(`${AM} (?:called|named) `, 0.9, findName),
  rule(
    `(?:^|(?:[Hh]i|[Hh]ello|[Hh]ey),? )${AM} (?=\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)?(?:$|,| and | from ))`,
    0.7,
    findName,
  ),
  rule(
    "(?:^|[Pp]lease |[Jj]ust |[Cc]an |[Mm]ay |[Pp]eople |[Ff]riends |[Ee]veryone )[Cc]all me ",
    0.9,
    (fit) => {
      const name = ownName(fit);
      if (name === undefined || fit.speech.isLower) return;
      keep(fit, "identity", ` wants to be called ${name}`, {
        key: "nickname",
        ...since(fit, name),
      });
    },
  ),
  rule(`${I}${ADVERBS} (?:live|reside) in (?:the city of )?`, 0.95, findHome),
  rule(`${AM} (?:living|based|located|residing) in `, 0.9, findHome),
  rule(
    `${I}(?:'ve| have)${ADVERBS} (?:lived|been living) in (?=.{2,60} (?:for|since) )`,
    0.9,
    findHome,
  ),
  rule(`${I}(?:'ve| have)?${ADVERBS} (?:moved|relocated)${MOVED_FROM} to `, 0.9, findMove),
  rule(
    `${I}(?:'ve| have)?${ADVERBS} (?:moved away|moved|relocated) from (?!.{2,60} to )`,
    0.8,
    (fit) => {
      const place = placeAt(fit.rest, fit.speech.isLower);
      if (place === undefined) return;
      keep(fit, "location", ` moved away from ${place}`, { topics: ["home"] });
      relate(fit, "lived_in", place);
    },
  ),
  rule(`${AM}(?: originally)? from `, 0.85, findOrigin("hometown", "is from", "is_from")),
  rule(`${I}(?: originally)? come from `, 0.85, findOrigin("hometown", "is from", "is_from")),
  rule(`${I} grew up in `, 0.9, findOrigin("hometown", "grew up in", "grew_up_in")),
  rule(
    `${I} was born(?: and raised)? in (?=\\p{Lu})(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))`,
    0.9,
    findOrigin("birthplace", "was born in", "was_born_in"),
  ),
  rule(`${I} was born (?:on|in) `, 0.95, findBirth),
  rule(
    `${I}${ADVERBS} work(?: remotely| full[- ]time| part[- ]time)? (?:at|for) `,
    0.9,
    findEmployer,
  ),
  rule(
    `${AM} (?:working|employed)(?: remotely| full[- ]time| part[- ]time)? (?:at|for|by) `,
    0.85,
    findEmployer,
  ),
  rule(`${I}(?:'ve| have) been working (?:at|for) `, 0.85, findEmployer),
  rule(`${I}(?:'ve| have)?${ADVERBS} joined (?=\\p{Lu})`, 0.8, findEmployer),
  rule(
    `${I}(?:'ve| have)?${ADVERBS} (?:started(?: working| a new job| a job)?|got a(?: new)? job) (?:at|with) (?=\\p{Lu})`,
    0.85,
    findEmployer,
  ),
  rule(
    "[Mm]y (?:current |new )?(?:employer|company) is (?:called )?(?=\\p{Lu})",
    0.85,
    findEmployer,
  ),
  rule(`${AM} (?<article>an? |the )(?<job>(?i:${JOB}))(?!\\p{L})`, 0.85, findJob),
  rule(
    `${I}${ADVERBS} work(?:ing)? as (?<article>an? |the )?(?<job>(?i:${JOB}))(?!\\p{L})`,
    0.9,
    findJob,
  ),
  rule(
    `${AM} (?:working|employed) as (?<article>an? |the )?(?<job>(?i:${JOB}))(?!\\p{L})`,
    0.9,
    findJob,
  ),
  rule(
    `[Mm]y (?:job|profession|occupation|job title|title) is (?<article>an? |the )?(?<job>(?i:${JOB}))(?!\\p{L})`,
    0.9,
    findJob,
  ),
  rule(`${AM} (?<age>\\d{1,3})(?: years old|(?= ?(?:$|,| and )))`, 0.85, findAge),
  rule("[Mm]y age is (?<age>\\d{1,3})", 0.9, findAge),
  rule(`${AM} (?:severely |highly |deathly )?allergic to `, 0.9, findHealth("is allergic to")),
  rule(`${I} have an allergy to `, 0.9, findHealth("is allergic to")),
  rule(`${AM} (?<trait>${TRAITS})(?=$|[,;]| and | but | since | because | so )`, 0.85, (fit) => {
    keep(fit, "identity", ` is ${fit.match.groups?.["trait"]}`);
  }),
  rule(`${AM}(?: happily)? (?<status>${STATUS})(?: to )?`, 0.85, findStatus),
  rule(`${I}${ADVERBS} speak `, 0.85, findLanguages),
  rule(
    "[Mm]y (?:main |long-term |new |biggest |ultimate )?(?:goal|dream|aim|resolution)(?: for [\\p{L}\\d ]{2,20})? is to ",
    0.9,
    findGoal("has the goal to"),
  ),
  rule(
    `${AM} (?:planning|hoping|aiming|trying) to (?=(?:${GOAL_VERBS}) )`,
    0.8,
    findGoal("plans to"),
  ),
  rule(`${I}${ADVERBS} (?:plan|hope|intend) to (?=(?:${GOAL_VERBS}) )`, 0.8, findGoal("plans to")),
  rule(
    `${I}${ADVERBS} (?:want|'d love|dream of|have decided) to (?=(?:learn|become|move to|run a|write a|visit|travel to|study|retire|publish|master|climb) )`,
    0.75,
    findGoal("wants to"),
  ),
  rule(`${I}(?:'ve| have)? decided to (?=(?:${GOAL_VERBS}) )`, 0.8, findGoal("decided to")),
  rule(
    `${AM} (?:training|preparing|studying) for (?:my |the |a |an )?`,
    0.75,
    findGoal("is preparing for"),
  ),
  rule(`${AM} saving(?: up)? for `, 0.75, findGoal("is saving for")),
  rule(`${AM} moving to (?=\\p{Lu})`, 0.75, findGoal("is moving to")),
];

/** Objects in the conversation itself: no lasting liking. */
const PASSING = new RegExp(
  `^(?:${anyOf(`
  you, your, yours, it, its, it's, this, that, these, those, him, her, them, how, what, when,
  where, why, who, if, one, both, all of, some, everything, nothing, something, anything,
  to (?:see|know|have|hear|get|think),
  the (?:idea|way|one|fact|first|second|third|last|latter|former|other|look|sound|new|same),
  a (?:table|list|summary), my (?:new|order|money), us, me, myself, so, not, each, more, better,
  here, there, \\d
`)})\\b`,
  "i",
);

function object(fit: Fit): string | undefined {
  const said = clauseOf(fit.rest, 80)
    .replace(/ (?:better|best|more|most|the best|in the world|to death|over time)$/i, "")
    .replace(/^(?:the )?(?:taste|smell|sound) of /i, "");
  if (said.length < 2 || PASSING.test(said) || /^the \p{Ll}/u.test(said)) return undefined;
  if (/(?:^| )(?:to|is .*|makes .*)$/.test(said)) return undefined;
  return said;
}

const NEGATIVE = new Set(["dislikes", "hates"]);

function findLiking(verb: string): (fit: Fit) => void {
  return (fit) => {
    const said = object(fit);
    if (said === undefined) return;
    keep(fit, "preference", ` ${verb} ${said}`, { topics: topicsOf(said) });
    relate(fit, NEGATIVE.has(verb) || verb.startsWith("does not") ? "dislikes" : "likes", said);
  };
}

function topicsOf(said: string): readonly string[] {
  return said.split(" ").length <= 3 ? [said.toLowerCase()] : [];
}

function findPreferred(fit: Fit): void {
  const said = object(fit);
  if (said === undefined) return;
  keep(fit, "preference", ` prefers ${said}`, { topics: topicsOf(said) });
  const [better = ""] = said.split(/ (?:to|over|rather than|instead of) /);
  relate(fit, "prefers", better);
}

const THING = /^\p{L}[\p{L} -]{1,40}$/u;

function findFavorite(fit: Fit): void {
  const { thing = "", is = "is" } = fit.match.groups ?? {};
  const said = clauseOf(fit.rest, 80);
  if (!THING.test(thing) || said === "" || PASSING.test(said)) return;
  const { saidMs, speaker, found } = fit.speech;
  const key = `favorite_${slugOf(thing)}`;
  found.fact({
    text: `${speaker}'s favorite ${thing} ${is} ${said}.`,
    ...{ kind: "preference", confidence: fit.confidence, key },
    ...{ topics: [thing.toLowerCase()], validFromMs: saidMs },
  });
  relate(fit, key, said);
}

function findTool(predicate: string): (fit: Fit) => void {
  return (fit) => {
    const first = /^[\p{L}\p{N}.+#-]{1,30}/u.exec(fit.rest)?.[0] ?? "";
    const isKnown = TECHNOLOGIES.has(first.toLowerCase().replace(/[.]$/, ""));
    const name = nameAt(fit.rest) ?? (isKnown ? first.replace(/[.]$/, "") : undefined);
    if (name === undefined) return;
    const { verb = "use", article = "" } = fit.match.groups ?? {};
    keep(fit, "preference", ` ${verb}s ${article}${name}`, { topics: [name.toLowerCase()] });
    relate(fit, predicate, name);
    const type = isKnown ? "technology" : "product";
    fit.speech.found.entity({ name, type });
  };
}

/** The rules about likings. */
export const LIKING_RULES: readonly Rule[] = [
  rule(`${I}${ADVERBS} (?:like|love|enjoy|adore) `, 0.85, (fit) => {
    const verb = /(?:like|love|enjoy|adore) $/.exec(fit.match[0])?.[0].trim() ?? "like";
    findLiking(`${verb}s`)(fit);
  }),
  rule(`${I}${ADVERBS} (?:hate|dislike|detest|loathe) `, 0.85, findLiking("dislikes")),
  rule(`${I} (?:can't|cannot|can not) stand `, 0.85, findLiking("dislikes")),
  rule(
    `${I} (?:really )?(?:don't|do not|dont|never)(?: really| particularly| much)? (?:like|enjoy|care for) `,
    0.8,
    findLiking("does not like"),
  ),
  rule(
    `${AM} (?:an? )?(?:big |huge |massive |great )?(?:fan of|fond of|into|keen on) `,
    0.8,
    findLiking("likes"),
  ),
  rule(`${AM} (?:a )?(?:big |huge )?(?:fanatic|addict) of `, 0.75, findLiking("likes")),
  rule(`${I}(?:'d| would)?${ADVERBS} prefer (?!if|that|it|you)`, 0.85, findPreferred),
  rule(
    "[Mm]y (?:all-time |absolute |current |personal )?favou?rite (?<thing>[\\p{L} -]{2,40}?) (?<is>is|are|has always been) ",
    0.9,
    findFavorite,
  ),
  rule(`${I}${ADVERBS} (?:use|code in|program in|develop in) `, 0.75, findTool("uses")),
  rule(
    `${I}${ADVERBS} (?<verb>own|drive) (?<article>an? |the )?(?=\\p{Lu})`,
    0.8,
    findTool("owns"),
  ),
];
