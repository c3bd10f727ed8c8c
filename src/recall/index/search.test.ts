import { expect, test } from "vitest";
import {
  containerOf,
  itemsOf,
  JSON_INDEX_CODEC,
  queryOf,
  recordItem,
} from "../../../test/support/recall/records.ts";
import { NOTHING_FITS_FLOOR } from "../rank/relevance.ts";
import { createLocalIndex } from "./local.ts";
import type { IndexItem } from "./port.ts";

const DAY_MS = 86_400_000;

test("counts the dates of a query from the time of the request", async () => {
  const index = createLocalIndex({ codec: JSON_INDEX_CODEC });
  const items = [1, 10, 20].map((day) =>
    recordItem(day, { role: 1, text: "We had soup for lunch.", timeMs: day * DAY_MS }),
  );
  await index.apply("n", [containerOf("session", "a"), itemsOf("session", "a", items)]);
  const best = async (text: string, referenceMs: number): Promise<number | undefined> => {
    const { hits } = await index.search("n", queryOf(text, { referenceMs }));
    return hits[0]?.position;
  };
  expect(await best("lunch yesterday", 11 * DAY_MS)).toBe(10);
  expect(await best("lunch yesterday", 21 * DAY_MS)).toBe(20);
  expect(await best("lunch 19 days ago", 20 * DAY_MS)).toBe(1);
});

test("looks for the day that a query means, and not for the words that state it", async () => {
  const index = createLocalIndex({ codec: JSON_INDEX_CODEC });
  const said = (day: number, text: string): IndexItem =>
    recordItem(day, { role: 1, text, timeMs: day * DAY_MS });
  const items = [
    said(3, "The bus was late yesterday, and the day before yesterday."),
    // A Friday; the request comes on the Wednesday after it.
    said(8, "We fixed the roof."),
    said(10, "It rained last Friday, last week, a month ago."),
    said(12, "I said that Friday comes last."),
  ];
  await index.apply("n", [containerOf("session", "a"), itemsOf("session", "a", items)]);
  const best = async (text: string): Promise<number | undefined> => {
    const query = queryOf(text, { mode: "lexical", referenceMs: 13 * DAY_MS });
    return (await index.search("n", query)).hits[0]?.position;
  };
  expect(await best("What did I say last Friday?")).toBe(8);
  expect(await best("What happened yesterday?")).toBe(12);
  expect(await best("What happened five days ago?")).toBe(8);
  const query = queryOf("What happened yesterday?", { referenceMs: 13 * DAY_MS });
  const [first, second] = (await index.search("n", query)).hits;
  expect(first?.relevance).toBeGreaterThan(NOTHING_FITS_FLOOR);
  expect(second?.relevance).toBeLessThan(first?.relevance ?? 0);
});
