// Goal: the facts that the rules extract and promotion stores stay correct: the figures of the
// labelled sentences do not fall below the target.

import { describe, expect, test } from "vitest";
import {
  figuresOf,
  judgeExtraction,
  judgePromotion,
  type Labelled,
  readSentences,
} from "./judge.ts";

const sentences = readSentences();

describe.each([
  ["extraction by rules", judgeExtraction],
  ["promotion by default", judgePromotion],
])("%s", (_, judge) => {
  test.each(["dev", "test"] as const)("is true in at least 95 of 100, part %s", (part) => {
    const verdicts = sentences.filter((one) => one.part === part).map(judge);
    const { precision, recall, statedCount } = figuresOf(verdicts);
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.7);
    expect(statedCount).toBeGreaterThan(30);
  });
});

describe("the labelled sentences", () => {
  test("are at least 200 of all kinds, 80 of them held out, none of them twice", () => {
    expect(sentences.length).toBeGreaterThanOrEqual(200);
    expect(sentences.filter(({ part }) => part === "test")).toHaveLength(80);
    const keyOf = ({ role, text }: Labelled) => `${role ?? "user"}: ${text}`;
    expect(new Set(sentences.map(keyOf)).size).toBe(sentences.length);
    expect(new Set(sentences.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12);
  });
});

describe("a verdict", () => {
  const said = (text: string, facts: readonly string[]): Labelled => ({
    ...{ part: "dev", kind: "statement", text, facts },
  });

  test("is right for the right person, and for a denial only where one was made", () => {
    const right = (text: string, fact: string) => judgeExtraction(said(text, [fact])).rightCount;
    expect(right("I live in Rome.", "user live Rome")).toBe(1);
    expect(right("I live in Rome.", "sister live Rome")).toBe(0);
    expect(right("I live in Rome.", "!user live Rome")).toBe(0);
    expect(right("I don't live in Rome.", "!user live Rome")).toBe(1);
  });

  test("is wrong for whatever is made of a sentence that states nothing", () => {
    const wrong = [judgeExtraction, judgePromotion].map((judge) =>
      judge(said("I live in Rome.", [])),
    );
    expect(wrong.map(({ made, rightCount }) => [made.length, rightCount])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(figuresOf(wrong)).toMatchObject({ precision: 0, recall: 1, madeCount: 2 });
  });
});
