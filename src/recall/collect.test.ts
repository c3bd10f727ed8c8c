import { expect, test } from "vitest";
import { collectGroups, collectHits, type Recall } from "./collect.ts";

interface Entry {
  readonly id: number;
  readonly isGone?: boolean;
}

/** A recall over a list that loses what is gone once it was read, as beside a sweep. */
function scene(entries: readonly Entry[]): Recall {
  let list = [...entries];
  const hitOf = ({ id }: Entry) => ({ kind: "document", containerId: "c", position: id });
  const index = {
    search: async (_: string, { offset, limit }: { offset: number; limit: number }) => {
      const page = list.slice(offset, offset + limit);
      return {
        hits: page.map(hitOf),
        groups: page.map(({ id }) => ({ kind: "session", id: String(id), score: 1, hitCount: 1 })),
        more: offset + limit < list.length,
      };
    },
  };
  const read = async (hit: { position: number }) => {
    const isGone = list.find(({ id }) => id === hit.position)?.isGone === true;
    if (isGone) list = list.filter(({ id }) => id !== hit.position);
    return isGone ? undefined : { hit, bytes: 1 };
  };
  const reader = { read, readWhole: read };
  return { input: { namespace: "n" }, query: {}, index, reader } as unknown as Recall;
}

const gone = (id: number): Entry => ({ id, isGone: true });
const live = (id: number): Entry => ({ id });

test.each<[string, readonly Entry[], readonly number[], number?]>([
  ["the first are gone", [gone(1), gone(2), live(3), live(4)], [3, 4]],
  ["every other is gone", [live(1), gone(2), live(3), gone(4), live(5)], [1, 3], 2],
  ["more are gone than a page holds", [1, 2, 3, 4, 5].map(gone).concat(live(6), live(7)), [6, 7]],
  ["all are gone", [gone(1), gone(2), gone(3)], []],
  ["none is gone", [live(1), live(2), live(3)], [1, 2], 2],
])("a page is full beside a sweep: %s", async (_, entries, ids, next) => {
  const place = { offset: 0, limit: 2 };
  const found = await collectHits(scene(entries), place);
  expect(found.hits.map(({ hit }) => hit.position)).toEqual(ids);
  expect(found.next).toBe(next);
  const grouped = await collectGroups(scene(entries), place);
  expect(grouped.groups.map(({ id }) => Number(id))).toEqual(ids);
  expect(grouped.next).toBe(next);
});

test("the next page goes on behind the last hit of the one before", async () => {
  const recall = scene([gone(1), live(2), gone(3), live(4), live(5), gone(6), live(7)]);
  const ids: number[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await collectHits(recall, { offset, limit: 2 });
    ids.push(...page.hits.map(({ hit }) => hit.position));
    offset = page.next;
  }
  expect(ids).toEqual([2, 4, 5, 7]);
});
