// A suffix automaton: knows every run of code points that stands in a text, and where each of them
// first ends. Built and asked in time that grows with the texts alone (Blumer and others, 1985).

import { LIMITS } from "../../kit/limits.ts";

const NONE = -1;

/** A run of points that two texts share. */
interface CommonRun {
  /** Start in the text that was asked about, and in that of the automaton. */
  readonly from: number;
  readonly at: number;
  readonly length: number;
}

/** Holds one text at a time: to make the arrays costs more than to fill them. */
class SuffixAutomaton {
  /** Of each state: its longest run, its suffix link, where its runs first end. */
  readonly #longest: Int32Array;
  readonly #link: Int32Array;
  readonly #end: Int32Array;
  /** Edges as lists: the first of a state, then the next of each edge. */
  readonly #edges: Int32Array;
  readonly #point: Int32Array;
  readonly #target: Int32Array;
  readonly #next: Int32Array;
  #edgeCount = 0;
  #stateCount = 1;
  #last = 0;

  /** @param points - As many points as a text may have. */
  constructor(points: number) {
    const states = 2 * points + 1;
    const edges = 3 * points + 1;
    this.#longest = new Int32Array(states);
    this.#link = new Int32Array(states);
    this.#end = new Int32Array(states);
    this.#edges = new Int32Array(states);
    this.#point = new Int32Array(edges);
    this.#target = new Int32Array(edges);
    this.#next = new Int32Array(edges);
  }

  /** Takes a text in place of the one before. */
  load(points: Uint32Array): void {
    const states = 2 * points.length + 1;
    this.#edgeCount = 0;
    this.#stateCount = 1;
    this.#last = 0;
    this.#link.fill(NONE, 0, states);
    this.#edges.fill(NONE, 0, states);
    for (let at = 0; at < points.length; at++) this.#add(points[at] ?? 0, at);
  }

  /** The edge of a state with a point; NONE when it has none. */
  #edgeOf(state: number, point: number): number {
    let edge = this.#edges[state] ?? NONE;
    while (edge !== NONE && this.#point[edge] !== point) edge = this.#next[edge] ?? NONE;
    return edge;
  }

  #connect(state: number, point: number, target: number): void {
    const edge = this.#edgeCount++;
    this.#point[edge] = point;
    this.#target[edge] = target;
    this.#next[edge] = this.#edges[state] ?? NONE;
    this.#edges[state] = edge;
  }

  #newState(longest: number, end: number): number {
    const state = this.#stateCount++;
    this.#longest[state] = longest;
    this.#end[state] = end;
    return state;
  }

  #add(point: number, index: number): void {
    const added = this.#newState(index + 1, index);
    let state = this.#last;
    while (state !== NONE && this.#edgeOf(state, point) === NONE) {
      this.#connect(state, point, added);
      state = this.#link[state] ?? NONE;
    }
    this.#link[added] = state === NONE ? 0 : this.#stateFor(state, point);
    this.#last = added;
  }

  /** The state that `point` leads to from `state`, split off when it holds longer runs too. */
  #stateFor(state: number, point: number): number {
    const target = this.#target[this.#edgeOf(state, point)] ?? 0;
    const longest = (this.#longest[state] ?? 0) + 1;
    if (this.#longest[target] === longest) return target;
    const split = this.#newState(longest, this.#end[target] ?? 0);
    for (let e = this.#edges[target] ?? NONE; e !== NONE; e = this.#next[e] ?? NONE) {
      this.#connect(split, this.#point[e] ?? 0, this.#target[e] ?? 0);
    }
    this.#link[split] = this.#link[target] ?? NONE;
    this.#link[target] = split;
    this.#redirect(state, point, { from: target, to: split });
    return split;
  }

  #redirect(
    first: number,
    point: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    for (let state = first; state !== NONE; state = this.#link[state] ?? NONE) {
      const edge = this.#edgeOf(state, point);
      if (this.#target[edge] !== from) return;
      this.#target[edge] = to;
    }
  }

  /** The longest common run: of equal ones the first in `points`, then the first in the text. */
  longestIn(points: Uint32Array): CommonRun {
    let best: CommonRun = { from: 0, at: 0, length: 0 };
    let state = 0;
    let length = 0;
    for (let i = 0; i < points.length; i++) {
      const point = points[i] ?? 0;
      let edge = this.#edgeOf(state, point);
      while (edge === NONE && state !== 0) {
        state = this.#link[state] ?? 0;
        length = this.#longest[state] ?? 0;
        edge = this.#edgeOf(state, point);
      }
      if (edge === NONE) continue;
      state = this.#target[edge] ?? 0;
      length++;
      if (length > best.length) {
        const at = (this.#end[state] ?? 0) - length + 1;
        best = { from: i - length + 1, at, length };
      }
    }
    return best;
  }
}

// Similarity of texts: the share of them that stands in their longest common blocks, found
// recursively (Ratcliff and Obershelp, 1988). Gives what SequenceMatcher of Python's difflib gives
// without its guess of junk, in less time: the blocks are found with a suffix automaton.

/** Points that bounds, or preparing a text, process at the cost of one point of common blocks. */
const BOUND_COST = 16;
const READY_COST = 8;

/** Code points after it take two units of a text. */
const LAST_SHORT = 0xffff;

/** A text made ready to be compared often. */
export interface ComparedText {
  readonly points: Uint32Array;
  /** The points of the text, and hashes of three in a row, sorted. */
  readonly singles: Uint32Array;
  readonly triples: Uint32Array;
}

/** Bounds the work of many comparisons: code points that may still be read. */
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

/** Number of values that two sorted lists share, each as often as in both. */
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

const automaton = new SuffixAutomaton(LIMITS.similarChars);

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
 * Number of points in the common blocks; undefined once it is sure that they are fewer than
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
    automaton.load(b.subarray(bFrom, bTo));
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
 * Similarity of two texts, 0 to 1: 2M / T, where M are the code points in the longest common
 * blocks, found recursively, and T those of both texts. Of longer texts the first
 * LIMITS.similarChars count. Two empty texts are the same.
 */
export function similarity(a: string, b: string): number {
  return similarityFrom(0, comparedText(a), comparedText(b), { left: Infinity }) ?? 0;
}
