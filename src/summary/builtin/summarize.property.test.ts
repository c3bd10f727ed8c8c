// Properties of the summary of any conversation, and proof that the checks can fail.

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ExtractLine } from "./lines.ts";
import { ALIKE } from "./near-duplicates.ts";
import { allowedTokens, type Extract, type ExtractOptions, summarizeLines } from "./summarize.ts";
import { isDistinctive, termsOf } from "./terms.ts";

/** The share of terms that two sets have in common (Jaccard): 0 to 1, and 1 for two empty ones. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((term) => b.has(term)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}

type Summarize = typeof summarizeLines;

const OPTIONS: ExtractOptions = {
  maxTokens: 70,
  priorTexts: [],
  replacesPrior: false,
  draft: "",
  savesTokens: true,
};

function spaced(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The time of the processor, which other work on the machine does not make longer. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Everything that is wrong with a summary. */
function problemsOf(
  lines: readonly ExtractLine[],
  options: ExtractOptions,
  { text, sentences }: Extract,
): string[] {
  const problems: string[] = [];
  if (Math.ceil(Buffer.byteLength(text) / 4) > allowedTokens(lines, options)) {
    problems.push("over budget");
  }
  const terms = sentences.map((sentence) => new Set(termsOf(sentence.text)));
  const spacedLines = new Map(lines.map((line) => [line, spaced(line.text)]));
  let before = 0;
  sentences.forEach(({ text: sentence, messageId, seq }, index) => {
    const line = lines.find((one) => one.messageId === messageId);
    if (line === undefined || line.seq !== seq) problems.push("unknown message");
    else if (!spacedLines.get(line)?.includes(sentence)) problems.push("not in its message");
    if (!text.includes(sentence)) problems.push("not in the text");
    if (seq < before) problems.push("out of order");
    before = seq;
    const same = terms.slice(0, index).some((one) => {
      const other = terms[index] ?? new Set();
      if (similarity(one, other) < ALIKE) return false;
      const isDistinct = [...one, ...other].some((term) => {
        return isDistinctive(term) && one.has(term) !== other.has(term);
      });
      return !isDistinct;
    });
    if (same) problems.push("near-duplicate");
  });
  const says = lines.some((line) => /[\p{L}\p{N}]/u.test(line.text));
  if (says && text === "") problems.push("empty");
  return problems;
}

const words = fc.constantFrom(
  ..."anna berg bergen porto march decided budget 1,250 14:30 we will the train to in is not".split(
    " ",
  ),
  ..."I Professor Almeida prefer 21 June naïve Zürich 東京に行く 我住在柏林。 👩‍🚀 🎉 e.g. Dr. https://a.example/?b=c".split(
    " ",
  ),
);
const mark = fc.constantFrom(".", "?", "!", ";", ",", "。", "...", "", ":");
const sentence = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 14 }), mark)
  .map(([all, end]) => `${all.join(" ")}${end}`);
const block = fc.oneof(
  { weight: 6, arbitrary: sentence },
  { weight: 1, arbitrary: sentence.map((text) => `- ${text}`) },
  { weight: 1, arbitrary: sentence.map((text) => `\`\`\`\n${text}\n\`\`\``) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: words.map((word) => word.repeat(80)) },
);
const text = fc
  .tuple(fc.array(block, { maxLength: 6 }), fc.constantFrom(" ", "\n", "\r\n", "\n\n"))
  .map(([blocks, gap]) => blocks.join(gap));
const line = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const, "system" as const, "tool" as const),
  name: fc.oneof(fc.constant(""), fc.string({ unit: "grapheme", maxLength: 60 })),
  text,
});
const conversation = fc
  .array(line, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((one, i): ExtractLine => ({ ...one, messageId: `m${i}`, seq: i + 1 })));
const maxTokens = fc.integer({ min: 1, max: 300 });

