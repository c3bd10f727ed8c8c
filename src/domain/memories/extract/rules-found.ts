// What the rules have found so far, each thing once.

import { LIMITS } from "../../limits.ts";
import type { ExtractedEntity, ExtractedFact, ExtractedRelation } from "../extracted.ts";
import { DEFAULT_IMPORTANCE_RULES } from "../importance.ts";

/** What kind of fact it is; the names of the rules that score texts. */
export type FactKind =
  | "identity"
  | "relationship"
  | "preference"
  | "goal"
  | "location"
  | "work"
  | "date_fact"
  | "general";

const SCORES = new Map(DEFAULT_IMPORTANCE_RULES.map(({ name, score }) => [name, score]));
/** Of facts of no rule of importance. */
const OTHER_SCORE = 0.6;

/** A fact of a sentence. */
export interface NewFact {
  readonly text: string;
  readonly kind: FactKind;
  readonly confidence: number;
  readonly key?: string;
  readonly topics?: readonly string[];
  readonly validFromMs?: number | undefined;
}

/** A name of a sentence. */
export interface NewEntity {
  readonly name: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Collects what is found. */
export class Found {
  readonly #facts = new Map<string, ExtractedFact>();
  readonly #entities = new Map<string, ExtractedEntity>();
  readonly #relations = new Map<string, ExtractedRelation>();
  #messageId = "";
  #factCount = 0;

  /** What is found from here on is said by this message; empty for a text. */
  from(messageId: string): void {
    this.#messageId = messageId;
  }

  fact({ text, kind, confidence, key = "", topics = [], validFromMs }: NewFact): void {
    const id = text.toLowerCase();
    const before = this.#facts.get(id);
    if (before === undefined && this.#facts.size >= LIMITS.extractedItems) return;
    if (Buffer.byteLength(text) > LIMITS.extractedFactBytes) return;
    this.#factCount++;
    this.#facts.set(id, {
      text,
      isPreference: kind === "preference",
      key: Buffer.byteLength(key) <= LIMITS.memoryKeyBytes ? key : "",
      category: kind,
      topics: topics.filter((topic) => fits(topic, LIMITS.memoryTopicBytes)),
      importance: SCORES.get(kind) ?? OTHER_SCORE,
      confidence: Math.max(confidence, before?.confidence ?? 0),
      validFromMs: before?.validFromMs ?? validFromMs,
      messageIds: this.#ids(before),
    });
  }

  entity({ name, type, attributes = {} }: NewEntity): void {
    const id = name.toLowerCase();
    const before = this.#entities.get(id);
    if (before === undefined && this.#entities.size >= LIMITS.extractedItems) return;
    if (!fits(name, LIMITS.entityNameBytes)) return;
    this.#entities.set(id, {
      name: before?.name ?? name,
      type: before === undefined || before.type === "other" ? type : before.type,
      aliases: [],
      attributes: new Map([...(before?.attributes ?? []), ...Object.entries(attributes)]),
      messageIds: this.#ids(before),
    });
  }

  relation(subject: string, predicate: string, object: string, confidence: number): void {
    const id = JSON.stringify([subject, predicate, object]).toLowerCase();
    const before = this.#relations.get(id);
    if (before === undefined && this.#relations.size >= LIMITS.extractedItems) return;
    if (!fits(subject, LIMITS.relationSubjectBytes) || !fits(object, LIMITS.relationObjectBytes)) {
      return;
    }
    const sure = Math.max(confidence, before?.confidence ?? 0);
    const messageIds = this.#ids(before);
    this.#relations.set(id, { subject, predicate, object, confidence: sure, messageIds });
  }

  /** How many times a fact was found, those that were known included. */
  get factCount(): number {
    return this.#factCount;
  }

  get facts(): readonly ExtractedFact[] {
    return [...this.#facts.values()];
  }

  get entities(): readonly ExtractedEntity[] {
    return [...this.#entities.values()];
  }

  get relations(): readonly ExtractedRelation[] {
    return [...this.#relations.values()];
  }

  #ids(before: { readonly messageIds: readonly string[] } | undefined): readonly string[] {
    const known = before?.messageIds ?? [];
    const id = this.#messageId;
    return id === "" || known.includes(id)
      ? known
      : [...known, id].slice(-LIMITS.memorySourceMessages);
  }
}

function fits(text: string, bytesMax: number): boolean {
  return text !== "" && Buffer.byteLength(text) <= bytesMax;
}
