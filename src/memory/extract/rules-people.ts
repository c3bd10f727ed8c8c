// Who the speaker knows, and what is said of people and things by their names.

import { dateAt } from "./rules-dates.ts";
import { type Fit, I, type Rule, rule, type Speech } from "./rules-engine.ts";
import { clauseOf, NAME, nameAt, placeAt, slugOf } from "./rules-match.ts";
import { JOB, NO_NAMES, PETS, RELATION, SINGLE_RELATIONS, SPOUSES } from "./rules-words.ts";

function isPet(relation: string): boolean {
  return PETS.some((pet) => relation.endsWith(pet));
}

/** Keeps that somebody is somebody to the speaker. */
function keepRelation({ speech, confidence }: Fit, said: string, name: string): void {
  const relation = said.toLowerCase().replace(/\s+/g, " ");
  const { found, speaker, subject, saidMs } = speech;
  const isSingle = SINGLE_RELATIONS.has(relation);
  const single = isSingle ? { key: slugOf(relation), validFromMs: saidMs } : {};
  found.fact({
    text: `${speaker}'s ${relation} is ${name}.`,
    ...{ kind: "relationship", confidence, ...single },
    topics: [isPet(relation) ? "pets" : "people", relation],
  });
  const attributes = { [`${slugOf(relation)}_of`]: subject };
  found.entity({ name, type: isPet(relation) ? "animal" : "person", attributes });
  const predicate = SPOUSES.has(relation) ? "is_married_to" : `has_${slugOf(relation)}`;
  found.relation(subject, predicate, name, confidence);
}

/** A name that ends its phrase, of at most three words. */
function personAt(text: string, isLower: boolean): string | undefined {
  const lower = isLower ? /^\p{Ll}{2,20}(?=$|[,.]| and | but )/u.exec(text)?.[0] : undefined;
  const name = nameAt(text) ?? lower;
  if (name === undefined || name.split(" ").length > 3) return undefined;
  const [first = ""] = name.split(" ");
  return NO_NAMES.has(first.toLowerCase()) ? undefined : name;
}

function findRelation(fit: Fit): void {
  const { relation } = fit.match.groups ?? {};
  const name = personAt(fit.rest, fit.speech.isLower);
  if (relation === undefined || name === undefined) return;
  keepRelation(fit, relation, name);
}

function findRelationBefore(fit: Fit): void {
  const { relation, name } = fit.match.groups ?? {};
  if (relation === undefined || name === undefined) return;
  const known = personAt(name, false);
  if (known === name) keepRelation(fit, relation, name);
}

const COUNT = "an?|one|two|three|four|five|six|\\d";
const KIN = "kids?|children|child|sons?|daughters?|sisters?|brothers?|siblings?|twins";

function findHaving(fit: Fit): void {
  const { count = "", kind = "" } = fit.match.groups ?? {};
  const { found, speaker } = fit.speech;
  const named = /^,? (?:named|called) /.exec(fit.rest)?.[0];
  if (named !== undefined) {
    const name = personAt(fit.rest.slice(named.length), false);
    if (name !== undefined) {
      keepRelation(fit, kind.replace(/s$/, ""), name);
      return;
    }
  }
  // A word behind it makes it another thing, as in `a dog bed`.
  if (/^ (?!and|but|who|that|in|at|with|from|together|now)\p{Ll}/u.test(fit.rest)) return;
  found.fact({
    text: `${speaker} has ${count.toLowerCase()} ${kind}.`,
    ...{ kind: "relationship", confidence: fit.confidence, topics: ["family"] },
  });
}

/** What can be said of somebody, with what it is said of. */
interface Verb {
  readonly verb: string;
  readonly predicate: string;
  readonly object: "organization" | "location" | "person" | "thing" | "any" | "date";
  /** What the subject is, when it has a name. */
  readonly subject: "person" | "organization" | "other";
}

const VERBS: readonly Verb[] = [
  { verb: "works (?:at|for)", predicate: "works_at", object: "organization", subject: "person" },
  {
    verb: "(?:joined|is employed by|got a job at)",
    predicate: "works_at",
    object: "organization",
    subject: "person",
  },
  { verb: "lives in", predicate: "lives_in", object: "location", subject: "person" },
  { verb: "moved to", predicate: "lives_in", object: "location", subject: "person" },
  { verb: "was born in", predicate: "was_born_in", object: "location", subject: "person" },
  { verb: "was born on", predicate: "was_born_on", object: "date", subject: "person" },
  { verb: "is from", predicate: "is_from", object: "location", subject: "person" },
  { verb: "is married to", predicate: "is_married_to", object: "person", subject: "person" },
  { verb: "studies at", predicate: "studies_at", object: "organization", subject: "person" },
  { verb: "(?:likes|loves|enjoys)", predicate: "likes", object: "any", subject: "person" },
  { verb: "(?:hates|dislikes)", predicate: "dislikes", object: "any", subject: "person" },
  { verb: "is allergic to", predicate: "is_allergic_to", object: "any", subject: "person" },
  { verb: "founded", predicate: "founded", object: "organization", subject: "person" },
  {
    verb: "is the (?:CEO|CTO|CFO|COO|founder|head|director|president|owner) of",
    predicate: "leads",
    object: "organization",
    subject: "person",
  },
  {
    verb: "is (?:located|based|headquartered) in",
    predicate: "is_located_in",
    object: "location",
    subject: "organization",
  },
  { verb: "acquired", predicate: "acquired", object: "organization", subject: "organization" },
];

