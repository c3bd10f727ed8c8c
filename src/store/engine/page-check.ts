// A check of a data file's own pages, without LMDB. LMDB trusts them: a page beyond the end of the
// file, or one that is younger than the file says, ends the process; keys out of order hide records
// from a lookup; and a free list that names a page in use lets the next writes destroy it. So the
// pages are checked before LMDB opens the file.
//
// Every page is in use once or free once. Damage is collected, never thrown, and nothing in the
// file makes the check loop: each page is visited once, and below the depth that its tree states.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  DATABASE_BYTES,
  DEPTH_MAX,
  FIRST_PAGE,
  HEADER_BYTES,
  type Meta,
  NODE,
  NODE_BYTES,
  OVERFLOW_BYTES,
  overflowPages,
  PAGE,
  readMetas,
  readTree,
  type Tree,
  type TreeKind,
} from "./page-format.ts";
import { type Problem, Problems } from "./problems.ts";

/** Options for checking the pages of a file. */
export interface PageCheckOptions {
  /**
   * The state to check, which a reader keeps from being written over. Default: the newest one of a
   * file that nobody writes.
   */
  readonly meta?: Meta;
  /**
   * `top` leaves out the leaves of tables, which are most of a file. Their places are known from
   * the pages above, so they are compared with the free list; what is in them is not looked at.
   * Default: `all`.
   */
  readonly pages?: "top" | "all";
  /** Is asked before each page; ends the check when it says so. Default: never. */
  readonly isOver?: () => boolean;
}

/** Findings of a check of pages. */
export interface PageReport {
  readonly problems: readonly Problem[];
  /**
   * Pages that are neither in use nor free. They are wasted and hide no damage: LMDB itself can
   * lose the pages of a large value that is written and removed in one transaction.
   */
  readonly lost: Problem | undefined;
  /** Everything was looked at. */
  readonly isWhole: boolean;
  /** Number of pages that were looked at. */
  readonly pageCount: number;
  /** The state that was checked; undefined when the headers are damaged. */
  readonly meta: Meta | undefined;
}

/** Checks the pages of a data file. Throws only when the file cannot be opened. */
export function checkPages(path: string, options: PageCheckOptions = {}): PageReport {
  const file = openSync(path, "r");
  try {
    const problems = new Problems();
    const meta = options.meta ?? findMeta(file, problems);
    if (meta === undefined) {
      return { problems: problems.list(), lost: undefined, isWhole: true, pageCount: 0, meta };
    }
    const filePages = Math.floor(fstatSync(file).size / meta.pageBytes);
    const check = new PageCheck({ ...options, file, meta, filePages, problems });
    return { ...check.run(), problems: problems.list(), meta };
  } finally {
    closeSync(file);
  }
}

const HEADER = "the header of the data file is damaged";
const DAMAGED = "a page is damaged";
const LEADS_ASTRAY = "a page leads astray";
const TWICE = "a page is used twice";
const FREE_IN_USE = "a page in use is listed as free";
const FREE_LIST = "the list of free pages is damaged";
const LOST = "pages are neither in use nor free";
const COUNTS = "the counts of a table are wrong";

const UNSEEN = 0;
const USED = 1;
const FREE = 2;

/** Reads both headers, and gives the newer one if they are sound and belong together. */
function findMeta(file: number, problems: Problems): Meta | undefined {
  const metas = readable(() => readMetas(file));
  if (typeof metas === "string") {
    problems.add(HEADER, metas);
    return undefined;
  }
  const [first, second] = metas.map(({ transaction }) => Number(transaction));
  const apart = Math.abs((first ?? 0) - (second ?? 0));
  const isPair = apart === 1 || (apart === 0 && first === 0);
  problems.check(isPair, HEADER, "pages 0 and 1: transactions");
  return (second ?? 0) > (first ?? 0) ? metas[1] : metas[0];
}

/** A disk that cannot read gives a finding as well. */
function readable<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** A tree that is being walked. */
interface Walked {
  readonly kind: TreeKind;
  readonly name: string;
  readonly found: { branches: number; leaves: number; overflow: number; entries: number };
}

/** Limits that the page above sets. */
interface Bounds {
  /** Its transaction: a change below a page changes the page as well. */
  readonly newest: number;
  /** The keys: from `low` on, and below `high`. */
  readonly low?: Buffer | undefined;
  readonly high?: Buffer | undefined;
}

interface PageCheckParts extends PageCheckOptions {
  readonly file: number;
  readonly meta: Meta;
  readonly filePages: number;
  readonly problems: Problems;
}

