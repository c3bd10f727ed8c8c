import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinTexts, placedText, placeholderText, shownName, shownTexts } from "./compose.ts";

const EXACTLY = (lastChars: number) => ({ separator: " ", lastChars, lastCharsExact: true });

describe("joined texts", () => {
  test("have the separator between, and keep the last 4,000 characters", () => {
    const text = joinTexts("a".repeat(3_990), "b".repeat(20), EXACTLY(4_000));
    expect(text).toBe(`${"a".repeat(3_979)} ${"b".repeat(20)}`);
  });

  test("have no separator without an old text", () => {
    expect(joinTexts("", "Alice introduced herself.", EXACTLY(4_000))).toBe(
      "Alice introduced herself.",
    );
    expect(joinTexts("a", "b", { ...EXACTLY(4_000), separator: "" })).toBe("ab");
  });

  test("are the last code points of both, and no character is torn apart", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "é", "𝒳", "😀", " ") });
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 12 }), (old, added, count) => {
        const whole = [...(old === "" ? added : `${old}|${added}`)];
        const joined = joinTexts(old, added, { ...EXACTLY(count), separator: "|" });
        expect([...joined]).toEqual(whole.slice(-count));
      }),
    );
  });

  test("are whole sentences unless exact characters are asked for", () => {
    const how = { separator: " ", lastChars: 40 };
    const old = "The first one is gone. Dr. Ada pays 20 euros.";
    expect(joinTexts(old, "Then we left.", how)).toBe("Dr. Ada pays 20 euros. Then we left.");
    expect(joinTexts("1. bread\n2. milk", "", { separator: "", lastChars: 10 })).toBe("2. milk");
    expect(joinTexts("a".repeat(20), " one two three", { ...how, lastChars: 11 })).toBe(
      "… two three",
    );
    expect(joinTexts("a".repeat(60), "", { ...how, separator: "" })).toBe("a".repeat(40));
  });
});

test("a placeholder says how many messages it stands for", () => {
  expect(placeholderText({ placeholder: "Summary of {count} messages." }, 3)).toBe(
    "Summary of 3 messages.",
  );
  expect(placeholderText({ placeholder: "{count}/{count}" }, 12)).toBe("12/12");
  expect(placeholderText({ placeholder: "none" }, 12)).toBe("none");
});

const OUTPUT = {
  text: "Talked",
  requestText: "Wants a report",
  facts: ["F1", "F2"],
  openThreads: ["T1"],
};

describe("a placed summary", () => {
  test("is shown as a system message with the prefix of the stage", () => {
    const spec = { shape: "system", prefix: "[Conversation Summary] " } as const;
    expect(shownTexts(spec, OUTPUT)).toEqual({
      request: undefined,
      text: "[Conversation Summary] Talked",
    });
    expect(placedText(spec, OUTPUT)).toBe("Talked");
  });

  test("is shown as an exchange with the sections that the hook gave", () => {
    const spec = { shape: "exchange", prefix: "" } as const;
    expect(shownTexts(spec, OUTPUT)).toEqual({
      request: "[User Requests Summary]\nWants a report",
      text:
        "[Compacted Context Summary]\nTalked\n\n[Key Facts]\n- F1\n- F2\n\n" +
        "[Open Threads]\n- T1",
    });
  });

  test("has no section and no request that the hook did not give", () => {
    const spec = { shape: "exchange", prefix: "> " } as const;
    const bare = { text: "Talked", requestText: "", facts: [], openThreads: [] };
    expect(shownTexts(spec, bare)).toEqual({
      request: undefined,
      text: "> [Compacted Context Summary]\nTalked",
    });
    expect(placedText(spec, { ...bare, openThreads: ["T"] })).toBe(
      "[Compacted Context Summary]\nTalked\n\n[Open Threads]\n- T",
    );
  });
});

describe("the name of a summary", () => {
  test("is that of its model, for an exchange", () => {
    expect(shownName({ shape: "exchange" }, { model: "small" })).toBe("compaction_small");
    expect(shownName({ shape: "exchange" }, { model: "" })).toBe("");
    expect(shownName({ shape: "system" }, { model: "small" })).toBe("");
  });
});
