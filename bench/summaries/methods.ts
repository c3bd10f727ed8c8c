// The ways to make a summary that are compared.

import type { ExtractLine } from "../../src/domain/extractive/lines.ts";
import { sentencesOf } from "../../src/domain/extractive/sentences.ts";
import { summarizeLines } from "../../src/domain/extractive/summarize.ts";
import { randomFrom } from "../../test/support/random.ts";

/** Makes a text of at most so many tokens, of four bytes each. */
export type Method = (lines: readonly ExtractLine[], maxTokens: number) => string;

/** What the builtin hook does. */
export const builtin: Method = (lines, maxTokens) =>
  summarizeLines(lines, { ...FRESH, maxTokens }).text;

/** The budget of a summary, of the tokens of its chunk. */
export const BUDGET_SHARE = 0.1;

export const TOKEN_BYTES = 4;

/** Nothing is known before. */
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

// Without speakers, and going on behind what is too long: as good as such a method can be.
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
