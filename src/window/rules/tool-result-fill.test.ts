import { describe, expect, test } from "vitest";
import { callsToFill, FILL_NOTICE } from "./tool-result-fill.ts";
import { type MessageDetail, ROLE, type WindowEntry } from "./types.ts";

/**
 * `U`, `A`, `S`: messages; `A(x,y)`: calls; `T(x)`: a result, `T`: one without an id; `R(x,y)`: a
 * user message of results alone; `M(x)`: one with text beside its result.
 */
function windowOf(text: string): WindowEntry[] {
  const roles = { U: ROLE.user, A: ROLE.assistant, S: ROLE.system, T: ROLE.tool };
  return text.split(" ").map((word, index) => {
    const letter = word.charAt(0);
    const ids = word.length > 1 ? word.slice(2, -1).split(",") : [];
    const role = roles[letter as keyof typeof roles] ?? ROLE.user;
    return {
      seq: index + 1,
      messageId: `m${index + 1}`,
      role,
      callIds: letter === "A" ? ids : [],
      answers: letter === "A" ? [] : ids,
      isResult: letter === "T" || letter === "R",
      tokenCount: 1,
      byteCount: 1,
      createMs: 0,
    };
  });
}

const detailOf = (entry: WindowEntry): MessageDetail => ({
  content: "",
  name: "",
  toolCalls: entry.callIds.map((id) => ({ id, name: `tool-${id}`, arguments: "{}" })),
});

const MOVED_ON = { rule: "moved-on", newestOnly: false } as const;
const ALWAYS = { rule: "always", newestOnly: false } as const;

/** As `id@behind`. */
function filled(
  text: string,
  toolResultFill: Parameters<typeof callsToFill>[1] = MOVED_ON,
): string {
  const list = callsToFill(windowOf(text), toolResultFill, detailOf);
  return list.map(({ callId, position }) => `${callId}@${Math.floor(position)}`).join(" ");
}

describe("which calls get a result", () => {
  test.each([
    ["all answered", "U A(x) T(x) A", ""],
    ["one that the conversation left behind", "U A(x) U", "x@2"],
    ["those that wait", "U A(x)", ""],
    ["partly answered, moved on", "A(x,y) T(x) U", "y@2"],
    ["partly answered, waiting", "A(x,y) T(x)", ""],
    ["moved on before the last result only", "A(x,y) U T(x)", ""],
    ["an answer after other messages", "A(x) U A T(x) U", ""],
    ["results among the parts of a user message", "A(x,y) R(x) U", "y@2"],
    ["text beside a result is an answer", "A(x,y) M(x)", ""],
    ["a system message moves on", "A(x) S", "x@1"],
    ["another call moves on", "A(x) A(y)", "x@1"],
    ["a foreign result does not", "A(x) T(z)", ""],
    ["a result without an id answers the first open call", "A(x,y) T U", "y@2"],
    ["and does so after one with an id", "A(x,y) T(x) T U", ""],
    ["a result without an id behind another message answers none", "A(x) U T U", "x@1"],
    ["every message with calls", "A(x) U A(y,z) T(z) U", "x@1 y@4"],
    ["an id that is called again and answered", "A(x) U A(x) T(x) U", "x@1"],
    ["before its id is called again", "A(x,y) A(y) T(y) T(x) U", "y@1"],
    ["an id that is answered each time", "A(x) T(x) U A(x) T(x) U", ""],
    ["an id that is called again and not answered", "A(x) T(x) A(x) U", "x@3"],
    ["in the order of the ids", "A(c,a,B,b,c) U", "B@1 a@1 b@1 c@1"],
  ])("%s", (_, text, expected) => {
    expect(filled(text)).toBe(expected);
  });
});

test("always: also those that wait", () => {
  expect(filled("U A(x) T(x) A(y,z) T(z)", ALWAYS)).toBe("y@5");
  expect(filled("A(x)", ALWAYS)).toBe("x@1");
});

test("newest only: only the newest message with calls", () => {
  const newest = { rule: "moved-on", newestOnly: true } as const;
  expect(filled("A(x) U A(y) U", newest)).toBe("y@3");
  expect(filled("A(x) U A(y) T(y) U", newest)).toBe("");
  expect(filled("A(x) U A(y)", { ...newest, rule: "always" })).toBe("y@3");
});

test("names the tool, and nothing for a call that the details do not know", () => {
  const entries = windowOf("A(x,y) U");
  const names = (detail: MessageDetail) =>
    callsToFill(entries, MOVED_ON, () => detail).map(({ callName }) => callName);
  const call = { id: "y", name: "pay", arguments: "" };
  expect(names({ content: "", name: "", toolCalls: [call] })).toEqual(["", "pay"]);
});

describe("positions", () => {
  const at = (seqs: readonly number[], text: string) => {
    const entries = windowOf(text).map((entry, index) => ({ ...entry, seq: seqs[index] ?? 0 }));
    return callsToFill(entries, ALWAYS, detailOf).map(({ position }) => position);
  };

  test("stand between an entry and the next, in order and less than 1 away", () => {
    expect(at([4], "A(x)")).toEqual([4.5]);
    expect(at([4, 9], "A(x,y,z) U")).toEqual([4.25, 4.5, 4.75]);
  });

  test("stand before what was inserted already", () => {
    expect(at([4, 4.5, 5], "A(x,y,z) T(y) U")).toEqual([4.5 + 1 / 6, 4.5 + 1 / 3]);
    expect(at([4, 4.25], "A(x) S")).toEqual([4.125]);
  });

  test("do not meet when one message answers calls of two", () => {
    const positions = at([1, 2, 3, 4], "A(a,b) A(c,d) R(a,c) U");
    expect(positions).toHaveLength(2);
    expect(new Set(positions).size).toBe(2);
    expect(positions.every((position) => position > 3 && position < 4)).toBe(true);
  });

  test("many keep their order", () => {
    const ids = Array.from({ length: 128 }, (_, n) => `c${String(n).padStart(3, "0")}`);
    const list = callsToFill(windowOf(`A(${ids.join(",")}) U`), MOVED_ON, detailOf);
    expect(list.map(({ callId }) => callId)).toEqual(ids);
    const positions = list.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  });
});

test("the notice says that nobody knows what the call did", () => {
  expect(FILL_NOTICE).toMatch(/interrupted/);
  expect(FILL_NOTICE.length).toBeLessThan(200);
});
