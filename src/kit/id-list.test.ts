import { expect, test } from "vitest";
import { idRoom, takeIds, takeNewestIds } from "./id-list.ts";
import { LIMITS } from "./limits.ts";

test("lists of ids end where there is no room for more", () => {
  const room = { count: 3, bytes: 100 };
  expect(takeIds(["a", "b"], room)).toEqual(["a", "b"]);
  expect(takeIds(["c", "d"], room)).toEqual(["c"]);
  expect(takeIds(["e"], room)).toEqual([]);
  expect(room).toEqual({ count: 0, bytes: 88 });
});

test("an id counts by its bytes and its frame", () => {
  expect(takeIds(["ä", "b"], { count: 9, bytes: 9 })).toEqual(["ä", "b"]);
  expect(takeIds(["ä", "b"], { count: 9, bytes: 8 })).toEqual(["ä"]);
  expect(idRoom(5)).toEqual({ count: 5, bytes: LIMITS.answerIdBytes });
});

test("the newest stay in their order", () => {
  expect(takeNewestIds(["a", "b", "c"], { count: 2, bytes: 100 })).toEqual(["b", "c"]);
});
