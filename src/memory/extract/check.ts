// Checks what a model, a hook or a worker found: its answer is a proposal. What breaks a rule is
// left out and counted, and what is not of the form at all is no answer.
//
// Beside our own form the plain lists of other systems are understood: facts as `content` and
// `topics`, entities with an `entity_type`, and triples with a `relation`.

import { LIMITS } from "../../limits.ts";
import type {
  Extracted,
  ExtractedEntity,
  ExtractedFact,
  ExtractedRelation,
  Resolution,
} from "../extracted.ts";
import type { ExtractionTarget } from "../policy.ts";
import { isJson, type Json, shareOf, textOf, timeOf } from "./answer.ts";

/** What an answer is checked against. */
export interface Asked {
  /** The ids of the messages that were given, oldest first. Empty ones are of a text. */
  readonly messageIds: readonly string[];
  readonly targets: readonly ExtractionTarget[];
}

/** What a list may hold. */
type Item =
  | { readonly target: "facts"; readonly item: ExtractedFact }
  | { readonly target: "entities"; readonly item: ExtractedEntity }
  | { readonly target: "relations"; readonly item: ExtractedRelation };

/** Reads an answer. Undefined when it is not of the form. */
export function checkExtracted(answer: unknown, asked: Asked): Extracted | undefined {
  const check = new Check(asked);
  if (Array.isArray(answer)) check.list(answer, targetOf);
  else if (isJson(answer) && isTriple(answer)) check.list([answer], () => "relations");
  else if (!isJson(answer) || !check.lists(answer)) return undefined;
  const model = isJson(answer) ? textOf(answer["model"], LIMITS.hookModelBytes) : undefined;
  return { ...check.found, model: model ?? "", rejectedCount: check.rejectedCount };
}

function isTriple(entry: Json): boolean {
  return "subject" in entry && "object" in entry && ("predicate" in entry || "relation" in entry);
}

/** What an entry of a list of anything is. */
function targetOf(entry: unknown): ExtractionTarget | undefined {
  if (typeof entry === "string") return "facts";
  if (!isJson(entry)) return undefined;
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

/** One answer that is looked through. */
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
  lists(answer: Json): boolean {
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
      const read = isAsked && !isFull ? this.#read(kind, entry) : undefined;
      if (read === undefined) this.rejectedCount += 1;
      else this.#keep(read);
    }
  }

  #keep(read: Item): void {
    if (read.target === "facts") this.found.facts.push(read.item);
    else if (read.target === "entities") this.found.entities.push(read.item);
    else this.found.relations.push(read.item);
  }

  #read(target: ExtractionTarget, entry: unknown): Item | undefined {
    const json = typeof entry === "string" ? { text: entry } : entry;
    if (!isJson(json)) return undefined;
    if (target === "facts") {
      const item = this.#fact(json);
      return item && { target, item };
    }
    if (target === "entities") {
      const item = this.#entity(json);
      return item && { target, item };
    }
    const item = this.#relation(json);
    return item && { target, item };
  }

  #fact(json: Json): ExtractedFact | undefined {
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

  #entity(json: Json): ExtractedEntity | undefined {
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

  #relation(json: Json): ExtractedRelation | undefined {
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
  #messageIds(json: Json): readonly string[] {
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
  if (!Array.isArray(value)) return Object.entries(isJson(value) ? value : {});
  return (value as readonly unknown[])
    .filter(isJson)
    .map((entry) => [entry["key"], entry["value"]] as const);
}

/** The scores of an answer, unchecked; undefined when it is not of the form. */
export function scoresIn(answer: unknown): readonly unknown[] | undefined {
  const scores = isJson(answer) ? answer["scores"] : answer;
  return Array.isArray(scores) ? (scores as readonly unknown[]) : undefined;
}

const ACTIONS = {
  keep_both: "keep-both",
  supersede: "supersede",
  drop: "drop",
} as const;

/** Reads what becomes of memories. Undefined when the answer is not of the form. */
export function checkResolution(answer: unknown): Resolution | undefined {
  if (!isJson(answer)) return undefined;
  const said = answer["action"];
  if (said === "merge") {
    const text = textOf(answer["text"], LIMITS.memoryTextBytes);
    return text === undefined ? undefined : { action: "merge", text };
  }
  const isKnown = typeof said === "string" && Object.hasOwn(ACTIONS, said);
  return isKnown ? { action: ACTIONS[said as keyof typeof ACTIONS] } : undefined;
}
