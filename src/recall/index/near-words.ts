// Words that mean nearly the same as words of the query, by the table of word vectors: an item that
// lacks a word may hold one near it. Only candidates are looked at, so near words find nothing by
// themselves.

import type { NearWord } from "../embed/static-table.ts";
import { tableWords } from "../embed/static-words.ts";
import type { LexicalIndex } from "../lexical/index.ts";
import { indexTerms } from "../text/terms.ts";
import type { ItemTable } from "./items.ts";

/** Words less near are left out: they add nothing on the sets, and are a fifth of all. */
const COSINE_MIN = 0.4;
/** A word with this cosine would be worth nothing, and one so much above it is worth all. */
const COSINE_FLOOR = 0.25;
const COSINE_SPAN = 0.5;

/**
 * The near words of a query may be in so many rows together. The rarest terms of the query come
 * first; a near word in more rows than are left is passed over. Bounds what a query costs in a
 * large index.
 */
const ROWS_MAX = 32_768;

/** A term of the query, in the order of the bits of masks. */
export interface QueryTerm {
  readonly term: string;
  readonly idf: number;
}

/** A term near one of the query. */
export interface NearTerm {
  readonly term: string;
  /** Its worth relative to the term itself, above 0 and at most 1. */
  readonly value: number;
}

/** A term of the query with what is near it, the nearest first. */
export interface ExpandedTerm {
  readonly bit: number;
  /** The term's share of the query, by its rarity. */
  readonly share: number;
  readonly near: readonly NearTerm[];
}

/** A candidate with the terms of the query that it holds. */
export interface MaskedItem {
  readonly item: number;
  readonly mask: number;
}

/** Gives the terms of a query that have near ones, the rarest first. */
export function expandTerms(
  text: string,
  terms: readonly QueryTerm[],
  nearWords: (word: string) => readonly NearWord[],
): ExpandedTerm[] {
  const sum = terms.reduce((total, { idf }) => total + idf, 0);
  const bits = new Map(terms.map(({ term }, bit) => [term, bit]));
  const found = new Map<number, Map<string, number>>();
  for (const word of new Set(tableWords(text))) {
    const own = indexTerms(word).flatMap((term) => bits.get(term) ?? []);
    if (own.length === 0) continue;
    for (const { word: near, cosine } of nearWords(word)) {
      if (cosine < COSINE_MIN) continue;
      const value = Math.min(1, (cosine - COSINE_FLOOR) / COSINE_SPAN);
      for (const bit of own) {
        const known = found.get(bit) ?? new Map<string, number>();
        for (const term of indexTerms(near)) {
          known.set(term, Math.max(value, known.get(term) ?? 0));
        }
        found.set(bit, known);
      }
    }
  }
  const expanded = [...found].map(([bit, near]) => ({
    ...{ bit, share: (terms[bit]?.idf ?? 0) / sum },
    near: [...near].map(([term, value]) => ({ term, value })).sort(byValue),
  }));
  return expanded.sort((a, b) => b.share - a.share || a.bit - b.bit);
}

function byValue(a: NearTerm, b: NearTerm): number {
  return b.value - a.value || (a.term < b.term ? -1 : 1);
}

/**
 * Gives for each candidate the share of the query's terms that it lacks and has a near one of: of
 * each term its share of the query, times the value of the nearest one.
 */
export function nearShares(
  { lexical, items }: { readonly lexical: LexicalIndex; readonly items: ItemTable },
  expanded: readonly ExpandedTerm[],
  candidates: readonly MaskedItem[],
): Float64Array {
  const shares = new Float64Array(candidates.length);
  if (expanded.length === 0) return shares;
  const { rows, places } = rowsOf(items, candidates);
  const seen = new Uint32Array(candidates.length);
  let left = ROWS_MAX;
  for (const { bit, share, near } of expanded) {
    const flag = 1 << bit;
    for (const { term, value } of near) {
      const count = lexical.docFrequency(term);
      if (count === 0 || count > left) continue;
      left -= count;
      lexical.holders(term, rows, (at) => {
        const place = places[at] ?? 0;
        const held = (candidates[place]?.mask ?? 0) | (seen[place] ?? 0);
        if ((held & flag) !== 0) return;
        seen[place] = (seen[place] ?? 0) | flag;
        shares[place] = (shares[place] ?? 0) + share * value;
      });
    }
  }
  return shares;
}

/** The rows of candidates, rising, with the place of the candidate of each. */
function rowsOf(
  items: ItemTable,
  candidates: readonly MaskedItem[],
): { readonly rows: Uint32Array; readonly places: Uint32Array } {
  const order = Array.from(candidates.keys());
  const first = (place: number): number => items.firstRow.at(candidates[place]?.item ?? 0);
  order.sort((a, b) => first(a) - first(b));
  const rows: number[] = [];
  const places: number[] = [];
  for (const place of order) {
    const item = candidates[place]?.item ?? 0;
    for (let row = items.firstRow.at(item); row < items.endRow(item); row++) {
      rows.push(row);
      places.push(place);
    }
  }
  return { rows: Uint32Array.from(rows), places: Uint32Array.from(places) };
}
