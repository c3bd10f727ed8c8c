import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExtractLine } from "./lines.ts";
import { summarizeInSections } from "./sections.ts";
import { allowedTokens, type ExtractOptions } from "./summarize.ts";

const OPTIONS: ExtractOptions = {
  maxTokens: 200,
  priorTexts: [],
  replacesPrior: false,
  draft: "",
  savesTokens: true,
};

function linesOf(texts: readonly string[]): ExtractLine[] {
  return texts.map((text, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    text,
    name: "",
    messageId: `m${index + 1}`,
    seq: index + 1,
  }));
}

const piece = fc.constantFrom(
  "Can you help me plan the trip to Porto?",
  "My name is Anna Berg and I live in Bergen.",
  "We decided to fly on March 14.",
  "The hotel costs 95 euros a night.",
  "I still need the passport of my son.",
  "Please book three seats near the window.",
  "The next step is a letter to Professor Almeida.",
  "Well, so it goes.",
  "Do they have other pillows?",
  "```\nconst seats = 3;\n```",
  "我住在柏林。",
  "🎉",
);
const conversation = fc
  .array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 10 })
  .map((all) => linesOf(all.map((pieces) => pieces.join("\n"))));

describe("summarizeInSections", () => {
  test("invents nothing, and costs no more than one text may", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 300 }), (lines, maxTokens) => {
        const options = { ...OPTIONS, maxTokens };
        const { text, requestText, facts, openThreads } = summarizeInSections(lines, options);
        const all = [text, requestText, ...facts, ...openThreads].filter((one) => one !== "");
        const bytes = all.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
        expect(bytes).toBeLessThanOrEqual(allowedTokens(lines, options) * 4);
        const said = lines.map((line) => line.text).join("\n");
        for (const one of [...facts, ...openThreads]) {
          expect(said).toContain(one.replace(/^(?:User|Assistant): /, ""));
        }
        if (facts.length > 0) expect(text).not.toBe("");
      }),
      { numRuns: 300 },
    );
  });

  test("takes the first request and the latest ones, and leaves answered questions closed", () => {
    const { requestText, openThreads } = summarizeInSections(
      linesOf([
        `Can you find a quiet hotel in Porto? ${"It should be near the river. ".repeat(3)}`,
        "Hotel Douro is quiet, and it stands beside the river on the south bank of the town.",
        "Which train goes there from the airport? I arrive in the evening, rather late I think.",
        "Line E goes to the center, and from there it is a walk of ten minutes over the bridge. " +
          "It is what it is, and there is not much more to say about it. ".repeat(12),
        "Does the hotel keep luggage? My flight back leaves late on the last day of the trip.",
      ]),
      OPTIONS,
    );
    expect(requestText).toContain("Can you find a quiet hotel in Porto?");
    const asked = [requestText, ...openThreads].join("\n");
    expect(asked).toContain("Does the hotel keep luggage?");
    expect(openThreads.join("\n")).not.toContain("Which train");
  });

  test("has empty sections for lines that say nothing", () => {
    expect(summarizeInSections(linesOf(["", "..."]), OPTIONS)).toEqual({
      text: "",
      requestText: "",
      facts: [],
      openThreads: [],
    });
  });
});
