// What may stand in a context: what the service found, before anything is packed.

import type { Memory } from "../memories/memory.ts";
import type { Trust } from "../summaries/summary.ts";
import type { ContextRef, ContextSectionKind } from "./types.ts";

/** A message as a context writes it down. */
export interface SaidMessage {
  readonly kind: "message";
  readonly role: "user" | "assistant" | "system" | "tool" | "summary";
  /** The name of the speaker or of the tool; may be empty. */
  readonly name: string;
  readonly text: string;
  /** The tool calls it makes, in words; empty for most. */
  readonly calls: string;
  readonly saidMs: number;
  /** Its place in the window, for the conversation. */
  readonly place: number;
}

/** What a candidate says. */
export type Said =
  | SaidMessage
  | { readonly kind: "memory"; readonly memory: Memory }
  | { readonly kind: "document"; readonly text: string }
  | { readonly kind: "summary"; readonly text: string };

/** Something that may stand in a section. */
export interface Candidate {
  readonly ref: ContextRef;
  readonly said: Said;
  readonly relevance: number;
  readonly trust: Trust;
  /** Less relevant than asked for: it is only told of. */
  readonly isWeak?: boolean;
  /** Found for the query, and relevant enough: it may take of the budget before shares do. */
  readonly isFitting?: boolean;
  /** Those of one section with the same number stand or fall together: a call and its results. */
  readonly unit?: number;
}

/** What was found for a section, the most wanted first. */
export interface FoundSection {
  readonly kind: ContextSectionKind;
  readonly candidates: readonly Candidate[];
}