function objectAt(text: string, { object }: Verb, speech: Speech): string | undefined {
  if (object === "date") return dateAt(text, speech.saidMs)?.text;
  if (object === "any") {
    const said = clauseOf(text, 80);
    return /^(?:it|this|that|the|him|her|them|you|me|us|how|what|when|to be)\b/i.test(said) ||
      said === ""
      ? undefined
      : said;
  }
  if (object === "location") return placeAt(text, false);
  return nameAt(text);
}

/** What is said of a subject: a person known by a relation, or a name. */
function findVerb(verb: Verb): (fit: Fit) => void {
  return (fit) => {
    const { speech, match, rest, confidence } = fit;
    const { relation, name } = match.groups ?? {};
    const { found, speaker, subject } = speech;
    const object = objectAt(rest, verb, speech);
    if (object === undefined || (relation === undefined && name === undefined)) return;
    if (relation === undefined && personAt(name ?? "", false) !== name) return;
    const said = new RegExp(`(${verb.verb}) $`).exec(match[0])?.[1] ?? "";
    const owner = speaker === "The user" ? "The user's" : `${speaker}'s`;
    const known = relation === undefined ? "" : `${owner} ${relation.toLowerCase()}`;
    const whom = [known, name ?? ""].filter((part) => part !== "").join(" ");
    const kind = relation === undefined ? "identity" : "relationship";
    found.fact({
      text: `${whom} ${said} ${object}.`,
      ...{ kind: verb.predicate === "works_at" ? "work" : kind, confidence },
      topics: name === undefined ? [] : [name],
    });
    found.relation(
      name ?? `${subject}'s ${relation?.toLowerCase()}`,
      verb.predicate,
      object,
      confidence,
    );
    if (name !== undefined) found.entity({ name, type: verb.subject });
    if (verb.object === "organization" || verb.object === "location" || verb.object === "person") {
      found.entity({ name: object, type: verb.object });
    }
  };
}

const OF_MINE = `[Mm]y (?<relation>${RELATION})`;

function verbRules(verb: Verb): readonly Rule[] {
  const hint = new RegExp(`${verb.verb} `);
  const adverbs = "(?: (?:now|also|currently|still|really|recently|just|absolutely)){0,2}";
  return [
    rule(
      `${OF_MINE}(?:,? (?<name>${NAME})),?(?: who)?${adverbs} ${verb.verb} `,
      0.85,
      findVerb(verb),
      hint,
    ),
    rule(`${OF_MINE}(?: who)?${adverbs} ${verb.verb} `, 0.85, findVerb(verb), hint),
    rule(
      `(?:^|[,;:] |(?<=^|[,;:.] )(?:[Aa]nd|[Bb]ut|[Ss]o) )(?<name>${NAME})${adverbs} ${verb.verb} `,
      0.8,
      findVerb(verb),
      hint,
    ),
  ];
}

function findJob(fit: Fit): void {
  const { relation = "", name, job } = fit.match.groups ?? {};
  if (job === undefined || /^ (?!at|for|in|and|but|by|with|from|of|who)/.test(fit.rest)) return;
  const { found, speaker } = fit.speech;
  const whom = [`${speaker}'s ${relation.toLowerCase()}`, ...(name === undefined ? [] : [name])];
  const { confidence } = fit;
  found.fact({
    text: `${whom.join(" ")} is ${job}.`,
    kind: "work",
    confidence,
    topics: ["people"],
  });
}

/** The rules about people. */
export const PEOPLE_RULES: readonly Rule[] = [
  rule(`${OF_MINE}(?:'s name is|,? (?:is )?(?:named|called)|'s called|,) `, 0.9, findRelation),
  rule(`${OF_MINE} is (?=\\p{Lu}[\\p{L}' -]{1,40}(?:$|[,.;]))`, 0.85, findRelation),
  rule(`${OF_MINE} (?=\\p{Lu})`, 0.85, findRelation),
  rule(
    `(?:^|[,;:] )(?<name>${NAME})(?:,| is) my (?<relation>${RELATION})(?=$|[,.;)]| (?:and|who|but) )`,
    0.85,
    findRelationBefore,
  ),
  rule(
    `${I}(?:'ve got| have| have got)(?: also)? (?<count>${COUNT}) (?:\\p{Ll}+ ){0,2}?(?<kind>${KIN}|${PETS.map((pet) => `${pet}s?`).join("|")})(?!\\p{L})`,
    0.85,
    findHaving,
  ),
  rule(`${OF_MINE}(?:,? (?<name>${NAME})),? is (?<job>an? (?i:${JOB}))(?!\\p{L})`, 0.85, findJob),
  rule(`${OF_MINE} is (?<job>an? (?i:${JOB}))(?!\\p{L})`, 0.85, findJob),
  ...VERBS.flatMap(verbRules),
];
