// The context of a prompt, in domain terms; see memorysidecar.v1.AssembleContextResponse.

import type { Memory } from "../../memory/rules/memory.ts";
import type { Trust } from "../../summary/rules/summary.ts";
import type { ContextCount } from "./count.ts";

/** The names of the public enum in lower case. */
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
  /** The wire forms of the messages that stand apart, and of the texts among them, in order. */
  readonly messages: readonly Uint8Array[];
  /** In the order of the rules. */
  readonly blocks: readonly PackedBlock[];
}

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

/** The content of a candidate. */
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
  /** Less relevant than asked for: listed among the cuts only. */
  readonly isWeak?: boolean;
  /** Found for the query, and relevant enough: it may take of the budget before shares do. */
  readonly isFitting?: boolean;
  /** Those of one section with the same number stand or fall together: a call and its results. */
  readonly unit?: number;
  /** It stands in the prompt as a message of its own, not in the text. */
  readonly apart?: MessageApart;
}

/** A message of the window that stands in a prompt as such. */
export interface MessageApart {
  /** The wire form. */
  readonly bytes: Uint8Array;
  /** Tokens by the rule of the context; may end in quarters. */
  readonly tokenCount: number;
  /** Included whatever it costs, and its unit with it. */
  readonly isFixed: boolean;
  readonly role: "system" | "newest-user" | "other";
}

/** Candidates for a section, the most wanted first. */
export interface FoundSection {
  readonly kind: ContextSectionKind;
  readonly candidates: readonly Candidate[];
}

/** A candidate that is ready to be packed. */
export interface Entry {
  readonly candidate: Candidate;
  readonly line: string;
  /** Tokens of the line by itself, a whole number. */
  readonly tokenCount: number;
  /** Tokens it adds to a text, its line break included. */
  readonly cost: number;
  /** Bytes it takes in an answer, where its line stands twice. */
  readonly bytes: number;
  /** It says nothing new when all of these are said already; empty for what always does. */
  readonly says: readonly string[];
  /** Keys of the content it adds to the context. */
  readonly tells: readonly string[];
  /** The message that it is; empty for others. The same one stands in no second section. */
  readonly self: string;
  /** Found out before packing: too weak. */
  readonly reason: ContextCutReason | undefined;
}

/** A section that is ready to be packed. */
export interface ReadySection {
  readonly rules: SectionRules;
  /** The most wanted first. */
  readonly entries: readonly Entry[];
}

/** Defaults of a section in a profile. */
export interface SectionDefaults {
  readonly share: number;
  /** Share of the budget for items that fit the query, given out before all other shares. */
  readonly firstShare: number;
  readonly limit: number;
  /** May be empty. */
  readonly heading: string;
  /** The line under the section; empty for none. Used only with the default heading. */
  readonly footer: string;
  /** The head of the group an item belongs to. Used only with the default heading. */
  readonly groupOf: ((candidate: Candidate) => string) | undefined;
  /** Sorts the items; undefined keeps the usual order of the section. */
  readonly order: ((a: Candidate, b: Candidate) => number) | undefined;
  /** 0 means no limit. */
  readonly maxChars: number;
}

/** A section of a context with every field filled in. */
export interface SectionRules extends SectionDefaults {
  readonly kind: ContextSectionKind;
  /** Its items are messages of the prompt: the section is not in the text. */
  readonly isApart: boolean;
  /** The block that it stands in; undefined for the text of the context. */
  readonly block: BlockRules | undefined;
}

/** Places of blocks. */
export type ContextPlace = "system" | "user-message" | "tool-result";

/** Marks around a block. */
export type BlockFence =
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "lines"; readonly open: string; readonly close: string };

/** The tool call that a block answers. */
export interface BlockCall {
  readonly toolName: string;
  readonly toolCallId: string;
  /** A JSON object. */
  readonly arguments: string;
}

/** Some sections as a text of their own, with a place in the prompt. */
export interface BlockRules {
  readonly name: string;
  readonly place: ContextPlace;
  /** In the order of the text. */
  readonly sections: readonly ContextSectionKind[];
  readonly fence: BlockFence | undefined;
  /** Its sections have the marks of the context, whether the block has marks or not. */
  readonly hasSectionMarks: boolean;
  /** Infinity means no maximum of its own. */
  readonly maxTokens: number;
  /** Set for a tool result. */
  readonly call: BlockCall | undefined;
}

/** A block of a context. */
export interface PackedBlock {
  readonly rules: BlockRules;
  /** Sections that hold something, in the order of the text. */
  readonly sections: readonly ContextSectionKind[];
  /** Marks included; empty without content. */
  readonly text: string;
  /** Of the text, and of the call if there is one. */
  readonly tokenCount: number;
}

/** A section as a request asks for it. */
export interface AskedSection {
  readonly kind: ContextSectionKind;
  /** Undefined means the default of the profile, as for `firstShare` and `heading`. */
  readonly share?: number | undefined;
  readonly firstShare?: number | undefined;
  /** 0 means the default of the profile. */
  readonly limit: number;
  readonly heading?: string | undefined;
  /** 0 means no limit. */
  readonly maxChars: number;
}

/** Makes stored text safe to stand in a context. */
export type Safe = (text: string) => string;

/** A named way to build a context. */
export interface ContextProfile {
  readonly name: string;
  /** Default sections, in order. */
  readonly sections: readonly ContextSectionKind[];
  /** Share of the requested tokens that the context may use. */
  readonly threshold: number;
  /** Overrides of the general section defaults. */
  readonly defaults: Readonly<Partial<Record<ContextSectionKind, Partial<SectionDefaults>>>>;
  /** Labels untrusted items, fences sections by default and removes invisible characters. */
  readonly guarded: boolean;
  /**
   * Finds memories by recall and by names in the query. Otherwise: the most important ones, the
   * last seen entities, and relations that hold a word of the query.
   */
  readonly searches: boolean;
  /** Shows the session's summary as the oldest message of the conversation. */
  readonly summaryAmongMessages: boolean;
  /** Writes an item in the profile's own way; undefined leaves it to the general one. */
  readonly line?: (kind: ContextSectionKind, said: Said, safe: Safe) => string | undefined;
  /** Packs instead of dividing the budget by shares. */
  readonly pack?: (
    sections: readonly ReadySection[],
    rules: ContextRules,
    count: ContextCount,
  ) => Promise<PackedContext>;
}

/** Written forms of the items and sections of a context. */
export interface ContextStyle {
  readonly profile: ContextProfile;
  /** Sections stand between marks, which their content must not imitate. */
  readonly fence: boolean;
}

/** Packing options of a context. */
export interface ContextRules extends ContextStyle {
  /** In the order of the text. */
  readonly sections: readonly SectionRules[];
  /** The most tokens the text may cost, at least 1. */
  readonly budgetTokens: number;
  readonly blocks: readonly BlockRules[];
  /** Makes a prompt of messages that stand apart; undefined when none do. */
  readonly prompt: PromptRules | undefined;
}

/** A prompt of messages and texts. */
export interface PromptRules {
  /** Makes the messages of a text, in a block or in none: a tool result comes with its call. */
  readonly messagesOf: (text: string, block: BlockRules | undefined) => readonly Uint8Array[];
  /** The texts that the form of the prompt adds to messages. */
  readonly addedTo: (messages: readonly Uint8Array[]) => readonly string[];
}
