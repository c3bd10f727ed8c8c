// The compared methods of summarizing.

import type { ExtractLine } from "../../src/summary/builtin/lines.ts";
import { sentencesOf } from "../../src/summary/builtin/sentences.ts";
import { summarizeLines } from "../../src/summary/builtin/summarize.ts";
import { randomFrom } from "../../test/support/kit/random.ts";

/** Makes a text of at most the given number of tokens, at four bytes each. */
export type Method = (lines: readonly ExtractLine[], maxTokens: number) => string;

/** The summarizer of the builtin hook. */
export const builtin: Method = (lines, maxTokens) =>
  summarizeLines(lines, { ...FRESH, maxTokens }).text;

/** Budget of a summary as a share of its chunk's tokens. */
export const BUDGET_SHARE = 0.1;

export const TOKEN_BYTES = 4;

/** Context without earlier summaries. */
export const FRESH = { priorTexts: [], replacesPrior: false, draft: "", savesTokens: true };

/** The first sentences. */
export const first: Method = (lines, maxTokens) => fill(textsOf(lines), maxTokens);

/** The last sentences. */
export const last: Method = (lines, maxTokens) => fill(textsOf(lines).reverse(), maxTokens);

/** Random sentences. */
export function random(seed: number): Method {
  return (lines, maxTokens) => {
    const source = randomFrom(seed);
    const texts = textsOf(lines);
    for (let i = texts.length - 1; i > 0; i--) {
      const j = source.int(0, i);
      [texts[i], texts[j]] = [texts[j] ?? "", texts[i] ?? ""];
    }
    return fill(texts, maxTokens);
  };
}

function textsOf(lines: readonly ExtractLine[]): string[] {
  return lines.flatMap((line) => sentencesOf(line.text).map((sentence) => sentence.text));
}

// Omits speakers and skips sentences that do not fit: an upper bound for methods of this kind.
function fill(texts: readonly string[], maxTokens: number): string {
  const taken: string[] = [];
  let left = maxTokens * 4;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > left) continue;
    left -= bytes;
    taken.push(text);
  }
  return taken.join("\n");
}
