import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import { builtin, first, last, type Method, random } from "./methods.ts";
import { readingOf } from "./rubric.ts";
import { type Conversation, chunksOf, readSet } from "./sets.ts";

const SMALL_TALK = "Well, that is how it goes, and there is not much to say about it here. ".repeat(
  8,
);

const TALK: Conversation = {
  turns: [
    { sess: 1, speaker: "Kai", text: SMALL_TALK },
    { sess: 1, speaker: "Mo", text: `My parrot Rico eats walnuts and millet. ${SMALL_TALK}` },
    { sess: 2, speaker: "user", text: SMALL_TALK },
    { sess: 2, speaker: "assistant", text: `${SMALL_TALK} The ferry to Oslo leaves at 14:30.` },
    { sess: 2, speaker: "user", text: SMALL_TALK },
  ],
  qa: [
    { q: "What does the parrot eat?", ev: [1] },
    { q: "When does the ferry leave?", ev: [3] },
    { q: "", ev: [] },
  ],
};

const nothing: Method = () => "";
const everything: Method = (lines) => lines.map((line) => line.text).join("\n");

describe("judge", () => {
  test("gives none for nothing and all for everything, which is over budget", () => {
    expect(judge([TALK], "sessions", nothing)).toMatchObject({ kept: 0, share: 0, questions: 2 });
    const all = judge([TALK], "sessions", everything);
    expect(all).toMatchObject({ kept: 1, share: 1, questions: 2 });
    expect(all.fullest).toBeGreaterThan(5);
  });

  test("counts the words that the question has not, in the summary of their own chunk", () => {
    // Keeps `rico` of `rico walnut millet` for the parrot, and `oslo` of `oslo 14:30` for the
    // ferry.
    const some: Method = (lines) => (lines[0]?.seq === 1 ? "Rico parrot" : "walnuts 14:30");
    const score = judge([TALK], "sessions", some);
    // A third of the first question's evidence, which is lost, and half of the second's, which is
    // kept.
    expect(score.share).toBeCloseTo((1 / 3 + 1 / 2) / 2, 10);
    expect(score.kept).toBe(0.5);
  });

  test("finds what the builtin hook keeps and the plain methods lose", () => {
    expect(judge([TALK], "sessions", builtin)).toMatchObject({ kept: 1, share: 1 });
    for (const method of [first, last, random(1)]) {
      const score = judge([TALK], 100_000, method);
      expect(score.kept).toBeLessThan(1);
      expect(score.fullest).toBeLessThanOrEqual(1);
    }
  });
});

describe("readingOf", () => {
  test("finds whole sentences, their speakers and figures, and misses clauses that were cut", () => {
    const kept = { complete: 1, named: 1, figures: 1, whole: 1 };
    expect(readingOf([TALK])).toMatchObject(kept);
    const text = "On Monday we walked to the market, and then it rained at 9. It cost 40 euros.";
    const walk = { turns: [{ sess: 1, speaker: "Kai", text }], qa: [] };
    const judge = (sentence: string) => {
      const sentences = [{ text: sentence, messageId: "turn-0", seq: 1 }];
      return readingOf([walk], () => ({ text: sentence, sentences }));
    };
    expect(judge("It cost 40 euros.")).toMatchObject(kept);
    expect(judge("and then it rained at 9.")).toMatchObject({ complete: 0, whole: 0 });
    expect(judge("On Monday we walked to the market,")).toMatchObject({ complete: 0, whole: 0 });
    expect(judge("40")).toMatchObject({ complete: 0, figures: 0 });
  });
});

describe("chunksOf", () => {
  test("cuts at sessions, or by tokens", () => {
    expect(chunksOf(TALK, "sessions").map(({ first: place }) => place)).toEqual([0, 2]);
    const places = chunksOf(TALK, 300).map(({ first: place }) => place);
    expect(places).toEqual([0, 2, 4]);
    const sizes = chunksOf(TALK, 300).map(({ bytes }) => bytes);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_200);
  });

  test("keeps roles, and takes others for the names of users", () => {
    const lines = chunksOf(TALK, 100_000).flatMap((chunk) => chunk.lines);
    expect(lines.map(({ role, name }) => [role, name])).toEqual([
      ["user", "Kai"],
      ["user", "Mo"],
      ["user", ""],
      ["assistant", ""],
      ["user", ""],
    ]);
  });
});

describe("readSet", () => {
  const folder = mkdtempSync(join(tmpdir(), "sets-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("reads what was written, and refuses another form", () => {
    const path = join(folder, "a.json.gz");
    writeFileSync(path, gzipSync(JSON.stringify([TALK])));
    expect(readSet(path)).toEqual([TALK]);
    writeFileSync(path, gzipSync('{"turns": []}'));
    expect(() => readSet(path)).toThrow("is no list of conversations");
  });
});
