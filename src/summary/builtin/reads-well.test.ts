// Readability of summaries: whole sentences, no data, and nothing that needs what was left out.

import { describe, expect, test } from "vitest";
import type { ExtractLine } from "./lines.ts";
import { summarizeLines } from "./summarize.ts";

const CHAT = "Well, that is how it goes, and there is not so much to say about it here. ";
const SOLD =
  "Kai bought our red boat for the price that we asked for when we met him at the harbor.";
const COUNTED = "We counted the chairs in the hall before the choir of the school began to sing.";
const SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

function summariesOf(...texts: readonly string[]): string[] {
  const lines = texts.map((text, index): ExtractLine => {
    const role = index % 2 === 0 ? "user" : "assistant";
    return { role, text, name: "", messageId: `m${index}`, seq: index + 1 };
  });
  const budgets = Array.from({ length: 120 }, (_, index) => index + 8);
  return budgets.map((maxTokens) => {
    const options = { priorTexts: [], replacesPrior: false, draft: "", savesTokens: false };
    return summarizeLines(lines, { ...options, maxTokens }).text;
  });
}

describe("a summary", () => {
  test("has a long sentence whole, or a start of it that is marked, and no clause of it", () => {
    const long =
      "I am moving to Bergen in May because my sister Ida has opened a bakery there, and the " +
      "landlord of the flat on Strandgaten wants the deposit of 24,000 kroner before the first " +
      "of March, which is why I sold the boat.";
    for (const text of summariesOf(`${long} ${CHAT}`, CHAT.repeat(6))) {
      const shown = text.split("\n")[0]?.replace(/^User: /, "") ?? "";
      if (!/Bergen|deposit|boat/.test(shown) || shown.startsWith(long)) continue;
      expect(shown).toMatch(/^I am moving to Bergen[^.]*[^,.]…$/);
    }
  });

  test("marks where a sentence that is too long goes on, unless it goes on there", () => {
    const clauses = Array.from({ length: 9 }, (_, i) => {
      return `we paid ${i + 3}00 kroner for the ${"old wooden ".repeat(4)}boat of ${i + 2} owners`;
    });
    const texts = summariesOf(`Then ${clauses.join(", ")}.`, CHAT);
    const cut = texts.filter((text) => text.includes("boat") && !text.includes("10 owners"));
    expect(cut).not.toEqual([]);
    for (const text of cut) expect(text).toContain("…");
    for (const text of texts) expect(text).not.toMatch(/,(?:\n|$)/);
  });

  test.each([
    ["a checksum", `The SHA-256 checksum of the archive is ${SHA}.`],
    ["an id", `id: 550e8400-e29b-41d4-a716-446655440000`],
    [
      "encoded data",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6",
    ],
    ["a line of a stack trace", "    at load (file:///app/main.js:12:7)"],
  ])("leaves out %s, unless there is nothing else", (_, noise) => {
    const said = "Anna keeps the spare key of the boat house under the blue flower pot.";
    for (const text of summariesOf(`${said}\n\n${noise}\n\nIt rained.`, CHAT)) {
      expect(text).not.toContain(noise.trim().slice(-20));
    }
    expect(summariesOf(noise).every((text) => text !== "")).toBe(true);
  });

  test.each([
    ["an orphan clause", `${SOLD} And Ida then the green Volvo.`, "Volvo", SOLD],
    ["a bare figure", `${COUNTED} 37, or 1,250.`, "37", COUNTED],
  ])("has %s only behind what it belongs to", (_, said, orphan, before) => {
    const texts = summariesOf(`${CHAT}${said}`, CHAT);
    expect(texts.some((text) => text.includes(orphan))).toBe(true);
    for (const text of texts) if (text.includes(orphan)) expect(text).toContain(before);
  });

  test("keeps a greeting that what is left would not read well without", () => {
    const texts = summariesOf("Yeah, my sister Ida has opened a bakery in Bergen.", CHAT);
    const shown = texts.filter((text) => text.includes("bakery in Bergen."));
    expect(shown).not.toEqual([]);
    for (const text of shown) expect(text).toContain("Yeah, my sister");
  });
});
