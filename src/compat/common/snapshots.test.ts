import { describe, expect, test } from "vitest";
import { ROLE } from "../../window/rules/types.ts";
import { lauren } from "../lauren/snapshot.ts";
import { callsAt, imageOf, isBase64, textOf, urlOf } from "./content.ts";
import { isSame, type Json, type JsonObject } from "./json.ts";
import { readMessage, writeMessage } from "./leftovers.ts";
import { EMPTY_MESSAGE, NO_CONTEXT, type PlainImage } from "./plain.ts";

const refusal = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    const { reason, detail } = error as { reason: string; detail: { violations: unknown[] } };
    return [reason, ...detail.violations];
  }
  return undefined;
};

describe("what is left over of a message", () => {
  const read = (source: JsonObject) => readMessage(lauren, source, "messages[0]", NO_CONTEXT);

  test("is nothing when the plain form says everything", () => {
    expect(read({ role: "user", content: "x" }).leftovers).toBeUndefined();
    const blocks = [{ type: "text", text: "x" }];
    expect(read({ role: "assistant", content: blocks }).leftovers).toBeUndefined();
  });

  test("is a way of writing, what is unknown, and what is missing", () => {
    const call = { id: "c", name: "f", input: { a: 1 } };
    const beside = { role: "assistant", content: "x", tool_calls: [call] };
    expect(read(beside).leftovers).toEqual({ shape: "beside" });
    expect(read({ role: "user", content: "x", custom: null }).leftovers).toEqual({
      fields: { custom: null },
    });
    expect(read({ role: "user" }).leftovers).toEqual({ absent: ["content"] });
  });

  test("counts for an edited message only where the format knows nothing of it", () => {
    const content = [{ type: "text", text: "old", cache_control: "x" }];
    const { leftovers } = read({ role: "user", content, custom: 1 });
    const message = { ...EMPTY_MESSAGE, role: ROLE.user, text: "new" };
    const write = (edited: boolean) =>
      writeMessage(lauren, message, { leftovers, edited }, NO_CONTEXT);
    expect(write(false)).toEqual({ role: "user", content, custom: 1 });
    expect(write(true)).toEqual({ role: "user", content: "new", custom: 1 });
  });

  test("may name a way that there is not", () => {
    const message = { ...EMPTY_MESSAGE, role: ROLE.user, text: "x" };
    const left = { leftovers: { shape: "none", absent: ["x"] }, edited: false };
    expect(writeMessage(lauren, message, left, NO_CONTEXT)).toEqual({
      role: "user",
      content: "x",
    });
  });
});

describe("tool calls", () => {
  test("are read however their parts are named", () => {
    const value: Json = [
      { id: "a", name: "f", parameters: { x: 1 } },
      { id: "b", type: "function", function: { name: "g", arguments: "{}" } },
      { id: "c", tool_name: "h", input: "raw" },
      { name: "i" },
    ];
    expect(callsAt({ value, path: "calls" }, false)).toEqual([
      { id: "a", name: "f", arguments: '{"x":1}' },
      { id: "b", name: "g", arguments: "{}" },
      { id: "c", name: "h", arguments: "raw" },
      { id: "call-3", name: "i", arguments: "" },
    ]);
    const required = () => callsAt({ value: [{ name: "i" }], path: "calls" }, true);
    expect(refusal(required)).toEqual([
      "SNAPSHOT_INVALID",
      { field: "calls[0].id", description: "must not be empty" },
    ]);
  });
});

describe("base64", () => {
  test("is only what comes back as it was", () => {
    for (const text of ["AAAA", "aGFsbG8=", "aA=="])
      expect([text, isBase64(text)]).toEqual([text, true]);
    for (const text of ["", "A", "aGFsbG9=", "aB==", "AA AA", "AAA_"]) {
      expect([text, isBase64(text)]).toEqual([text, false]);
    }
    expect(isBase64("AAAA".repeat(6_000_000))).toBe(true);
  });
});

describe("a picture", () => {
  test("is an address, or bytes in one", () => {
    for (const url of ["https://example.com/a", "a.png", "data:image/png;base64,AAAA", "data:,x"]) {
      const image = imageOf(url) as PlainImage;
      expect(urlOf(image)).toBe(url);
      expect("base64" in image.source).toBe(url.includes("AAAA"));
    }
    expect(imageOf("")).toBeUndefined();
  });
});

describe("text of a content", () => {
  test("is all of it, results included", () => {
    const parts = [
      { kind: "text", text: "b" },
      { kind: "data", value: { c: 1 } },
      {
        kind: "result",
        toolCallId: "t",
        text: "d",
        parts: [{ kind: "text", text: "e" }],
        error: false,
      },
    ] as const;
    expect(textOf({ text: "a", parts })).toBe('a\nb\n{"c":1}\nd\ne');
  });
});

describe("isSame", () => {
  test("looks at values, not at the order of keys", () => {
    expect(isSame({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
    const different: readonly [Json, Json][] = [
      [{ a: 1 }, { a: 1, b: 1 }],
      [{ a: 1 }, { b: 1 }],
      [[1], [1, 2]],
      [[], {}],
      [null, {}],
      ["1", 1],
    ];
    for (const [a, b] of different) expect([a, b, isSame(a, b)]).toEqual([a, b, false]);
  });
});
