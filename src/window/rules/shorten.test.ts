import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shortenPlan, shortenText } from "./shorten.ts";

const detail = (content: string, args?: string) => ({
  content,
  name: "",
  toolCalls: args === undefined ? [] : [{ id: "x", name: "pay", arguments: args }],
});
const chars = (text: string) => [...text].length;

describe("shortenText", () => {
  test("keeps two thirds of the beginning and a third of the end", () => {
    const text = "a".repeat(500) + "z".repeat(500);
    const cut = shortenText(text, 300);
    expect(cut).toBe(`${"a".repeat(200)}\n[... 700 characters left out ...]\n${"z".repeat(100)}`);
  });

  test("gives a text back that the marker would make longer", () => {
    const text = "b".repeat(100);
    expect(shortenText(text, 100)).toBe(text);
    expect(shortenText(text, 70)).toBe(text);
    expect(shortenText(text, 60).length).toBeLessThan(100);
    expect(shortenText("", 10)).toBe("");
  });

  test("keeps nothing but the marker", () => {
    expect(shortenText("b".repeat(100), 0)).toBe("\n[... 100 characters left out ...]\n");
  });

  test("counts characters and splits none", () => {
    const cut = shortenText("💬".repeat(1_000), 400);
    expect(chars(cut)).toBe(400 + chars("\n[... 600 characters left out ...]\n"));
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.startsWith("💬") && cut.endsWith("💬")).toBe(true);
  });

  test("never grows, never splits, for any text", () => {
    const text = fc.string({ unit: "binary", maxLength: 300, size: "max" });
    const property = fc.property(text, fc.nat(300), (whole, kept) => {
      const cut = shortenText(whole, kept);
      expect(chars(cut)).toBeLessThanOrEqual(chars(whole));
      expect(cut.isWellFormed()).toBe(true);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe("shortenPlan", () => {
  test("leaves alone what is within the budget or has no text", () => {
    expect(shortenPlan(detail("a".repeat(4_000)), 1_000, 1_000)).toBeUndefined();
    expect(shortenPlan(detail(""), 5_000, 1_000)).toBeUndefined();
    expect(shortenPlan(detail("", "a".repeat(20_000)), 5_000, 1_000)).toBeUndefined();
  });

  test("keeps what the budget buys, marker included", () => {
    const text = "a".repeat(40_000);
    const plan = shortenPlan(detail(text), 10_000, 1_200);
    expect(plan).toEqual({ keptChars: 4_763, tokenCount: 1_200 });
    const cut = shortenText(text, plan?.keptChars ?? 0);
    expect(chars(cut)).toBeLessThanOrEqual(4_800);
    expect(chars(cut)).toBeGreaterThan(4_790);
  });

  test("goes by the price of the text, whatever the language", () => {
    const plan = shortenPlan(detail("漢".repeat(10_000)), 7_500, 1_500);
    expect(plan?.keptChars).toBeGreaterThan(1_900);
    expect(plan?.keptChars).toBeLessThan(2_000);
    expect(plan?.tokenCount).toBeLessThanOrEqual(1_500);
  });

  test("keeps 400 characters where the budget buys as many", () => {
    expect(shortenPlan(detail("a".repeat(4_000)), 1_000, 100)?.keptChars).toBe(400);
    expect(shortenPlan(detail("a".repeat(4_000)), 1_000, 104)?.keptChars).toBe(400);
    expect(shortenPlan(detail("a".repeat(4_000)), 1_000, 99)?.keptChars).toBe(396 - 36);
    expect(shortenPlan(detail("a".repeat(4_000)), 1_000, 16)?.keptChars).toBe(64 - 36);
  });

  test("does not charge the text with the calls", () => {
    const calls = "b".repeat(40_000);
    expect(shortenPlan(detail("a".repeat(400), calls), 10_100, 1_000)).toBeUndefined();
    const plan = shortenPlan(detail("a".repeat(40_000), calls), 20_000, 1_000);
    expect(plan?.keptChars).toBeGreaterThan(3_900);
    expect(plan?.tokenCount).toBeGreaterThan(10_900);
    expect(plan?.tokenCount).toBeLessThan(11_100);
  });

  test("does not charge the text with images, data and calls of agents", () => {
    const text = "a".repeat(4_000);
    const shown = { ...detail(text), rest: { images: 2, chars: 0 } };
    expect(shortenPlan(shown, 2_600, 1_000, 800)).toBeUndefined();
    expect(shortenPlan(shown, 2_600, 200, 800)).toEqual({
      ...shortenPlan(detail(text), 1_000, 200),
      tokenCount: 1_800,
    });
    expect(shortenPlan(shown, 1_000, 200, 800)).toBeUndefined();
    const data = { ...detail(text), rest: { images: 0, chars: 4_000 } };
    expect(shortenPlan(data, 2_000, 200)?.tokenCount).toBe(1_200);
  });

  test("does not cut what the marker would outweigh", () => {
    expect(shortenPlan(detail("a".repeat(30)), 5_000, 1_000)).toBeUndefined();
    expect(shortenPlan(detail("a".repeat(420)), 105, 100)).toBeUndefined();
  });

  test("never grows, and its text is what it says, for any message", () => {
    const property = fc.property(
      fc.string({ unit: "grapheme", maxLength: 2_000, size: "max" }),
      fc.option(fc.string({ maxLength: 500, size: "max" }), { nil: undefined }),
      fc.integer({ min: 0, max: 40_000 }).map((quarters) => quarters / 4),
      fc.integer({ min: 16, max: 5_000 }),
      (content, args, tokenCount, maxTokens) => {
        const plan = shortenPlan(detail(content, args), tokenCount, maxTokens);
        if (plan === undefined) return;
        const cut = shortenText(content, plan.keptChars);
        expect(chars(cut)).toBeLessThan(chars(content));
        expect(plan.tokenCount).toBeLessThanOrEqual(tokenCount);
        expect(plan.tokenCount).toBeGreaterThanOrEqual(0);
        expect(plan.keptChars).toBeGreaterThan(0);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });
});
