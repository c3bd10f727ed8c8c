// Checks extraction results of a model, a hook or a worker. They are proposals: entries that break
// a rule are left out and counted, and an answer in another form is refused.
//
// Beside our own form the plain lists of other systems are understood: facts as `content` and
// `topics`, entities with an `entity_type`, and triples with a `relation`.

import { LIMITS } from "../../kit/limits.ts";
import { isJsonObject, type JsonObject } from "../../kit/text.ts";
import { isPlainText } from "../../tasks/rules/check-output.ts";
import type { ExtractionTarget } from "../../window/policy/memory-policy.ts";
import type {
  Extracted,
  ExtractedEntity,
  ExtractedFact,
  ExtractedRelation,
  Resolution,
} from "../rules/extracted.ts";

/** The request that an answer must fit. */
interface Asked {
  /** The ids of the messages that were given, oldest first. Empty ones are of a text. */
  readonly messageIds: readonly string[];
  readonly targets: readonly ExtractionTarget[];
}

/** Reads an answer. Undefined when it is not of the form. */
export function checkExtracted(answer: unknown, asked: Asked): Extracted | undefined {
  const check = new Check(asked);
  if (Array.isArray(answer)) check.list(answer, targetOf);
  else if (isJsonObject(answer) && isTriple(answer)) check.list([answer], () => "relations");
  else if (!isJsonObject(answer) || !check.lists(answer)) return undefined;
  const model = isJsonObject(answer) ? textOf(answer["model"], LIMITS.hookModelBytes) : undefined;
  return { ...check.found, model: model ?? "", rejectedCount: check.rejectedCount };
}

function isTriple(entry: JsonObject): boolean {
  return "subject" in entry && "object" in entry && ("predicate" in entry || "relation" in entry);
}

/** The target of an entry in a list of mixed entries. */
function targetOf(entry: unknown): ExtractionTarget | undefined {
  if (typeof entry === "string") return "facts";
  if (!isJsonObject(entry)) return undefined;
  if ("subject" in entry || "object" in entry) return "relations";
  if ("name" in entry) return "entities";
  return "text" in entry || "content" in entry ? "facts" : undefined;
}

const LISTS: readonly (readonly [field: string, target: ExtractionTarget])[] = [
  ["facts", "facts"],
  ["entities", "entities"],
  ["relations", "relations"],
  ["triples", "relations"],
];

/** Reader of one answer. */
class Check {
  readonly found = {
    facts: [] as ExtractedFact[],
    entities: [] as ExtractedEntity[],
    relations: [] as ExtractedRelation[],
  };
  rejectedCount = 0;
  readonly #asked: Asked;
  readonly #given: ReadonlySet<string>;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#given = new Set(asked.messageIds.filter((id) => id !== ""));
  }

  /** Reads the lists of our form; false when it has none. */
  lists(answer: JsonObject): boolean {
    let isForm = false;
    for (const [field, target] of LISTS) {
      const entries = answer[field];
      if (!Array.isArray(entries)) continue;
      isForm = true;
      this.list(entries, () => target);
    }
    return isForm;
  }

  list(
    entries: readonly unknown[],
    target: (entry: unknown) => ExtractionTarget | undefined,
  ): void {
    for (const entry of entries) {
      const kind = target(entry);
      const isAsked = kind !== undefined && this.#asked.targets.includes(kind);
      const isFull = kind !== undefined && this.found[kind].length >= LIMITS.extractedItems;
      if (!isAsked || isFull || !this.#keep(kind, entry)) this.rejectedCount += 1;
    }
  }

  /** Adds an entry to its list; false when it breaks a rule. */
  #keep(target: ExtractionTarget, entry: unknown): boolean {
    const json = typeof entry === "string" ? { text: entry } : entry;
    if (!isJsonObject(json)) return false;
    const add = <T>(list: T[], item: T | undefined): boolean =>
      item !== undefined && list.push(item) > 0;
    const { facts, entities, relations } = this.found;
    if (target === "facts") return add(facts, this.#fact(json));
    if (target === "entities") return add(entities, this.#entity(json));
    return add(relations, this.#relation(json));
  }

  #fact(json: JsonObject): ExtractedFact | undefined {
    const text = textOf(json["text"] ?? json["content"], LIMITS.extractedFactBytes);
    if (text === undefined) return undefined;
    return {
      text,
      isPreference: json["is_preference"] === true || json["kind"] === "preference",
      key: this.#optional(json["key"], LIMITS.memoryKeyBytes),
      category: this.#optional(json["category"], LIMITS.memoryCategoryBytes),
      topics: this.#texts(json["topics"], LIMITS.memoryTopics, LIMITS.memoryTopicBytes),
      importance: shareOf(json["importance"]),
      confidence: shareOf(json["confidence"]),
      validFromMs: timeOf(json["valid_from_time"]),
      messageIds: this.#messageIds(json),
    };
  }

  #entity(json: JsonObject): ExtractedEntity | undefined {
    const name = textOf(json["name"], LIMITS.entityNameBytes);
    if (name === undefined) return undefined;
    const type = this.#optional(json["type"] ?? json["entity_type"], LIMITS.entityTypeBytes);
    return {
      name,
      type: type === "" ? "other" : type,
      aliases: this.#texts(json["aliases"], LIMITS.entityAliases, LIMITS.entityNameBytes),
      attributes: this.#attributes(json["attributes"]),
      messageIds: this.#messageIds(json),
    };
  }

  #relation(json: JsonObject): ExtractedRelation | undefined {
    const subject = textOf(json["subject"], LIMITS.relationSubjectBytes);
    const said = json["predicate"] ?? json["relation"];
    const predicate = textOf(said, LIMITS.relationPredicateBytes);
    const object = textOf(json["object"], LIMITS.relationObjectBytes);
    if (subject === undefined || predicate === undefined || object === undefined) return undefined;
    const confidence = shareOf(json["confidence"]);
    return { subject, predicate, object, confidence, messageIds: this.#messageIds(json) };
  }

  /** A text that may be missing; one that breaks a rule is left out and counted. */
  #optional(value: unknown, bytesMax: number): string {
    if (value === undefined || value === null || value === "") return "";
    const text = textOf(value, bytesMax);
    if (text === undefined) this.rejectedCount += 1;
    return text ?? "";
  }

  #texts(value: unknown, countMax: number, bytesMax: number): readonly string[] {
    const texts = new Set<string>();
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : []) {
      const text = textOf(one, bytesMax);
      if (text === undefined || texts.size >= countMax) this.rejectedCount += 1;
      else texts.add(text);
    }
    return [...texts];
  }

  #attributes(value: unknown): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    for (const [name, given] of pairsOf(value)) {
      const key = textOf(name, LIMITS.entityAttributeKeyBytes);
      const isPlain = typeof given === "number" || typeof given === "boolean";
      const text = textOf(isPlain ? String(given) : given, LIMITS.entityAttributeValueBytes);
      const isFull = attributes.size >= LIMITS.entityAttributes;
      if (key === undefined || text === undefined || isFull) this.rejectedCount += 1;
      else attributes.set(key, text);
    }
    return attributes;
  }

  /** The messages that an entry names, by their ids or by their numbers from 1 on. */
  #messageIds(json: JsonObject): readonly string[] {
    const named = json["message_ids"] ?? json["messages"];
    const ids = new Set<string>();
    for (const one of Array.isArray(named) ? (named as readonly unknown[]) : []) {
      if (ids.size >= LIMITS.memorySourceMessages) break;
      const id = typeof one === "number" ? this.#asked.messageIds[one - 1] : one;
      if (typeof id === "string" && this.#given.has(id)) ids.add(id);
    }
    return [...ids];
  }
}

