import { describe, expect, test } from "vitest";
import { CANARY } from "../../test/support/hooks/inputs.ts";
import { completionOf } from "../../test/support/hooks/scripted-http.ts";
import { readChatAnswer, withoutThoughts } from "./chat-answer.ts";
import { HookFailure } from "./port.ts";

const PLAIN = { density: false, structured: false };
const DENSE = { density: true, structured: false };
const STRUCTURED = { density: false, structured: true };

function read(body: string | Buffer, form = PLAIN) {
  return readChatAnswer(Buffer.from(body), form, "configured");
}

function reasonOf(body: string | Buffer, form = PLAIN): string {
  try {
    read(body, form);
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    expect(error.message).not.toContain(CANARY);
    expect(error.cause).toBeUndefined();
    return error.reason;
  }
  return "none";
}

const dense = JSON.stringify({ missing_entities: ["Dr. Mora", " "], summary: " They met. " });
const whole = JSON.stringify({
  user_request_summary: "A trip.",
  summary: "They plan a trip.",
  salient_facts: ["12 May"],
  open_threads: [],
  more: "is not read",
});

describe("readChatAnswer", () => {
  test("reads a text with what it cost", () => {
    expect(read(completionOf(" They met. \n"))).toEqual({
      text: "They met.",
      missingEntities: [],
      requestText: "",
      facts: [],
      openThreads: [],
      model: "scripted",
      inputTokens: 11,
      outputTokens: 7,
    });
  });

  test("takes the configured model, and zeros, when the answer says nothing usable", () => {
    const bare = { model: undefined, usage: undefined };
    expect(read(completionOf("x", bare))).toMatchObject({ model: "configured", inputTokens: 0 });
    const odd = { model: "m".repeat(128), usage: { prompt_tokens: -1, completion_tokens: 1.5 } };
    expect(read(completionOf("x", odd))).toMatchObject({ model: "", inputTokens: 0 });
    expect(read(completionOf("x", { usage: { completion_tokens: 2e9 } })).outputTokens).toBe(0);
  });

  test("joins parts of text", () => {
    const content = [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ];
    const choices = [{ finish_reason: "stop", message: { content } }];
    expect(read(completionOf("", { choices })).text).toBe("one two");
  });

  test.each([
    ["bare", dense],
    ["in a fence", `\`\`\`json\n${dense}\n\`\`\``],
    ["in a fence without a name", `\`\`\`\n${dense}\n\`\`\`\n`],
    ["behind a word", `Here it is:\n${dense}\nDone.`],
    ["behind thoughts", `<think>{"no": 1}</think>\n${dense}`],
  ])("reads a round of a chain of density: %s", (_, text) => {
    const output = read(completionOf(text), DENSE);
    expect([output.text, output.missingEntities]).toEqual(["They met.", ["Dr. Mora"]]);
  });

  test("reads sections", () => {
    expect(read(completionOf(whole), STRUCTURED)).toMatchObject({
      text: "They plan a trip.",
      requestText: "A trip.",
      facts: ["12 May"],
      openThreads: [],
      missingEntities: [],
    });
  });

  const withMessage = (message: unknown, finish = "stop"): string =>
    completionOf("", { choices: [{ finish_reason: finish, message }] });

  test.each([
    ["invalid-output", "what is not JSON", `${CANARY} {`, PLAIN],
    ["invalid-output", "half a JSON", completionOf(CANARY).slice(0, -5), PLAIN],
    ["invalid-output", "another JSON", JSON.stringify([CANARY]), PLAIN],
    ["invalid-output", "no choices", JSON.stringify({ choices: [] }), PLAIN],
    ["invalid-output", "an error with status 200", JSON.stringify({ error: CANARY }), PLAIN],
    ["invalid-output", "content that is no text", withMessage({ content: 7 }), PLAIN],
    ["invalid-output", "an image", withMessage({ content: [{ type: "image_url" }] }), PLAIN],
    ["invalid-output", "bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), PLAIN],
    ["invalid-output", "half a character", completionOf("\ud83d"), PLAIN],
    ["invalid-output", "text instead of JSON", completionOf(`It is ${CANARY}.`), DENSE],
    ["invalid-output", "broken JSON", completionOf(`{"summary": "${CANARY}`), DENSE],
    ["invalid-output", "a list as JSON", completionOf(`["${CANARY}"]`), DENSE],
    ["invalid-output", "a missing list", completionOf('{"summary": "x"}'), DENSE],
    ["invalid-output", "a text as list", completionOf(dense.replace(/\[.*\]/, '"x"')), DENSE],
    ["invalid-output", "numbers in a list", completionOf(dense.replace('" "', "7")), DENSE],
    ["invalid-output", "sections missing", completionOf('{"summary": "x"}'), STRUCTURED],
    ["invalid-output", "a summary that is no text", completionOf('{"summary": {}}'), STRUCTURED],
    ["empty-output", "an empty text", completionOf(""), PLAIN],
    ["empty-output", "spaces", completionOf(" \n\t"), PLAIN],
    ["empty-output", "no content", withMessage({ content: null }), PLAIN],
    ["empty-output", "no message", withMessage(undefined), PLAIN],
    ["empty-output", "only thoughts", completionOf("<think>hm</think>"), PLAIN],
    ["empty-output", "thoughts without an end", completionOf("<think>hm"), PLAIN],
    ["empty-output", "an empty summary", completionOf(dense.replace(" They met. ", "")), DENSE],
    ["output-too-long", "a text cut off", withMessage({ content: CANARY }, "length"), PLAIN],
    ["refused", "a refusal", withMessage({ content: null, refusal: CANARY }), PLAIN],
    ["refused", "a content filter", withMessage({ content: CANARY }, "content_filter"), PLAIN],
  ])("gives %s for %s", (reason, _, body, form) => {
    expect(reasonOf(body, form)).toBe(reason);
  });
});

describe("withoutThoughts", () => {
  test.each([
    ["<think>one</think> two", "two"],
    ["\n<think>\none\n</think>\n<think>two</think>three", "three"],
    ["one\n</think>\n\ntwo", "\n\ntwo"],
    ["one </think> two", "one </think> two"],
    ["one <think>two</think>", "one <think>two</think>"],
    ["<think>one", ""],
    ["one", "one"],
  ])("makes of %j %j", (text, rest) => {
    expect(withoutThoughts(text)).toBe(rest);
  });
});
