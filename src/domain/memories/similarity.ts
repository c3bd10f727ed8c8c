// How similar texts are: the share of them that stands in their longest common blocks, found
// recursively (Ratcliff and Obershelp, 1988). Gives what SequenceMatcher of Python's difflib gives
// without its guess of junk, in less time: the blocks are found with a suffix automaton.

import { LIMITS } from "../limits.ts";
import { AutomatonRoom, SuffixAutomaton } from "./suffix-automaton.ts";

/** What the bounds of two texts, and making a text ready, cost less than common blocks do. */
const BOUND_COST = 16;
const READY_COST = 8;

/** Code points after it take two units of a text. */
const LAST_SHORT = 0xffff;

/** A text made ready to be compared often. */
export interface ComparedText {
  readonly points: Uint32Array;
  /** What stands in the text, sorted: points, and hashes of three in a row. */
  readonly singles: Uint32Array;
  readonly triples: Uint32Array;
}

/** Bounds the work of many comparisons: code points that may still be looked at. */
export interface CompareBudget {
  left: number;
}

/** The code points of a text that count. */
function pointsOf(text: string): Uint32Array {
  const points = new Uint32Array(Math.min(text.length, LIMITS.similarChars));
  let count = 0;
  for (let at = 0; at < text.length && count < points.length; count++) {
    const point = text.codePointAt(at) ?? 0;
    points[count] = point;
    at += point > LAST_SHORT ? 2 : 1;
  }
  return points.subarray(0, count);
}

/** Makes a text ready, at the cost of a budget. */
export function comparedText(text: string, budget?: CompareBudget): ComparedText {
  const points = pointsOf(text);
  if (budget !== undefined) budget.left -= points.length / READY_COST;
  const triples = new Uint32Array(Math.max(0, points.length - 2));
  for (let i = 0; i < triples.length; i++) {
    const pair = Math.imul(points[i] ?? 0, 31) + (points[i + 1] ?? 0);
    triples[i] = Math.imul(pair, 0x9e37) + (points[i + 2] ?? 0);
  }
  return { points, singles: points.slice().sort(), triples: triples.sort() };
}

/** How many values two sorted lists share, each as often as in both. */
function sharedCount(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    if (left === right) count++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return count;
}

/**
 * Whether the common blocks can hold so many code points. k blocks with M points hold M - 2k
 * triples at least; as a point that is in no block lies between any two of them, k is at most
 * T - 2M + 1. So a count of shared triples below 5M - 2T - 2 rules M out.
 */
function isWithinReach(a: ComparedText, b: ComparedText, needed: number): boolean {
  const total = a.points.length + b.points.length;
  if (sharedCount(a.singles, b.singles) < needed) return false;
  return Math.floor((sharedCount(a.triples, b.triples) + 2 * total + 2) / 5) >= needed;
}

/** One block is looked for at a time. */
const room = new AutomatonRoom(LIMITS.similarChars);

interface Segment {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

function mostIn({ aFrom, aTo, bFrom, bTo }: Segment): number {
  return Math.min(aTo - aFrom, bTo - bFrom);
}

/** Adds what two segments left and right of a block can hold. */
function pushAround(stack: Segment[], around: Segment, block: Segment): number {
  const { aFrom, aTo, bFrom, bTo } = around;
  const left = { aFrom, aTo: block.aFrom, bFrom, bTo: block.bFrom };
  const right = { aFrom: block.aTo, aTo, bFrom: block.bTo, bTo };
  let most = 0;
  for (const segment of [right, left]) {
    if (mostIn(segment) > 0) stack.push(segment);
    most += mostIn(segment);
  }
  return most;
}

/**
 * How many points the common blocks hold; undefined once it is sure that they are fewer than
 * `needed`, or when the budget is used up.
 */
function matchedCount(
  a: Uint32Array,
  b: Uint32Array,
  needed: number,
  budget: CompareBudget,
): number | undefined {
  const stack: Segment[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  let matched = 0;
  let open = Math.min(a.length, b.length);
  for (let segment = stack.pop(); segment !== undefined; segment = stack.pop()) {
    const { aFrom, aTo, bFrom, bTo } = segment;
    budget.left -= aTo - aFrom + bTo - bFrom;
    if (budget.left < 0) return undefined;
    const automaton = new SuffixAutomaton(b.subarray(bFrom, bTo), room);
    const { from, at, length } = automaton.longestIn(a.subarray(aFrom, aTo));
    open -= mostIn(segment);
    matched += length;
    if (length > 0) {
      const block = { aFrom: aFrom + from, bFrom: bFrom + at };
      const ends = { aTo: block.aFrom + length, bTo: block.bFrom + length };
      open += pushAround(stack, segment, { ...block, ...ends });
    }
    if (matched + open < needed) return undefined;
  }
  return matched;
}

/**
 * The similarity of two texts when it is at least `threshold`, else undefined: also when the budget
 * is used up.
 */
export function similarityFrom(
  threshold: number,
  a: ComparedText,
  b: ComparedText,
  budget: CompareBudget,
): number | undefined {
  const total = a.points.length + b.points.length;
  if (total === 0) return 1;
  const needed = (threshold * total) / 2;
  if (Math.min(a.points.length, b.points.length) < needed - 1) return undefined;
  budget.left -= total / BOUND_COST;
  if (budget.left < 0 || !isWithinReach(a, b, needed - 1)) return undefined;
  const matched = matchedCount(a.points, b.points, needed - 1, budget) ?? -1;
  const ratio = (2 * matched) / total;
  return matched >= 0 && ratio >= threshold ? ratio : undefined;
}

/**
 * How similar two texts are, 0 to 1: 2M / T, where M are the code points in the longest common
 * blocks, found recursively, and T those of both texts. Of longer texts the first
 * LIMITS.similarChars count. Two empty texts are the same.
 */
export function similarity(a: string, b: string): number {
  return similarityFrom(0, comparedText(a), comparedText(b), { left: Infinity }) ?? 0;
}
