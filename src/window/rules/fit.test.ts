import { expect, test } from "vitest";
import { CEILING } from "../policy/policy.ts";
import { fitCeiling } from "./limit.ts";
import { ROLE, type Role } from "./types.ts";

const MIB = 1_048_576;

function entry(seq: number, byteCount: number, role: Role = ROLE.user) {
  return { seq, role, byteCount };
}

test("a window that fits is given back as it is", () => {
  const entries = [entry(1, MIB), entry(2, MIB), entry(3, MIB)];
  expect(fitCeiling(entries)).toBe(entries);
});

test("the oldest messages are left out, system messages last", () => {
  const entries = [
    entry(1, MIB, ROLE.system),
    entry(2, MIB),
    entry(3, MIB),
    entry(4, MIB),
    entry(5, 1),
  ];
  expect(fitCeiling(entries).map(({ seq }) => seq)).toEqual([1, 4, 5]);
});

test("system messages are left out as well when they alone do not fit", () => {
  const entries = [1, 2, 3, 4].map((seq) => entry(seq, MIB, ROLE.system));
  expect(fitCeiling([...entries, entry(5, MIB)]).map(({ seq }) => seq)).toEqual([2, 3, 4]);
});

test("the number of messages is held as well", () => {
  const entries = Array.from({ length: CEILING.messages + 2 }, (_, i) => entry(i + 1, 1));
  const kept = fitCeiling(entries);
  expect([kept.length, kept[0]?.seq]).toEqual([CEILING.messages, 3]);
});
