// A suffix automaton: knows every run of code points that stands in a text, and where each of them
// first ends. Built and asked in time that grows with the texts alone (Blumer and others, 1985).

const NONE = -1;

/** A run of points that two texts share. */
interface CommonRun {
  /** Where it begins in the text that was asked about, and in that of the automaton. */
  readonly from: number;
  readonly at: number;
  readonly length: number;
}

/** The arrays of an automaton. Another one may have them after it: to make them costs more. */
export class AutomatonRoom {
  readonly longest: Int32Array;
  readonly link: Int32Array;
  readonly end: Int32Array;
  readonly edges: Int32Array;
  readonly point: Int32Array;
  readonly target: Int32Array;
  readonly next: Int32Array;

  /** @param points - As many points as a text may have. */
  constructor(points: number) {
    const states = 2 * points + 1;
    const edges = 3 * points + 1;
    this.longest = new Int32Array(states);
    this.link = new Int32Array(states);
    this.end = new Int32Array(states);
    this.edges = new Int32Array(states);
    this.point = new Int32Array(edges);
    this.target = new Int32Array(edges);
    this.next = new Int32Array(edges);
  }
}

export class SuffixAutomaton {
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

  /** @param room - For this one alone, until nobody asks it any more. */
  constructor(points: Uint32Array, room: AutomatonRoom) {
    this.#longest = room.longest;
    this.#link = room.link;
    this.#end = room.end;
    this.#edges = room.edges;
    this.#point = room.point;
    this.#target = room.target;
    this.#next = room.next;
    const states = 2 * points.length + 1;
    this.#longest[0] = 0;
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