class PageCheck {
  readonly #file: number;
  readonly #meta: Meta;
  readonly #filePages: number;
  readonly #problems: Problems;
  readonly #isTop: boolean;
  readonly #isOver: () => boolean;
  /** For each page in the file whether a tree led to it, or it is free. */
  readonly #state: Uint8Array;
  /** A page of each depth: those above stay in memory while those below are checked. */
  readonly #buffers = new Map<string, Buffer>();
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** The check in which a node of a page began at a place. */
  readonly #begins: Uint32Array;
  #pageCount = 0;
  #freeBeyond = 0;
  #hasEnded = false;

  constructor(parts: PageCheckParts) {
    this.#file = parts.file;
    this.#meta = parts.meta;
    this.#filePages = Math.min(parts.filePages, parts.meta.usedPages);
    this.#problems = parts.problems;
    this.#isTop = parts.pages === "top";
    this.#isOver = parts.isOver ?? (() => false);
    this.#state = new Uint8Array(this.#filePages);
    this.#begins = new Uint32Array(parts.meta.pageBytes);
  }

  run(): Pick<PageReport, "lost" | "isWhole" | "pageCount"> {
    const newest = Number(this.#meta.transaction);
    this.#tree("free pages", this.#meta.freePages, newest);
    this.#tree("tables", this.#meta.tables, newest);
    const isWhole = !this.#isTop && !this.#hasEnded;
    // Pages below a damaged one would count as lost.
    const lost = isWhole && this.#problems.count === 0 ? this.#lost() : undefined;
    return { lost, isWhole, pageCount: this.#pageCount };
  }

  #tree(name: string, tree: Tree, newest: number): void {
    const { kind } = tree;
    const walked = { kind, name, found: { branches: 0, leaves: 0, overflow: 0, entries: 0 } };
    const before = this.#problems.count;
    if (tree.root === undefined) {
      this.#problems.check(tree.depth === 0, COUNTS, `${name}: depth`);
    } else if (tree.depth < 1 || tree.depth > DEPTH_MAX) {
      this.#problems.add(COUNTS, `${name}: depth`);
    } else {
      this.#page(walked, tree.root, tree.depth, { newest });
    }
    if (this.#hasEnded || this.#problems.count > before) return;
    for (const count of ["branches", "leaves", "overflow", "entries"] as const) {
      if (count !== "branches" && this.#isTop && kind === "records") continue;
      this.#problems.check(walked.found[count] === tree[count], COUNTS, `${name}: ${count}`);
    }
  }

  /** Checks a page and those below it. */
  #page(tree: Walked, pageNo: number, depth: number, bounds: Bounds): void {
    this.#hasEnded ||= this.#isOver();
    if (this.#hasEnded || !this.#use(pageNo, 1)) return;
    if (depth === 1 && this.#isTop && tree.kind === "records") return;
    const bytes = this.#bufferOf(tree.kind, depth);
    this.#pageCount++;
    const isBranch = depth > 1;
    const fault =
      this.#read(bytes, pageNo * bytes.length) ??
      headerFault(bytes, { pageNo, kind: isBranch ? PAGE.branch : PAGE.leaf, ...bounds }) ??
      this.#nodesFault(bytes, isBranch) ??
      keysFault(bytes, { isBranch, isNumber: tree.kind === "free pages", ...bounds });
    if (fault !== undefined) {
      this.#problems.add(DAMAGED, `page ${pageNo}: ${fault}`);
    } else if (isBranch) {
      tree.found.branches++;
      this.#children(tree, bytes, depth, bounds);
    } else {
      tree.found.leaves++;
      tree.found.entries += nodeCount(bytes);
      for (let i = 0; i < nodeCount(bytes); i++) {
        this.#leafNode(tree, bytes, nodeAt(bytes, i), pageNo);
      }
    }
  }

  #children(tree: Walked, bytes: Buffer, depth: number, bounds: Bounds): void {
    const count = nodeCount(bytes);
    const newest = transactionOf(bytes);
    // The first key of a branch stands for everything from its lower bound on.
    let { low } = bounds;
    for (let i = 0; i < count; i++) {
      const high = i + 1 < count ? keyAt(bytes, nodeAt(bytes, i + 1)) : bounds.high;
      this.#page(tree, childAt(bytes, nodeAt(bytes, i)), depth - 1, { newest, low, high });
      low = high;
    }
  }

  #leafNode(tree: Walked, bytes: Buffer, node: number, pageNo: number): void {
    const flags = u16(bytes, node + 4);
    const value = node + NODE_BYTES + u16(bytes, node + 6);
    const size = u32(bytes, node);
    if (flags === NODE.bigData) {
      this.#largeValue(tree, bytes, value, size);
    } else if (tree.kind === "free pages") {
      this.#freeList(bytes.subarray(value, value + size), pageNo);
    } else if (tree.kind === "tables" && flags === NODE.subDatabase) {
      const name = keyAt(bytes, node).toString("latin1").replaceAll(/\W/g, "");
      const table = size === DATABASE_BYTES ? readTree(bytes, value, "records") : undefined;
      if (table?.flags === 0) this.#tree(name, table, transactionOf(bytes));
      else this.#problems.add(DAMAGED, `page ${pageNo}: record of a table`);
    } else if (flags !== 0) {
      this.#problems.add(DAMAGED, `page ${pageNo}: kind of a node`);
    }
  }

  /** Checks the pages of a large value, which its node names. */
  #largeValue(tree: Walked, leaf: Buffer, value: number, size: number): void {
    const { pageBytes, usedPages } = this.#meta;
    const first = u64(leaf, value);
    const count = u64(leaf, value + 16);
    tree.found.overflow += count;
    if (!this.#use(first, count)) return;
    this.#pageCount++;
    const header = this.#header;
    const newest = transactionOf(leaf);
    const fault =
      this.#read(header, first * pageBytes) ??
      headerFault(header, { pageNo: first, kind: PAGE.overflow, newest });
    // A value that was replaced by a smaller one in the same transaction keeps its pages.
    const isSound =
      transactionOf(header) === u64(leaf, value + 8) &&
      u32(header, 20) === count &&
      count >= overflowPages(size, pageBytes);
    if (fault !== undefined || !isSound) {
      this.#problems.add(DAMAGED, `page ${first}: ${fault ?? "large value"}`);
    } else if (tree.kind === "free pages") {
      // A list that names each page once is not longer than this.
      const list = Buffer.alloc(Math.min(size, 16 * (usedPages + 1)));
      const unread = this.#read(list, first * pageBytes + HEADER_BYTES);
      if (unread === undefined) this.#freeList(list, first);
      else this.#problems.add(DAMAGED, `page ${first}: ${unread}`);
    }
  }

  /** A record of the free list: a count, and this many numbers. */
  #freeList(list: Buffer, pageNo: number): void {
    const count = list.length < 8 ? Number.POSITIVE_INFINITY : u64(list, 0);
    if ((count + 1) * 8 > list.length) {
      this.#problems.add(FREE_LIST, `page ${pageNo}: length`);
      return;
    }
    // A number below zero is the length of the block that begins at the next one; 0 is an empty
    // place.
    let length = 1;
    for (let i = 1; i <= count; i++) {
      const number = i64(list, i * 8);
      if (number < 0 && length === 1) {
        length = -number;
      } else if (number > 0) {
        this.#free(number, length);
        length = 1;
      } else if (length > 1 || number < 0) {
        this.#problems.add(FREE_LIST, `page ${pageNo}: block`);
        return;
      }
    }
    this.#problems.check(length === 1, FREE_LIST, `page ${pageNo}: block`);
  }

  #free(first: number, count: number): void {
    const end = first + count;
    if (first < FIRST_PAGE || end > this.#meta.usedPages) {
      this.#problems.add(FREE_LIST, `page ${first} is listed, which the file does not have`);
      return;
    }
    this.#freeBeyond += Math.max(0, end - Math.max(first, this.#filePages));
    this.#mark(first, Math.min(end, this.#filePages), FREE);
  }

