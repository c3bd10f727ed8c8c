import { expect, test } from "vitest";
import { memoryOf, pack, remembered, saidBy } from "../../../test/support/memory/context.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { Candidate, FoundSection } from "./types.ts";

const fact = (text: string, rest: Partial<Candidate> = {}): Candidate =>
  remembered({ ...memoryOf({ text }), trust: TRUST.medium }, rest);

/** Two facts of four words each, and more messages than any budget here has room for. */
function found(isFitting: boolean): readonly FoundSection[] {
  const messages = Array.from({ length: 30 }, (_, place) =>
    saidBy("user", `a message of six words, ${place}`, { place }),
  );
  return [
    {
      kind: "long-term",
      candidates: [fact("one two three", { isFitting }), fact("four five six")],
    },
    { kind: "recalled-messages", candidates: messages },
  ];
}

test("what fits the query goes before the shares", async () => {
  const { parts } = await pack(found(true), 60, { fence: false });
  expect(parts[0]?.items.map(({ text }) => text)).toEqual(["- one two three"]);
  expect(parts[1]?.kind).toBe("recalled-messages");
});

test("what does not fit the query has its share, and what others leave", async () => {
  const { parts } = await pack(found(false), 60, { fence: false });
  expect(parts.map(({ kind }) => kind)).toEqual(["recalled-messages"]);
  const [facts] = (await pack(found(false).slice(0, 1), 60, { fence: false })).parts;
  expect(facts?.items).toHaveLength(2);
});

test("the share of what fits is as asked, and may be none", async () => {
  const sections = [{ kind: "long-term", firstShare: 0 }, { kind: "recalled-messages" }] as const;
  const { parts } = await pack(found(true), 60, { fence: false, sections });
  expect(parts.map(({ kind }) => kind)).toEqual(["recalled-messages"]);
});
