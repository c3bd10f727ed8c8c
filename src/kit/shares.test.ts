import { expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { Shares } from "./shares.ts";

/** Takes one after the other for a holder; gives how many it got. */
function fill(shares: Shares, holder: string | undefined): number {
  let count = 0;
  while (shares.take(holder) === undefined) count += 1;
  return count;
}

test.each([
  ["uploads", LIMITS.uploads, LIMITS.namespaceUploads],
  ["exports", LIMITS.exports, LIMITS.namespaceExports],
  ["polls", LIMITS.polls, LIMITS.namespacePolls],
  ["directTasks", LIMITS.directTasks, LIMITS.namespaceDirectTasks],
])("one namespace has its share of %s, as GetServerInfo says", (_, limit, share) => {
  expect(fill(new Shares({ limit }), "flood")).toBe(share);
});

test("however many take much, those that take little get in", () => {
  const shares = new Shares({ limit: 64 });
  const floods = ["a", "b", "c"].map((holder) => fill(shares, holder));
  expect(floods).toEqual([48, 4, 4]);
  expect(shares.take("a")).toEqual({ limit: 48, few: 4 });
  expect(fill(shares, "quiet")).toBe(4);
  expect(fill(shares, "other")).toBe(4);
  expect(shares.take("late")).toEqual({ limit: 64 });
  shares.give("a");
  expect(shares.take("a")).toEqual({ limit: 48, few: 4 });
  expect(shares.take("late")).toBeUndefined();
});

test("nobody in particular may take all, and so may all of a small limit", () => {
  expect(fill(new Shares({ limit: 64 }), undefined)).toBe(64);
  expect(fill(new Shares({ limit: 3 }), "one")).toBe(3);
});

test("amounts are shared by a cap", () => {
  const shares = new Shares({ limit: 64, kept: 32, few: 32 });
  expect(shares.take("a", 32)).toBeUndefined();
  expect(shares.take("a", 1)).toEqual({ limit: 32, few: 32 });
  expect(shares.take("b", 32)).toBeUndefined();
  shares.give("a", 32);
  expect(shares.take("b", 1)).toEqual({ limit: 32, few: 32 });
  expect(shares.heldBy("b")).toBe(32);
});
