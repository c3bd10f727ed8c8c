// Extracted facts, entities and relations: proposals, checked before they are applied.

import type { ExtractionTarget } from "../../window/policy/memory-policy.ts";

/** Something that was found. */
interface Found {
  /** The messages that say it; empty means all that were read. */
  readonly messageIds: readonly string[];
}

export interface ExtractedFact extends Found {
  readonly text: string;
  readonly isPreference: boolean;
  /** May be empty, as may the category. */
  readonly key: string;
  readonly category: string;
  readonly topics: readonly string[];
  /** Undefined when not given, as for confidence. */
  readonly importance: number | undefined;
  readonly confidence: number | undefined;
  readonly validFromMs: number | undefined;
}

export interface ExtractedEntity extends Found {
  readonly name: string;
  readonly type: string;
  readonly aliases: readonly string[];
  readonly attributes: ReadonlyMap<string, string>;
}

export interface ExtractedRelation extends Found {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number | undefined;
}

/** The results of an extraction. */
export interface Extracted {
  readonly facts: readonly ExtractedFact[];
  readonly entities: readonly ExtractedEntity[];
  readonly relations: readonly ExtractedRelation[];
  /** May be empty. */
  readonly model: string;
  /** Entries of the answer that broke a rule. */
  readonly rejectedCount: number;
}

/** Input of the extraction: one message, or a text without an id. */
export interface ExtractionLine {
  readonly role: "user" | "assistant" | "system" | "tool";
  /** Never empty. */
  readonly text: string;
  /** The speaker; may be empty. */
  readonly name: string;
  /** Empty for a text. */
  readonly messageId: string;
  /** When it was said, or else stored. */
  readonly saidMs: number;
}

/** The input of an extractor; see memorysidecar.v1.ExtractInput. */
export interface ExtractInput {
  /** The wire forms of the messages, oldest first; empty for a text. */
  readonly messages: readonly Uint8Array[];
  /** The same as text, without messages that have none. */
  readonly lines: readonly ExtractionLine[];
  /** Empty unless it is a text. */
  readonly text: string;
  readonly transcript: string;
  readonly targets: readonly ExtractionTarget[];
  readonly instructions: string;
  readonly known: readonly string[];
}

/** Settlement of a contradiction. */
export type Resolution =
  | { readonly action: "keep-both" | "supersede" | "drop" }
  | { readonly action: "merge"; readonly text: string };

/** A new memory and those that it contradicts; see memorysidecar.v1.ResolveInput. */
export interface ResolveInput {
  readonly text: string;
  readonly known: readonly string[];
  readonly key: string;
}
