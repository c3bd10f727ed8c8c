import { expect, test } from "vitest";
import { FLAG_PLAIN_ASSISTANT, FLAG_QUESTION, itemFlags } from "./relevance.ts";

const flagsOf = (text: string, isAssistant = false, author = ""): number =>
  itemFlags({ isAssistant, author, text });

test("knows a question by its end", () => {
  for (const text of ["Why?", "Why? \n", 'He asked "why?"', "(really?)", "为什么？", "لماذا؟"]) {
    expect(flagsOf(text), text).toBe(FLAG_QUESTION);
  }
  for (const text of ["Why? Because.", "", "? no"]) expect(flagsOf(text), text).toBe(0);
});

test("knows what an assistant without a name wrote", () => {
  expect(flagsOf("Yes.", true)).toBe(FLAG_PLAIN_ASSISTANT);
  expect(flagsOf("Yes?", true)).toBe(FLAG_PLAIN_ASSISTANT | FLAG_QUESTION);
  expect(flagsOf("Yes.", true, "Bo")).toBe(0);
});
