import { expect, test } from "vitest";
import { beginningThatFits } from "./sentence-cuts.ts";

const within =
  (chars: number) =>
  (text: string): boolean =>
    text.length <= chars;

test("a text that fits stays as it is", () => {
  expect(beginningThatFits("One. Two. ", within(10))).toBe("One. Two. ");
});

test("a longer text keeps as many whole sentences and lines as fit", () => {
  expect(beginningThatFits("One. Two. Three.", within(12))).toBe("One. Two.");
  expect(beginningThatFits("- one\n- two\n- three", within(12))).toBe("- one\n- two");
});

test("a first sentence that is too long keeps as many whole words as fit", () => {
  expect(beginningThatFits("one two three four.", within(12))).toBe("one two …");
  expect(beginningThatFits("one two. Three.", within(6))).toBe("one …");
});

test("a word that is too long is cut between characters", () => {
  expect(beginningThatFits("x".repeat(20), within(12))).toBe(`${"x".repeat(10)} …`);
  expect(beginningThatFits("😀".repeat(9), within(7))).toBe("😀😀 …");
});

test("nothing is left where not even a character fits", () => {
  expect(beginningThatFits("text", within(2))).toBeUndefined();
});

test("a long text without an end of a sentence is cut in linear time", () => {
  const text = `${"x ".repeat(20_000)}${"y".repeat(40_000)}`;
  expect(beginningThatFits(text, within(50_000))?.length).toBeLessThanOrEqual(50_000);
});
