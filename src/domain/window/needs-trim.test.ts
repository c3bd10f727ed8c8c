import { expect, test } from "vitest";
import { policyOf } from "../../../test/support/window-text.ts";
import { CEILING } from "../policy.ts";
import { isOverLimit, needsTrim, stageActs } from "./needs-trim.ts";

const size = (messageCount: number, tokenCount = 0, byteCount = 0) => ({
  messageCount,
  tokenCount,
  byteCount,
});
const [stage] = policyOf([
  {
    anyOf: [
      { kind: "message-count-over", limit: 5 },
      { kind: "token-count-over", limit: 50 },
    ],
    select: { kind: "drop-oldest", maxMessages: 3, maxTokens: 30 },
  },
]).stages;

test("a stage acts when one trigger is passed, and always without triggers", () => {
  if (stage === undefined) throw new Error("there is no stage");
  expect(stageActs(stage, size(5, 50))).toBe(false);
  expect(stageActs(stage, size(6, 50))).toBe(true);
  expect(stageActs(stage, size(5, 51))).toBe(true);
  expect(stageActs({ ...stage, anyOf: [] }, size(0))).toBe(true);
});

test("a limit is passed above the number, not at it", () => {
  if (stage === undefined) throw new Error("there is no stage");
  expect(isOverLimit(stage, size(3, 30))).toBe(false);
  expect(isOverLimit(stage, size(4, 30))).toBe(true);
  expect(isOverLimit(stage, size(3, 31))).toBe(true);
  expect(isOverLimit({ ...stage, select: { kind: "keep-last", unitCount: 0 } }, size(9))).toBe(
    false,
  );
});

test("a window needs a trim for a stage on append or for the ceiling", () => {
  const keep = { select: { kind: "keep-last", unitCount: 9 } } as const;
  expect(needsTrim(policyOf([{}]), size(0))).toBe(false);
  expect(needsTrim(policyOf([{}]), size(1))).toBe(true);
  expect(needsTrim(policyOf([{ on: "read" }]), size(1))).toBe(false);
  expect(needsTrim(policyOf([keep]), size(1))).toBe(true);
  expect(needsTrim(policyOf([]), size(CEILING.messages, 0, CEILING.bytes))).toBe(false);
  expect(needsTrim(policyOf([]), size(CEILING.messages + 1))).toBe(true);
  expect(needsTrim(policyOf([]), size(1, 0, CEILING.bytes + 1))).toBe(true);
});
