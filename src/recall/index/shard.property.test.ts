import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/recall/records.ts";
import { referenceSearch } from "../../../test/support/recall/reference.ts";
import {
  History,
  histories,
  MODEL,
  queries,
  sparse,
} from "../../../test/support/recall/shard-history.ts";
import { forEachRow } from "../rules/row-filter.ts";
import { rowsOfFilter } from "./filter-rows.ts";
import { searchShard } from "./search.ts";

describe("a shard after any changes", () => {
  test("answers as one that is built of what is left", () => {
    fc.assert(
      fc.property(histories, fc.array(queries, { minLength: 3, maxLength: 6 }), (all, asked) => {
        const history = new History();
        for (const one of all) history.apply(one);
        const rebuilt = history.rebuilt();
        for (const query of asked) {
          const answer = searchShard(history.shard, query);
          expect(answer).toEqual(searchShard(rebuilt, query));
          history.shard.compact();
          expect(searchShard(history.shard, query)).toEqual(answer);
        }
        for (const { info, records: held } of history.content.values()) {
          const positions = [...held.keys()].sort((a, b) => a - b);
          expect(history.shard.positions(info)).toEqual(positions);
        }
        expect(history.shard.size(0).items).toBe(rebuilt.size(0).items);
      }),
      { numRuns: 100 },
    );
  });

  test("finds what looking at every record finds, and nothing that is gone", () => {
    fc.assert(
      fc.property(histories, fc.array(queries, { minLength: 3, maxLength: 6 }), (all, asked) => {
        const history = new History();
        for (const one of all) history.apply(one);
        for (const query of asked) {
          const { hits } = searchShard(history.shard, query);
          const expected = referenceSearch([...history.content.values()], query, MODEL);
          const scores = (list: readonly { score: number }[]) => list.map(({ score }) => score);
          const names = (list: readonly { containerId: string; position: number }[]) =>
            list.map(({ containerId, position }) => `${containerId} ${position}`).sort();
          expect(names(hits)).toEqual(names(expected));
          for (const [at, score] of scores(hits).entries()) {
            expect(score).toBeCloseTo(expected[at]?.score ?? Number.NaN, 4);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("lets the same rows pass whichever way a filter is answered", () => {
    fc.assert(
      fc.property(histories, sparse, fc.constantFrom(0, 100), (all, rest, nowMs) => {
        const history = new History();
        for (const one of all) history.apply(one);
        const filter = filterOf(rest);
        const times = { nowMs, referenceMs: nowMs };
        const rowsOf = (itemsPerListed: number): number[] => {
          const passing = rowsOfFilter(history.shard, filter, times, itemsPerListed);
          const rows: number[] = [];
          forEachRow(passing, history.shard.items.rowCount, (row) => rows.push(row));
          return rows;
        };
        expect(rowsOf(0)).toEqual(rowsOf(Number.POSITIVE_INFINITY));
      }),
      { numRuns: 200 },
    );
  });
});