/** Attributes as an object, as a map of the wire, or as a list of keys and values. */
function pairsOf(value: unknown): Iterable<readonly [key: unknown, value: unknown]> {
  if (value instanceof Map) return value as ReadonlyMap<unknown, unknown>;
  if (!Array.isArray(value)) return Object.entries(isJsonObject(value) ? value : {});
  return (value as readonly unknown[])
    .filter(isJsonObject)
    .map((entry) => [entry["key"], entry["value"]] as const);
}

/** The scores of an answer, unchecked; undefined when it is not of the form. */
export function scoresIn(answer: unknown): readonly unknown[] | undefined {
  const scores = isJsonObject(answer) ? answer["scores"] : answer;
  return Array.isArray(scores) ? (scores as readonly unknown[]) : undefined;
}

const ACTIONS = {
  keep_both: "keep-both",
  supersede: "supersede",
  drop: "drop",
} as const;

/** Reads how a contradiction is settled. Undefined when the answer is not of the form. */
export function checkResolution(answer: unknown): Resolution | undefined {
  if (!isJsonObject(answer)) return undefined;
  const said = answer["action"];
  if (said === "merge") {
    const text = textOf(answer["text"], LIMITS.memoryTextBytes);
    return text === undefined ? undefined : { action: "merge", text };
  }
  const isKnown = typeof said === "string" && Object.hasOwn(ACTIONS, said);
  return isKnown ? { action: ACTIONS[said as keyof typeof ACTIONS] } : undefined;
}

// Values of an untrusted answer: a model's, a hook's, or a worker's.

const CLOSERS = { "[": "]", "{": "}" } as const;

/**
 * The JSON in the output of a model: from the first bracket to the last one that closes its kind,
 * without any fences and text around it. Undefined when there is no valid JSON.
 */
export function jsonIn(text: string): unknown {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const closer = CLOSERS[text[start] as keyof typeof CLOSERS];
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf(closer) + 1)) as unknown;
  } catch {
    // The parser's message quotes the answer.
    return undefined;
  }
}

/** A trimmed text of 1 to `bytesMax` bytes; undefined for any other value. */
function textOf(value: unknown, bytesMax: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const fits = text !== "" && text.length <= bytesMax && Buffer.byteLength(text) <= bytesMax;
  return fits && isPlainText(text) ? text : undefined;
}

/** A number from 0 to 1, possibly in quotes; undefined for any other value. */
export function shareOf(value: unknown): number | undefined {
  const isText = typeof value === "string" && value.trim() !== "";
  const number = isText ? Number(value) : value;
  const isShare = typeof number === "number" && number >= 0 && number <= 1;
  // Not the other zero, which some formats write in another way.
  return isShare ? number + 0 : undefined;
}

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;
const MOMENT =
  /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;
const FIRST_MS = Date.parse("0001-01-01");
const LAST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59, 999);

/** A time of ISO 8601, by UTC unless it says else; undefined when it is none of years 1 to 9999. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const zone = MOMENT.exec(value);
  if (zone === null && !DAY.test(value)) return undefined;
  const ms = Date.parse(zone !== null && zone[1] === undefined ? `${value}Z` : value);
  return ms >= FIRST_MS && ms <= LAST_MS ? Math.floor(ms) : undefined;
}
