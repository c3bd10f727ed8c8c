// Filters against plain sets of numbers.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ALL_ROWS,
  bitsFilter,
  filterCount,
  filterHas,
  filterWhere,
  forEachRow,
  intersectFilters,
  listFilter,
  NO_ROWS,
  type RowFilter,
} from "./row-filter.ts";

const END = 200;

const rowsOf = (filter: RowFilter, end = END): number[] => {
  const rows: number[] = [];
  forEachRow(filter, end, (row) => rows.push(row));
  return rows;
};

const rising = (rows: Iterable<number>): number[] => [...new Set(rows)].sort((a, b) => a - b);

const asBits = (rows: readonly number[]): RowFilter => {
  const words = new Uint32Array(Math.ceil(END / 32));
  for (const row of rows) words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << (row & 31));
  return bitsFilter(words);
};

const someRows = fc.array(fc.nat(END - 1), { maxLength: END });
/** The same rows, made into a filter in each of the ways. */
const someFilter = fc
  .tuple(someRows, fc.constantFrom("list", "bits", "where"))
  .map(([rows, kind]): { rows: number[]; filter: RowFilter } => ({
    rows: rising(rows),
    filter:
      kind === "list"
        ? listFilter(rows)
        : kind === "bits"
          ? asBits(rows)
          : filterWhere(END, (row) => rows.includes(row)),
  }));

describe("a row filter", () => {
  test("gives, counts and has the rows that it was made of", () => {
    fc.assert(
      fc.property(someFilter, ({ rows, filter }) => {
        expect(rowsOf(filter)).toEqual(rows);
        expect(filterCount(filter, END)).toBe(rows.length);
        const within = new Set(rows);
        for (let row = 0; row < END + 70; row++) {
          expect(filterHas(filter, row)).toBe(within.has(row));
        }
      }),
    );
  });

  test("gives only rows below the end", () => {
    fc.assert(
      fc.property(someFilter, fc.nat(END), ({ rows, filter }, end) => {
        expect(rowsOf(filter, end)).toEqual(rows.filter((row) => row < end));
      }),
    );
  });

  test("intersects in either order, and changes neither side", () => {
    fc.assert(
      fc.property(someFilter, someFilter, (a, b) => {
        const both = a.rows.filter((row) => b.rows.includes(row));
        for (const filter of [
          intersectFilters(a.filter, b.filter),
          intersectFilters(b.filter, a.filter),
        ]) {
          expect(rowsOf(filter)).toEqual(both);
          expect(filterCount(filter, END)).toBe(both.length);
        }
        expect(rowsOf(a.filter)).toEqual(a.rows);
        expect(rowsOf(b.filter)).toEqual(b.rows);
      }),
    );
  });

  test("of all rows leaves the other side as it is", () => {
    const some = listFilter([3, 1]);
    expect(intersectFilters(ALL_ROWS, some)).toBe(some);
    expect(intersectFilters(some, ALL_ROWS)).toBe(some);
    expect(filterCount(ALL_ROWS, 7)).toBe(7);
    expect(rowsOf(ALL_ROWS, 3)).toEqual([0, 1, 2]);
    expect(filterHas(ALL_ROWS, 1_000_000)).toBe(true);
    expect(rowsOf(intersectFilters(NO_ROWS, ALL_ROWS))).toEqual([]);
  });

  test("takes the shorter form: few rows a list, many rows bits", () => {
    expect(filterWhere(3200, (row) => row % 100 === 0).kind).toBe("list");
    expect(filterWhere(3200, (row) => row % 10 === 0).kind).toBe("bits");
  });
});