  /** Notes pages that a tree leads to; false, and a problem, when they cannot be its own. */
  #use(first: number, count: number): boolean {
    const end = first + count;
    if (!(first >= FIRST_PAGE && count >= 1 && end <= this.#filePages)) {
      this.#problems.add(LEADS_ASTRAY, `to page ${first}, which the file does not have`);
      return false;
    }
    return this.#mark(first, end, USED);
  }

  // Stops at the first page that has a place already: blocks that overlap cost no more than others.
  #mark(first: number, end: number, state: typeof USED | typeof FREE): boolean {
    for (let pageNo = first; pageNo < end; pageNo++) {
      const before = this.#state[pageNo];
      if (before !== UNSEEN) {
        const both = state === USED ? TWICE : FREE_LIST;
        const kind = before === state ? both : FREE_IN_USE;
        this.#problems.add(kind, kind === FREE_LIST ? `page ${pageNo}: twice` : `page ${pageNo}`);
        return false;
      }
      this.#state[pageNo] = state;
    }
    return true;
  }

  #lost(): Problem | undefined {
    const lost = new Problems();
    let from = this.#state.indexOf(UNSEEN, FIRST_PAGE);
    while (from !== -1) {
      let to = from;
      while (this.#state[to + 1] === UNSEEN) to++;
      lost.add(LOST, from === to ? `page ${from}` : `pages ${from} to ${to}`);
      from = this.#state.indexOf(UNSEEN, to + 1);
    }
    // The file may end before pages that were freed before they were ever written.
    const isFree = this.#freeBeyond === this.#meta.usedPages - this.#filePages;
    lost.check(isFree, LOST, `pages behind ${this.#filePages - 1}`);
    return lost.list()[0];
  }

  /** The nodes of a page lie behind each other, and fill its end. */
  #nodesFault(bytes: Buffer, isBranch: boolean): string | undefined {
    const room = bytes.length - HEADER_BYTES;
    const upper = u16(bytes, 22);
    if (u16(bytes, 20) > upper || upper > room || u16(bytes, 20) % 2 !== 0) return "free space";
    if (isBranch && nodeCount(bytes) === 0) return "free space";
    const mark = this.#pageCount;
    let filled = 0;
    for (let i = 0; i < nodeCount(bytes); i++) {
      const node = nodeAt(bytes, i);
      if (node < upper + HEADER_BYTES || node + NODE_BYTES > bytes.length) return "place of a node";
      const size = nodeBytes(bytes, node, isBranch);
      if (node + size > bytes.length) return "size of a node";
      this.#begins[node] = mark;
      filled += size;
    }
    for (let i = 0; i < nodeCount(bytes); i++) {
      const node = nodeAt(bytes, i);
      const next = node + nodeBytes(bytes, node, isBranch);
      if (next < bytes.length && this.#begins[next] !== mark) return "size of a node";
    }
    return filled === room - upper ? undefined : "place of a node";
  }

  /** Fills a buffer from a place of the file; gives what went wrong. */
  #read(target: Buffer, position: number): string | undefined {
    const read = readable(() => readSync(this.#file, target, 0, target.length, position));
    if (typeof read === "string") return read;
    return read === target.length ? undefined : "beyond the end of the file";
  }

  #bufferOf(kind: TreeKind, depth: number): Buffer {
    const place = `${kind} ${depth}`;
    const buffer = this.#buffers.get(place) ?? Buffer.alloc(this.#meta.pageBytes);
    this.#buffers.set(place, buffer);
    return buffer;
  }
}

