// Measures how much of the evidence for later questions summaries keep.

import { termsOf } from "../../src/summary/builtin/terms.ts";
import { BUDGET_SHARE, type Method, TOKEN_BYTES } from "./methods.ts";
import { type Chunk, type Conversation, type Cutting, chunksOf } from "./sets.ts";

/** Score of a method on a set. */
export interface Score {
  /** Share of questions with at least half of their evidence words in the summaries. */
  readonly kept: number;
  /** Mean share of a question's evidence words that are in the summaries. */
  readonly share: number;
  readonly questions: number;
  readonly bytes: number;
  /** CPU time. */
  readonly ms: number;
  /** Largest share of its budget that a summary used; above 1 the method breaks its limit. */
  readonly fullest: number;
}

/** Share of evidence words above which a question counts as kept. */
const KEPT_SHARE = 0.5;

/**
 * Judges a method. The evidence words of a question are the stemmed content words of its evidence
 * turns that the question itself does not contain. A word survives if the summary of its turn's
 * chunk contains it. Questions without such words do not count.
 */
export function judge(
  conversations: readonly Conversation[],
  cutting: Cutting,
  method: Method,
): Score {
  const shares: number[] = [];
  let bytes = 0;
  let ms = 0;
  let fullest = 0;
  for (const conversation of conversations) {
    const chunks = chunksOf(conversation, cutting);
    const summaries = chunks.map((chunk) => {
      const budget = Math.max(1, Math.floor((chunk.bytes * BUDGET_SHARE) / TOKEN_BYTES));
      const start = cpuMs();
      const text = method(chunk.lines, budget);
      ms += cpuMs() - start;
      bytes += chunk.bytes;
      fullest = Math.max(fullest, Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES) / budget);
      return new Set(termsOf(text));
    });
    shares.push(...sharesOf(conversation, chunks, summaries));
  }
  const questions = shares.length;
  const kept = shares.filter((share) => share >= KEPT_SHARE).length / Math.max(1, questions);
  const share = shares.reduce((sum, one) => sum + one, 0) / Math.max(1, questions);
  return { kept, share, questions, bytes, ms, fullest };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function sharesOf(
  { turns, qa }: Conversation,
  chunks: readonly Chunk[],
  summaries: readonly ReadonlySet<string>[],
): number[] {
  const shares: number[] = [];
  for (const { q, ev } of qa) {
    const asked = new Set(termsOf(q));
    // A word that is evidence in two chunks must survive in both.
    const survives = new Map<string, boolean>();
    for (const place of ev) {
      const chunk = chunks.findLastIndex(({ first }) => first <= place);
      for (const word of termsOf(turns[place]?.text ?? "")) {
        if (!asked.has(word)) {
          survives.set(`${chunk} ${word}`, summaries[chunk]?.has(word) ?? false);
        }
      }
    }
    if (survives.size === 0) continue;
    const kept = [...survives.values()].filter((one) => one).length;
    shares.push(kept / survives.size);
  }
  return shares;
}