describe("the summary of any conversation", () => {
  test("is in budget, in order, traceable, and says nothing twice", () => {
    fc.assert(
      fc.property(conversation, maxTokens, (lines, tokens) => {
        const options = { ...OPTIONS, maxTokens: tokens };
        const problems = problemsOf(lines, options, summarizeLines(lines, options));
        // A first character of four bytes, or one of code with its marks, may need two tokens.
        const isTiny = allowedTokens(lines, options) < 4;
        expect(isTiny ? problems.filter((one) => one !== "empty") : problems).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("holds for a summary that is summarized again", () => {
    fc.assert(
      fc.property(conversation, conversation, maxTokens, (old, lines, tokens) => {
        const prior = summarizeLines(old, { ...OPTIONS, maxTokens: 100 });
        const priorTexts = [prior.text];
        const options = { ...OPTIONS, maxTokens: tokens, priorTexts, replacesPrior: true };
        const { text: made, sentences } = summarizeLines(lines, options);
        expect(Math.ceil(Buffer.byteLength(made) / 4)).toBeLessThanOrEqual(tokens);
        for (const one of sentences) {
          const from = lines.find((other) => other.messageId === one.messageId)?.text;
          expect(spaced(from ?? prior.text)).toContain(one.text);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("holds for what is large, and takes a bounded time", () => {
    const mebibyte = 1_048_576;
    const fill = (piece: string) => piece.repeat(mebibyte / Buffer.byteLength(piece));
    const numbered = Array.from(
      { length: 16_000 },
      (_, i) => `Item ${i} of the list costs ${i} euros.`,
    );
    const texts = [
      fill("a"),
      fill("walnut "),
      fill("東京"),
      fill("👍"),
      fill("The parrot eats. "),
      fill("x\n"),
      fill("?"),
      fill("a b. "),
      numbered.join(" "),
      `\`\`\`\n${numbered.join("\n")}`,
    ];
    for (const large of texts) {
      for (const tokens of [1, 16_384]) {
        const options = { ...OPTIONS, maxTokens: tokens };
        const summarize = (text: string) => {
          const lines: ExtractLine[] = [{ role: "user", name: "", text, messageId: "m", seq: 1 }];
          const start = cpuMs();
          return { lines, extract: summarizeLines(lines, options), ms: cpuMs() - start };
        };
        const part = summarize(large.slice(0, large.length / 4));
        const { lines, extract, ms } = summarize(large);
        // Time that grows with the square of the text would be 16 times as much, on any machine.
        expect(ms).toBeLessThan(8 * part.ms + 500);
        const { sentences } = extract;
        const few = { ...extract, sentences: sentences.slice(0, 300) };
        const problems = problemsOf(lines, options, few);
        expect(problems.filter((one) => tokens > 1 || one !== "empty")).toEqual([]);
      }
    }
  }, 180_000);
});

const REPEATED: readonly ExtractLine[] = [
  "We decided to meet Professor Almeida in Porto on 17 June at 14:30.",
  "We promised to meet Professor Almeida in Porto on 17 June at 14:30.",
  "The train to Porto leaves Lisbon every second hour from platform 4.",
  "Anna brings the printed contract, the budget and three copies.",
  "It was what it was, and so on and so forth, as they say. ".repeat(20),
  "Walnuts, millet and seeds are what the parrot of my sister eats every morning. ".repeat(4),
].map((all, i) => ({ role: "user", name: "", text: all, messageId: `m${i}`, seq: i + 1 }));

function wrongWith(summarize: Summarize, maxTokens = 120): string[] {
  const options = { ...OPTIONS, maxTokens };
  return [...new Set(problemsOf(REPEATED, options, summarize(REPEATED, options)))];
}

describe("the checks", () => {
  afterEach(() => {
    vi.doUnmock("./near-duplicates.ts");
    vi.doUnmock("./cost.ts");
    vi.resetModules();
  });

  async function broken(
    module: string,
    parts: Readonly<Record<string, unknown>>,
  ): Promise<Summarize> {
    vi.resetModules();
    vi.doMock(module, async (load) => ({ ...(await load<object>()), ...parts }));
    return (await import("./summarize.ts")).summarizeLines;
  }

  test("find nothing wrong with the summarizer as it is", () => {
    expect(wrongWith(summarizeLines)).toEqual([]);
  });

  test("find a summarizer without its rule against near-duplicates", async () => {
    class Careless {
      add(): void {}
      remove(): void {}
      of(): object {
        return { isSaid: false, rivals: [] };
      }
    }
    const summarize = await broken("./near-duplicates.ts", { NearDuplicates: Careless });
    expect(wrongWith(summarize)).toEqual(["near-duplicate"]);
  });

  test("find a summarizer that does not look at its budget", async () => {
    const summarize = await broken("./cost.ts", { fits: () => true });
    expect(wrongWith(summarize, 60)).toContain("over budget");
  });

  test("find sentences out of order, changed, or of another message", () => {
    const swapped: Summarize = (lines, options) => {
      const made = summarizeLines(lines, options);
      return { ...made, sentences: made.sentences.toReversed() };
    };
    const changed: Summarize = (lines, options) => {
      const { text: made, sentences } = summarizeLines(lines, options);
      const louder = sentences.map((one) => ({ ...one, text: one.text.toUpperCase() }));
      return { text: made.toUpperCase(), sentences: louder };
    };
    const foreign: Summarize = (lines, options) => {
      const { text: made, sentences } = summarizeLines(lines, options);
      return { text: made, sentences: sentences.map((one) => ({ ...one, messageId: "m9" })) };
    };
    expect(wrongWith(swapped)).toContain("out of order");
    expect(wrongWith(changed)).toContain("not in its message");
    expect(wrongWith(foreign)).toContain("unknown message");
    expect(wrongWith(() => ({ text: "", sentences: [] }))).toContain("empty");
  });
});
