import { describe, expect, test } from "vitest";
import { makeMemoryId, makeMessageId, makeSessionId, seqOfMessageId } from "./ids.ts";

const zeros = new Uint8Array(10);
const ones = new Uint8Array(10).fill(255);

describe("message ids", () => {
  test("have one form", () => {
    expect(makeMessageId(1, zeros)).toBe("m1-0000000000000000");
    expect(makeMessageId(36, ones)).toBe("m10-zzzzzzzzzzzzzzzz");
    const random = Uint8Array.from([0, 0, 0, 0, 1, 0x80, 0, 0, 0, 31, 99]);
    expect(makeMessageId(35, random)).toBe("mz-00000001g000000z");
  });

  test.each([1, 35, 36, 123_456_789, Number.MAX_SAFE_INTEGER])("of seq %d tell it", (seq) => {
    expect(seqOfMessageId(makeMessageId(seq, ones))).toBe(seq);
  });

  test.each([
    "",
    "m1",
    "m-0000000000000000",
    "m0-0000000000000000",
    "m01-0000000000000000",
    "M1-0000000000000000",
    "mA-0000000000000000",
    "m1-000000000000000",
    "m1-00000000000000000",
    "m1-000000000000000i",
    "m1-000000000000000u",
    "m1-000000000000000Z",
    "m1-0000000000000000\n",
    " m1-0000000000000000",
    "mzzzzzzzzzzz-0000000000000000",
    "m100000000000-0000000000000000",
  ])("are not confused with %j", (id) => {
    expect(seqOfMessageId(id)).toBeUndefined();
  });
});

describe("session ids", () => {
  test("are lower case ULIDs", () => {
    expect(makeSessionId(1_469_918_176_385, ones)).toBe("01aryz6s41zzzzzzzzzzzzzzzz");
    expect(makeSessionId(0, zeros)).toBe("0".repeat(26));
    expect(makeSessionId(2 ** 48 - 1, ones)).toBe("7zzzzzzzzzzzzzzzzzzzzzzzzz");
  });

  test("sort by time", () => {
    const times = [0, 1, 31, 32, 1_000, 1_700_000_000_000, 1_700_000_000_001];
    const ids = times.map((time, index) => makeSessionId(time, index % 2 === 0 ? ones : zeros));
    expect([...ids].sort()).toEqual(ids);
  });
});

test("memory ids have the form of session ids", () => {
  expect(makeMemoryId(1_469_918_176_385, ones)).toBe("01aryz6s41zzzzzzzzzzzzzzzz");
});

test("too few random bytes are refused", () => {
  expect(() => makeMessageId(1, new Uint8Array(9))).toThrow(RangeError);
  expect(() => makeSessionId(1, new Uint8Array(0))).toThrow(RangeError);
  expect(() => makeMemoryId(1, new Uint8Array(9))).toThrow(RangeError);
});
