// Candidates made ready for packing: their lines, what they cost, and what they say in common.

import { normalText } from "../memories/text-key.ts";
import type { Candidate, FoundSection } from "./candidate.ts";
import type { ContextCount } from "./count.ts";
import { type LineStyle, lineOf } from "./lines.ts";
import type { SectionRules } from "./profiles.ts";
import type { ContextCutReason, ContextItem } from "./types.ts";

/**
 * Bytes of an answer that its content takes at most, whatever the budget: clients take 4 MiB, and
 * what was cut is told besides.
 */
export const ANSWER_BYTES = 3_145_728;

/** What an item takes beside its text and its ids. */
const ITEM_BYTES = 64;

/** A candidate that is ready to be packed. */
export interface Entry {
  readonly candidate: Candidate;
  readonly line: string;
  /** What the line costs by itself, a whole number. */
  readonly tokenCount: number;
  /** What it adds to a text, its line break included. */
  readonly cost: number;
  /** What it takes in an answer, where its line stands twice. */
  readonly bytes: number;
  /** It says nothing new when all of these are said already; empty for what always does. */
  readonly says: readonly string[];
  /** What is said once it stands in the context. */
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

/** Makes sections ready, in the order of their rules. */
export async function readySections(
  found: readonly FoundSection[],
  rules: readonly SectionRules[],
  parts: { readonly style: LineStyle; readonly count: ContextCount },
): Promise<readonly ReadySection[]> {
  const { style, count } = parts;
  const byKind = new Map(found.map(({ kind, candidates }) => [kind, candidates]));
  const lines = rules.map(({ kind }) =>
    (byKind.get(kind) ?? []).map((candidate) => lineOf(style, kind, candidate)),
  );
  const tokens = await count.texts(lines.flat());
  let next = 0;
  return rules.map((rule, section) => {
    const candidates = byKind.get(rule.kind) ?? [];
    const entries = candidates.map((candidate, index): Entry => {
      const line = lines[section]?.[index] ?? "";
      const tokenCount = tokens[next] ?? 0;
      next += 1;
      return {
        ...{ candidate, line, tokenCount, ...keysOf(candidate) },
        cost: count.added(`${line}\n`, tokenCount),
        bytes: 2 * Buffer.byteLength(line) + refBytes(candidate) + ITEM_BYTES,
        reason: candidate.isWeak === true ? "relevance" : undefined,
      };
    });
    return { rules: rule, entries };
  });
}

type Keys = Pick<Entry, "says" | "tells" | "self">;

/** What a candidate says, so that nothing stands in a context twice. */
function keysOf({ said, ref }: Candidate): Keys {
  if (said.kind === "message" && ref.kind === "message") {
    const self = `message ${ref.messageId} ${ref.sessionId}`;
    const text = asList(textKey(said.text));
    return { self, says: text, tells: [self, ...text] };
  }
  if (said.kind === "document") return alike(asList(textKey(said.text)));
  if (said.kind !== "memory") return alike([]);
  const { structure, text } = said.memory.content;
  if (structure?.kind === "entity") return alike([]);
  if (structure?.kind === "episode") {
    // Both sides of the exchange may stand in the conversation.
    const { userText, assistantText } = structure.episode;
    const says = [userText, assistantText].flatMap((side) => asList(textKey(side)));
    return { says, tells: [], self: "" };
  }
  return alike(asList(textKey(text)));
}

function refBytes({ ref }: Candidate): number {
  const ids = Object.values(ref).map((id) => Buffer.byteLength(String(id)));
  return ids.reduce((sum, bytes) => sum + bytes, 0);
}

function alike(keys: readonly string[]): Keys {
  return { says: keys, tells: keys, self: "" };
}

function asList(key: string | undefined): readonly string[] {
  return key === undefined ? [] : [key];
}

function textKey(text: string): string | undefined {
  const normal = normalText(text);
  return normal === "" ? undefined : `text ${normal}`;
}

/** An entry as an item of an answer. */
export function itemOf({ candidate, line, tokenCount }: Entry): ContextItem {
  const { ref, relevance, trust } = candidate;
  return { ref, text: line, tokenCount, relevance, trust };
}
