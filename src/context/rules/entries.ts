// Candidates made ready for packing: their lines, what they cost, and what they say in common.

import { normalText } from "../../memory/rules/text-key.ts";
import type { ContextCount } from "./count.ts";
import { lineOf } from "./lines.ts";
import type {
  BlockRules,
  Candidate,
  ContextItem,
  ContextStyle,
  Entry,
  FoundSection,
  MessageApart,
  ReadySection,
  SectionRules,
} from "./types.ts";

/**
 * Bytes of an answer that its content takes at most, whatever the budget: clients take 4 MiB, and
 * what was cut is told besides.
 */
export const ANSWER_BYTES = 3_145_728;

/** Times that a line stands in an answer: in the text and as an item, and in a prompt as JSON. */
const LINE_COPIES = { text: 2, prompt: 4 };

/** Bytes of an item beside its text and ids. */
const ITEM_BYTES = 64;

/** Makes sections ready, in the order of their rules. */
export async function readySections(
  found: readonly FoundSection[],
  rules: readonly SectionRules[],
  parts: {
    readonly style: ContextStyle;
    readonly count: ContextCount;
    readonly inPrompt: boolean;
  },
): Promise<readonly ReadySection[]> {
  const { style, count } = parts;
  const copies = LINE_COPIES[parts.inPrompt ? "prompt" : "text"];
  const byKind = new Map(found.map(({ kind, candidates }) => [kind, candidates]));
  const styleIn = (block: BlockRules | undefined): ContextStyle =>
    block?.fence === undefined ? style : { ...style, fence: true };
  const lines = rules.map(({ kind, isApart, block }) =>
    (byKind.get(kind) ?? []).map((one) => (isApart ? "" : lineOf(styleIn(block), kind, one))),
  );
  const tokens = await count.texts(lines.flat());
  let next = 0;
  return rules.map((rule, section) => {
    const candidates = byKind.get(rule.kind) ?? [];
    const entries = candidates.map((candidate, index): Entry => {
      const line = lines[section]?.[index] ?? "";
      const tokenCount = tokens[next] ?? 0;
      next += 1;
      const { apart } = candidate;
      if (apart !== undefined) return entryApart(candidate, apart);
      return {
        candidate,
        line,
        tokenCount,
        ...keysOf(candidate),
        cost: count.added(`${line}\n`, tokenCount),
        bytes: copies * Buffer.byteLength(line) + refBytes(candidate) + ITEM_BYTES,
        reason: candidate.isWeak === true ? "relevance" : undefined,
      };
    });
    return { rules: rule, entries };
  });
}

/** Bytes of JSON for a byte of a message: those of pictures stand in Base64. */
const JSON_BYTES = 4 / 3;

/** The entry of a message of the prompt. */
function entryApart(candidate: Candidate, { bytes, tokenCount }: MessageApart): Entry {
  return {
    candidate,
    line: "",
    tokenCount: Math.floor(tokenCount),
    ...keysOf(candidate),
    cost: tokenCount,
    bytes: Math.ceil(bytes.length * JSON_BYTES) + refBytes(candidate) + ITEM_BYTES,
    reason: undefined,
  };
}

type Keys = Pick<Entry, "says" | "tells" | "self">;

/** Keys of a candidate's content, so that nothing stands in a context twice. */
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
