import { expect, test } from "vitest";
import { transcriptOf } from "./inputs.ts";

const LINES = [
  { role: "user", text: "q" },
  { role: "assistant", text: "" },
  { role: "tool", text: "result text" },
  { role: "summary", text: "so far" },
];

test("writes roles in capitals, one message a line, and a mere tool call without text", () => {
  expect(transcriptOf(LINES, "capitals")).toBe(
    "USER: q\nASSISTANT: \nTOOL: result text\nSUMMARY: so far",
  );
});

test("writes roles in lower case, one message a line", () => {
  expect(transcriptOf(LINES, "roles")).toBe(
    "user: q\nassistant: \ntool: result text\nsummary: so far",
  );
});

test("writes paragraphs in capitals, with an empty line between", () => {
  expect(transcriptOf(LINES.slice(0, 3), "paragraphs")).toBe(
    "USER: q\n\nASSISTANT: \n\nTOOL: result text",
  );
});

test("leaves line breaks of texts as they are, and makes nothing of nothing", () => {
  expect(transcriptOf([{ role: "user", text: "a\n\nb" }], "roles")).toBe("user: a\n\nb");
  expect(transcriptOf([], "paragraphs")).toBe("");
});
