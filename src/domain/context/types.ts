// The context of a prompt, in domain terms; see memorysidecar.v1.AssembleContextResponse.

import type { Trust } from "../summaries/summary.ts";

/** The names of the public enum in lower case, its numbers in order. */
export const CONTEXT_SECTION_KINDS = [
  "summary",
  "long-term",
  "entities",
  "relations",
  "episodes",
  "recalled-messages",
  "documents",
  "conversation",
  "daily-log",
] as const;
export type ContextSectionKind = (typeof CONTEXT_SECTION_KINDS)[number];

/** Names something that the store holds. */
export type ContextRef =
  | { readonly kind: "memory"; readonly memoryId: string }
  | {
      readonly kind: "message";
      readonly sessionId: string;
      readonly messageId: string;
      /** 0 for what stands in the window only. */
      readonly seq: number;
    }
  | { readonly kind: "document"; readonly collectionId: string; readonly documentId: string }
  | { readonly kind: "summary"; readonly sessionId: string; readonly version: number };

/** Something in the context. */
export interface ContextItem {
  readonly ref: ContextRef;
  /** As it stands in the context. */
  readonly text: string;
  readonly tokenCount: number;
  readonly relevance: number;
  readonly trust: Trust;
}

/** A section of the context. */
export interface ContextPart {
  readonly kind: ContextSectionKind;
  readonly heading: string;
  /** Heading and fence included. */
  readonly tokenCount: number;
  readonly items: readonly ContextItem[];
}

export type ContextCutReason = "budget" | "limit" | "duplicate" | "relevance" | "compacted";

/** Something that is not in the context. */
export interface ContextCut {
  readonly kind: ContextSectionKind;
  readonly ref: ContextRef;
  readonly tokenCount: number;
  readonly reason: ContextCutReason;
}

/** The context. */
export interface PackedContext {
  readonly text: string;
  readonly tokenCount: number;
  readonly budgetTokens: number;
  readonly parts: readonly ContextPart[];
  /** All of them; the edge gives at most LIMITS.contextCuts. */
  readonly cut: readonly ContextCut[];
}
