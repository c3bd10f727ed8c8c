// People whom the speaker knows, and statements about people and things by their names.

import { dateAt } from "./rules-dates.ts";
import {
  clauseOf,
  type Fit,
  I,
  NAME,
  nameAt,
  placeAt,
  type Rule,
  rule,
  type Speech,
  slugOf,
} from "./rules-engine.ts";
import { JOB, NO_NAMES, PETS, RELATION, SINGLE_RELATIONS, SPOUSES } from "./rules-words.ts";

function isPet(relation: string): boolean {
  return PETS.some((pet) => relation.endsWith(pet));
}

/** Keeps who a person or an animal is to the speaker. */
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

/** A verb that states something about a subject. */
type Verb = readonly [
  verb: string,
  predicate: string,
  object: "organization" | "location" | "person" | "any" | "date",
  /** The type of a subject that has a name. */
  subject: "person" | "organization",
];

const VERBS: readonly Verb[] = [
  ["works (?:at|for)", "works_at", "organization", "person"],
  ["(?:joined|is employed by|got a job at)", "works_at", "organization", "person"],
  ["lives in", "lives_in", "location", "person"],
  ["moved to", "lives_in", "location", "person"],
  ["was born in", "was_born_in", "location", "person"],
  ["was born on", "was_born_on", "date", "person"],
  ["is from", "is_from", "location", "person"],
  ["is married to", "is_married_to", "person", "person"],
  ["studies at", "studies_at", "organization", "person"],
  ["(?:likes|loves|enjoys)", "likes", "any", "person"],
  ["(?:hates|dislikes)", "dislikes", "any", "person"],
  ["is allergic to", "is_allergic_to", "any", "person"],
  ["founded", "founded", "organization", "person"],
  [
    "is the (?:CEO|CTO|CFO|COO|founder|head|director|president|owner) of",
    "leads",
    "organization",
    "person",
  ],
  ["is (?:located|based|headquartered) in", "is_located_in", "location", "organization"],
  ["acquired", "acquired", "organization", "organization"],
];

function objectAt(text: string, type: Verb[2], speech: Speech): string | undefined {
  if (type === "date") return dateAt(text, speech.saidMs)?.text;
  if (type === "location") return placeAt(text, false);
  if (type !== "any") return nameAt(text);
  const said = clauseOf(text, 80);
  const isOfTalk = /^(?:it|this|that|the|him|her|them|you|me|us|how|what|when|to be)\b/i.test(said);
  return isOfTalk || said === "" ? undefined : said;
}

/** Finds statements about a subject: a person known by a relation, or a name. */
function findVerb([verb, predicate, objectType, subjectType]: Verb): (fit: Fit) => void {
  return ({ speech, match, rest, confidence }) => {
    const { relation, name } = match.groups ?? {};
    const { found, speaker, subject } = speech;
    const object = objectAt(rest, objectType, speech);
    if (object === undefined || (relation === undefined && name === undefined)) return;
    if (relation === undefined && personAt(name ?? "", false) !== name) return;
    const said = new RegExp(`(${verb}) $`).exec(match[0])?.[1] ?? "";
    const known = relation === undefined ? "" : `${speaker}'s ${relation.toLowerCase()}`;
    const whom = [known, name ?? ""].filter((part) => part !== "").join(" ");
    const kind = relation === undefined ? "identity" : "relationship";
    found.fact({
      text: `${whom} ${said} ${object}.`,
      ...{ kind: predicate === "works_at" ? "work" : kind, confidence },
      topics: name === undefined ? [] : [name],
    });
    const who = name ?? `${subject}'s ${relation?.toLowerCase()}`;
    found.relation(who, predicate, object, confidence);
    if (name !== undefined) found.entity({ name, type: subjectType });
    if (objectType !== "any" && objectType !== "date") {
      found.entity({ name: object, type: objectType });
    }
  };
}

const OF_MINE = `[Mm]y (?<relation>${RELATION})`;

function verbRules(verb: Verb): readonly Rule[] {
  const adverbs = "(?: (?:now|also|currently|still|really|recently|just|absolutely)){0,2}";
  const says = `${adverbs} ${verb[0]} `;
  const hint = new RegExp(`${verb[0]} `);
  const find = findVerb(verb);
  const begin = "(?:^|[,;:] |(?<=^|[,;:.] )(?:[Aa]nd|[Bb]ut|[Ss]o) )";
  return [
    rule(`${OF_MINE}(?:,? (?<name>${NAME})),?(?: who)?${says}`, 0.85, find, hint),
    rule(`${OF_MINE}(?: who)?${says}`, 0.85, find, hint),
    rule(`${begin}(?<name>${NAME})${says}`, 0.8, find, hint),
  ];
}

function findJob(fit: Fit): void {
  const { relation = "", name, job } = fit.match.groups ?? {};
  if (job === undefined || /^ (?!at|for|in|and|but|by|with|from|of|who)/.test(fit.rest)) return;
  const { found, speaker } = fit.speech;
  const whom = `${speaker}'s ${relation.toLowerCase()}${name === undefined ? "" : ` ${name}`}`;
  const { confidence } = fit;
  found.fact({ text: `${whom} is ${job}.`, kind: "work", confidence, topics: ["people"] });
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
