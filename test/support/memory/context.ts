// Builders of inputs for packing a context.

import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";
import { contextProfile } from "../../../src/compat/profiles.ts";
import { sectionsInBlocks } from "../../../src/context/rules/blocks.ts";
import { type ContextCount, contextCount } from "../../../src/context/rules/count.ts";
import { packContext } from "../../../src/context/rules/pack.ts";
import { sectionRules } from "../../../src/context/rules/profiles.ts";
import type {
  AskedSection,
  BlockRules,
  Candidate,
  ContextSectionKind,
  FoundSection,
  PackedContext,
  SaidMessage,
} from "../../../src/context/rules/types.ts";
import type { Memory, MemoryContent } from "../../../src/memory/rules/memory.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import type { TokenRule } from "../../../src/window/policy/policy.ts";
import {
  type CountedRule,
  countPlainText,
  isExact,
} from "../../../src/window/policy/token-rules.ts";

/** A rule with nothing beside it. */
export function plainRule(rule: TokenRule): CountedRule {
  return { rule, imageTokenCount: 800, custom: undefined };
}

/** Cost of a text under any rule. */
export function costOf(text: string, rule: CountedRule): number {
  if (text === "") return 0;
  if (!isExact(rule.rule)) return countPlainText(text, rule);
  return (rule.rule === "o200k" ? o200k : cl100k).encode(text, { allowedSpecial: new Set() })
    .length;
}

/** Counts tokens for a context on this thread. */
export function countBy(rule: CountedRule): ContextCount {
  return contextCount(rule, async (texts) => texts.map((text) => costOf(text, rule)));
}

let nextNo = 0;

/** A memory with the fields that a test sets. */
export function memoryOf(
  content: Partial<MemoryContent>,
  rest: Partial<Omit<Memory, "content">> = {},
): Memory {
  nextNo += 1;
  const createMs = rest.createMs ?? 0;
  return {
    ...{ memoryId: `m${nextNo}`, memoryNo: nextNo, kind: "fact", trust: TRUST.low },
    scope: { userId: "", agentId: "", sessionId: "" },
    content: {
      ...{ text: "", structure: undefined, key: "", category: "general", topics: [] },
      ...{ importance: 0.5, labels: new Map(), metadata: new Uint8Array() },
      ...{ validFromMs: undefined, validToMs: undefined },
      ...content,
    },
    strength: { confidence: 1, mentionCount: 1, lastSeenMs: createMs, decayMs: 0 },
    ...{
      persistent: false,
      ttlMs: 0,
      state: "active",
      supersededBy: "",
      contradictsIds: [],
      version: 1,
    },
    source: { origin: "caller", sessionId: "", messageIds: [], hook: "", model: "" },
    ...{ writer: "", reason: "", createMs, updateMs: createMs, etagRevision: 1 },
    ...rest,
  };
}

/** A memory as a candidate. */
export function remembered(memory: Memory, rest: Partial<Candidate> = {}): Candidate {
  return {
    ref: { kind: "memory", memoryId: memory.memoryId },
    said: { kind: "memory", memory },
    ...{ relevance: 0, trust: memory.trust },
    ...rest,
  };
}

/** A message as a candidate. */
export function saidBy(
  role: SaidMessage["role"],
  text: string,
  rest: Partial<SaidMessage> & { readonly unit?: number; readonly id?: string } = {},
): Candidate {
  const { unit, id, ...fields } = rest;
  const place = fields.place ?? 0;
  return {
    ref: { kind: "message", sessionId: "s", messageId: id ?? `${place}`, seq: place },
    said: { kind: "message", role, name: "", text, calls: "", saidMs: 0, ...fields, place },
    ...{ relevance: 0, trust: TRUST.medium },
    ...(unit === undefined ? {} : { unit }),
  };
}

/** Messages of a conversation, given as `user: text`, oldest first. */
export function conversationOf(lines: readonly string[]): FoundSection {
  const candidates = lines.map((line, index) => {
    const [role = "", ...text] = line.split(": ");
    return saidBy(role as SaidMessage["role"], text.join(": "), { place: index + 1 });
  });
  return { kind: "conversation", candidates: candidates.reverse() };
}

/** Options of a context beside the hits. */
export interface Packing {
  readonly profile?: string;
  readonly rule?: CountedRule;
  readonly fence?: boolean;
  readonly blocks?: readonly BlockRules[];
  readonly sections?: readonly (Partial<AskedSection> & { readonly kind: ContextSectionKind })[];
}

/** Packs hits into a context. */
export async function pack(
  found: readonly FoundSection[],
  budgetTokens: number,
  packing: Packing = {},
): Promise<PackedContext> {
  const profile = contextProfile(packing.profile ?? "");
  if (profile === undefined) throw new Error(`There is no profile ${packing.profile}.`);
  const { rule = plainRule("words"), sections = [] } = packing;
  const asked = sections.map((section) => ({
    ...{ share: undefined, firstShare: undefined, limit: 0, heading: undefined, maxChars: 0 },
    ...section,
  }));
  const fence = packing.fence ?? profile.guarded;
  const { blocks = [] } = packing;
  const sectionsOf = sectionsInBlocks(sectionRules(profile, asked), blocks);
  const rules = { profile, fence, sections: sectionsOf, blocks, budgetTokens };
  return await packContext(found, { ...rules, prompt: undefined }, countBy(rule));
}
