import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { message } from "../../test/support/contract/samples.ts";
import { wireMessages } from "../../test/support/contract/wire-messages.ts";
import { Message, Role, Source, Trust } from "../gen/memorysidecar/v1/message.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { ROLE } from "../window/rules/types.ts";
import { readDetail } from "./detail-wire.ts";
import { appendText, encodeMade, readFacts, readTrust, shortenMessage } from "./facts-wire.ts";

const bytesOf = (whole: Message) => Message.encode(whole).finish();

const charsOf = (bytes: Uint8Array) => [...readDetail(bytes).content].length;

describe("a shortened message", () => {
  test("keeps two thirds of its beginning and one of its end, and says what it costs", () => {
    const text = `${"a".repeat(3_000)}${"z".repeat(3_000)}`;
    const bytes = bytesOf(message({ messageId: "m", text, tokenCount: 1_500, name: "n" }));
    const stored = shortenMessage(bytes, 600, 170.5);
    expect(readFacts(stored).tokenCount).toBe(170.5);
    const short = Message.decode(stored);
    expect(short).toMatchObject({ messageId: "m", name: "n", tokenCount: 170 });
    expect(short.text.startsWith("a".repeat(400))).toBe(true);
    expect(short.text.endsWith("z".repeat(200))).toBe(true);
    expect(short.text.length).toBeLessThan(800);
  });

  test("keeps short texts whole, and data, images and calls as they are", () => {
    const long = "l".repeat(4_000);
    const image = {
      part: {
        $case: "image",
        value: { source: { $case: "url", value: "u".repeat(900) }, mediaType: "", detail: "" },
      },
    } as const;
    const whole = message({
      role: Role.TOOL,
      text: "short",
      toolCallId: "c",
      parts: [
        image,
        { part: { $case: "text", value: long } },
        {
          part: {
            $case: "toolResult",
            value: { toolCallId: "d", text: long, parts: [image], error: true },
          },
        },
      ],
      providerPayload: { provider: "p", mediaType: "", data: Buffer.alloc(2_000) },
      tokenCount: 2_001,
    });
    const short = Message.decode(shortenMessage(bytesOf(whole), 1_005, 300));
    expect(short.text).toBe("short");
    expect(short.parts[0]).toEqual(image);
    expect(short.providerPayload).toEqual(whole.providerPayload);
    const [, part, result] = short.parts;
    const cut = part?.part?.$case === "text" ? part.part.value : "";
    const answer = result?.part?.$case === "toolResult" ? result.part.value : undefined;
    expect(cut.match(/l+/g)?.join("").length).toBeGreaterThan(400);
    expect(cut.length).toBeLessThan(700);
    expect(answer).toMatchObject({ toolCallId: "d", parts: [image], error: true });
    expect(answer?.text).toBe(cut);
  });

  test("is never longer, and is the same message otherwise", () => {
    const property = fc.property(wireMessages, fc.nat(60), (whole, keptChars) => {
      const bytes = bytesOf(whole);
      const short = shortenMessage(bytes, keptChars, 7);
      expect(charsOf(short)).toBeLessThanOrEqual(charsOf(bytes));
      expect(readFacts(short)).toEqual({ ...readFacts(bytes), tokenCount: 7 });
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe("what stands in the window only", () => {
  const made = { messageId: "m", text: "so far", tokenCount: 2.25, createMs: 1_700_000_000_123 };

  test("as a summary is a model's message of its role and trust, without a seq", () => {
    const shown = { role: ROLE.system, trust: TRUST.medium } as const;
    const bytes = encodeMade({
      ...{ ...made, ...shown, kind: "summary" },
      ...{ toolCallId: "ignored", name: "" },
    });
    expect(Message.decode(bytes)).toMatchObject({
      messageId: "m",
      seq: 0n,
      role: Role.SYSTEM,
      text: "so far",
      toolCallId: "",
      toolError: false,
      tokenCount: 2,
      source: Source.MODEL,
      trust: Trust.MEDIUM,
      etag: "",
    });
    expect(readFacts(bytes)).toMatchObject({
      role: ROLE.system,
      answers: [],
      isResult: false,
      tokenCount: 2.25,
      createMs: 1_700_000_000_123,
    });
  });

  test("as a result is a failed answer of its tool, with no time when it was made for a read", () => {
    const given = { ...made, createMs: 0, toolCallId: "c", name: "search" };
    const bytes = encodeMade({ ...given, kind: "result", role: ROLE.tool, trust: TRUST.low });
    const whole = Message.decode(bytes);
    expect(whole).toMatchObject({
      role: Role.TOOL,
      name: "search",
      toolCallId: "c",
      toolError: true,
      source: Source.TOOL,
      trust: Trust.LOW,
    });
    expect(whole.createTime).toBeUndefined();
    expect(readFacts(bytes)).toMatchObject({ answers: ["c"], isResult: true, createMs: 0 });
  });
});

test("what the user of an exchange asked for is a user message from the model", () => {
  const request = { kind: "request", role: ROLE.user, trust: TRUST.low } as const;
  const words = { text: "[User Requests Summary]", name: "", toolCallId: "c" };
  const made = { ...request, ...words, messageId: "m", tokenCount: 6, createMs: 1 };
  const bytes = encodeMade(made);
  expect(Message.decode(bytes)).toMatchObject({
    role: Role.USER,
    toolCallId: "",
    toolError: false,
    source: Source.MODEL,
    trust: Trust.LOW,
  });
  expect(readFacts(bytes)).toMatchObject({ role: ROLE.user, answers: [], isResult: false });
});

describe("a text behind that of a message", () => {
  const text = (value: string) => ({ part: { $case: "text", value } }) as const;

  test("stands behind its text, and the message says what it costs", () => {
    const whole = message({ role: Role.SYSTEM, messageId: "m", text: "rules", tokenCount: 1 });
    const stored = appendText(bytesOf(whole), "\n\nso far", 3.5);
    expect(readFacts(stored).tokenCount).toBe(3.5);
    expect(Message.decode(stored)).toEqual({ ...whole, text: "rules\n\nso far", tokenCount: 3 });
  });

  test("stands behind the last text part", () => {
    const parts = [text("a"), text("b"), { part: { $case: "data", value: Buffer.alloc(0) } }];
    const whole = message({ role: Role.SYSTEM, text: "rules", parts: parts as never });
    const longer = Message.decode(appendText(bytesOf(whole), "!", 1));
    expect(longer.text).toBe("rules");
    expect(longer.parts.slice(0, 2)).toEqual([text("a"), text("b!")]);
  });
});

test("trust is read as it is stored, and is low where nothing is said", () => {
  for (const trust of [Trust.LOW, Trust.MEDIUM, Trust.HIGH]) {
    expect(readTrust(bytesOf(message({ text: "t", trust, etag: "e" })))).toBe(trust);
  }
  expect(readTrust(bytesOf(message({ text: "t" })))).toBe(TRUST.low);
});
