import { expect, test } from "vitest";
import {
  collectionOf,
  collectionOrder,
  depthOf,
  firstSegments,
  isWithin,
} from "./collection-path.ts";

test("ids have segments", () => {
  expect(["", "a", "a/b c/\u{1f600}"].map(depthOf)).toEqual([0, 1, 3]);
  expect(firstSegments("a/b/c", 2)).toBe("a/b");
  expect(firstSegments("a", 2)).toBe("a");
});

test("their order puts a collection directly before those below it", () => {
  const ids = ["a/b", "a!", "a", "a/b/c", "a-1", "a/", "b", "a/b!"];
  const sorted = ids.map(collectionOrder).sort();
  expect(sorted.map(collectionOf)).toEqual(["a", "a/", "a/b", "a/b/c", "a/b!", "a!", "a-1", "b"]);
});

test("a collection is within itself and what it is below, and nothing that begins alike", () => {
  expect(isWithin("a/b", new Set(["a"]))).toBe(true);
  expect(isWithin("a/b", new Set(["x", "a/b"]))).toBe(true);
  expect(isWithin("a/b/c", new Set(["a/b"]))).toBe(true);
  expect(isWithin("ab", new Set(["a"]))).toBe(false);
  expect(isWithin("a", new Set(["a/b"]))).toBe(false);
  expect(isWithin("a/bc", new Set(["a/b"]))).toBe(false);
});