// Numbers above 2 ** 53 are rounded. No sound file holds one, and none turns into a sound one.
const u16 = (bytes: Buffer, at: number): number =>
  (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
const u32 = (bytes: Buffer, at: number): number =>
  (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
const u64 = (bytes: Buffer, at: number): number => u32(bytes, at) + u32(bytes, at + 4) * 2 ** 32;
/** A number below zero, too. */
const i64 = (bytes: Buffer, at: number): number =>
  u32(bytes, at) + (u32(bytes, at + 4) | 0) * 2 ** 32;

const transactionOf = (bytes: Buffer): number => u64(bytes, 8);
const nodeCount = (bytes: Buffer): number => u16(bytes, 20) / 2;
const nodeAt = (bytes: Buffer, i: number): number =>
  HEADER_BYTES + u16(bytes, HEADER_BYTES + 2 * i);
const keyEnd = (bytes: Buffer, node: number): number => node + NODE_BYTES + u16(bytes, node + 6);
const keyAt = (bytes: Buffer, node: number): Buffer =>
  bytes.subarray(node + NODE_BYTES, keyEnd(bytes, node));
const childAt = (bytes: Buffer, node: number): number =>
  u32(bytes, node) + u16(bytes, node + 4) * 2 ** 32;

/** The size of a node, rounded up to two bytes. */
function nodeBytes(bytes: Buffer, node: number, isBranch: boolean): number {
  const isLarge = !isBranch && u16(bytes, node + 4) === NODE.bigData;
  const value = isBranch ? 0 : isLarge ? OVERFLOW_BYTES : u32(bytes, node);
  const size = NODE_BYTES + u16(bytes, node + 6) + value;
  return size + (size % 2);
}

function headerFault(
  bytes: Buffer,
  page: { readonly pageNo: number; readonly kind: number; readonly newest: number },
): string | undefined {
  if (u64(bytes, 0) !== page.pageNo) return "page number";
  if (transactionOf(bytes) > page.newest) return "transaction";
  return u16(bytes, 18) === page.kind ? undefined : "kind of page";
}

/** The keys of a page rise, and lie within its bounds. */
function keysFault(
  bytes: Buffer,
  page: Bounds & { readonly isBranch: boolean; readonly isNumber: boolean },
): string | undefined {
  const { low, high, isBranch, isNumber } = page;
  const compare = isNumber ? compareNumbers : compareBytes;
  let before = low;
  for (let i = isBranch ? 1 : 0; i < nodeCount(bytes); i++) {
    const key = keyAt(bytes, nodeAt(bytes, i));
    if (key.length === 0 || (isNumber && key.length !== 8)) return "size of a key";
    const order = before === undefined ? -1 : compare(before, key);
    if (order > 0 || (order === 0 && before !== low)) return "order of keys";
    before = key;
  }
  const isBelow = before === undefined || high === undefined || compare(before, high) < 0;
  return isBelow ? undefined : "order of keys";
}

const compareBytes = Buffer.compare;
const compareNumbers = (a: Buffer, b: Buffer): number => u64(a, 0) - u64(b, 0);
