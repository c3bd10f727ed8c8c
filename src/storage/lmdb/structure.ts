// A look at the structure of a data file without LMDB. LMDB trusts its pages: a page that lies
// beyond the end of the file, or that is not what the page above it says, ends the whole process;
// keys out of order hide records from a lookup; and a free list that names a page in use lets the
// next writes destroy what is in it. So before the file is opened its trees are walked here. It is
// the layout of LMDB's data version 2 on a 64-bit little-endian machine: pages with a header of 24
// bytes, then the offsets of the nodes (counted from the end of the header), and the nodes at the
// end of the page.
//
// In a large file only the pages above the leaves and the free list are walked, which are few; the
// leaves are then only known to lie inside the file. The records in them have checksums of their
// own.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const META_BYTES = 136;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const BIG_DATA = 1;
const SUB_DATABASE = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
// Behind the two pages of the header.
const FIRST_PAGE = 2;
const DEPTH_MAX = 32;
const DATABASE_BYTES = 48;
// Up to this size every page is looked at.
const WHOLE_BYTES_MAX = 67_108_864;

/** What is wrong with a file; undefined when nothing was found. */
export type StructureFault = string | undefined;

/**
 * Walks the trees of a data file. `isWhole` looks at every page; default: when the file is small.
 */
export function checkStructure(path: string, isWhole?: boolean): StructureFault {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size === 0) {
      // The process was killed before LMDB wrote the first page; it does so at the next start.
      return undefined;
    }
    const meta = readMeta(file);
    if (typeof meta === "string") {
      return meta;
    }
    const whole = isWhole ?? size <= WHOLE_BYTES_MAX;
    new Walk(file, meta, Math.floor(size / meta.pageBytes), whole).run();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) {
      return error.message;
    }
    throw error;
  } finally {
    closeSync(file);
  }
}

class Fault extends Error {}

/** The content of a tree's leaves. */
type TreeKind = "free pages" | "tables" | "records";

interface Tree {
  readonly kind: TreeKind;
  readonly root: number | undefined;
  readonly depth: number;
  /** How many records it says it has. */
  readonly entries: number;
}

interface Meta {
  readonly pageBytes: number;
  /** The last transaction. No page is younger. */
  readonly transaction: bigint;
  /** The pages that were ever in use; none beyond them is. */
  readonly usedPages: number;
  readonly freePages: Tree;
  readonly tables: Tree;
}

function readMeta(file: number): Meta | string {
  const first = metaAt(file, 0);
  if (first === undefined) {
    return "the header is damaged";
  }
  const second = metaAt(file, first.pageBytes);
  if (second === undefined || second.pageBytes !== first.pageBytes) {
    return "the header is damaged";
  }
  return second.transaction > first.transaction ? second : first;
}

function metaAt(file: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, offset + HEADER_BYTES) !== META_BYTES) {
    return undefined;
  }
  const pageBytes = bytes.readUInt32LE(24);
  const isKnown =
    bytes.readUInt32LE(0) === MAGIC && (bytes.readUInt32LE(4) & 0xffff) === DATA_VERSION;
  if (!isKnown || pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) {
    return undefined;
  }
  return {
    pageBytes,
    freePages: readTree(bytes, 24, "free pages"),
    tables: readTree(bytes, 24 + DATABASE_BYTES, "tables"),
    usedPages: Number(bytes.readBigUInt64LE(120)) + 1,
    transaction: bytes.readBigUInt64LE(128),
  };
}

function readTree(bytes: Buffer, offset: number, kind: TreeKind): Tree {
  const root = bytes.readBigUInt64LE(offset + 40);
  return {
    kind,
    depth: bytes.readUInt16LE(offset + 6),
    entries: Number(bytes.readBigUInt64LE(offset + 32)),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}

/** The keys that may lie below a page: from `low` on, and below `high`. */
interface Bounds {
  readonly low?: Buffer | undefined;
  readonly high?: Buffer | undefined;
}

class Walk {
  private readonly file: number;
  private readonly meta: Meta;
  private readonly pages: number;
  private readonly isWhole: boolean;
  /** 1 for each page that a tree has led to or that is free. */
  private readonly seen: Uint8Array;
  /** The lists of free pages that were met. */
  private readonly lists: Buffer[] = [];

  constructor(file: number, meta: Meta, filePages: number, isWhole: boolean) {
    this.file = file;
    this.meta = meta;
    this.pages = Math.min(filePages, meta.usedPages);
    this.isWhole = isWhole;
    this.seen = new Uint8Array(this.pages);
  }

  run(): void {
    this.tree(this.meta.tables);
    this.tree(this.meta.freePages);
    for (const list of this.lists) {
      this.freeList(list);
    }
    // Every page is in a tree or free; a large value is not walked in a large file.
    const isLost = this.isWhole && this.seen.indexOf(0, FIRST_PAGE) !== -1;
    this.must(!isLost, undefined);
  }

  private tree(tree: Tree): void {
    if (tree.root === undefined) {
      return;
    }
    this.must(tree.depth > 0 && tree.depth <= DEPTH_MAX, tree.root);
    const found = this.page(tree, tree.root, tree.depth, {});
    this.must(found === undefined || found === tree.entries, tree.root);
  }

  /** Walks a page and what is below it; gives its number of records if leaves are looked at. */
  private page(tree: Tree, pageNo: number, depth: number, bounds: Bounds): number | undefined {
    this.see(pageNo, pageNo);
    if (depth === 1 && !this.isWhole && tree.kind === "records") {
      return undefined;
    }
    const { pageBytes } = this.meta;
    const bytes = this.read(pageNo, pageBytes);
    const isBranch = depth > 1;
    this.header(bytes, pageNo, isBranch ? BRANCH : LEAF);
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const room = pageBytes - HEADER_BYTES;
    this.must(lower <= upper && upper <= room && lower % 2 === 0, pageNo);
    const nodes: Buffer[] = [];
    for (let i = 0; i < lower; i += 2) {
      const offset = bytes.readUInt16LE(HEADER_BYTES + i);
      this.must(offset >= upper && offset + NODE_BYTES <= room, pageNo);
      nodes.push(bytes.subarray(HEADER_BYTES + offset));
    }
    // The first key of a branch stands for everything from its lower bound on and is not compared.
    const keys = nodes.map((node, i) => {
      const length = node.readUInt16LE(6);
      this.must(NODE_BYTES + length <= node.length, pageNo);
      return isBranch && i === 0 ? bounds.low : node.subarray(NODE_BYTES, NODE_BYTES + length);
    });
    this.order(tree.kind, keys, bounds, pageNo);
    if (!isBranch) {
      for (const node of nodes) {
        this.leafNode(tree, node, pageNo);
      }
      return nodes.length;
    }
    this.must(nodes.length > 0, pageNo);
    let records: number | undefined = 0;
    for (const [i, node] of nodes.entries()) {
      const child = node.readUInt32LE(0) + node.readUInt16LE(4) * 4_294_967_296;
      const below = { low: keys[i], high: keys[i + 1] ?? bounds.high };
      const found = this.page(tree, child, depth - 1, below);
      records = found === undefined || records === undefined ? undefined : records + found;
    }
    return records;
  }

  private order(
    kind: TreeKind,
    keys: readonly (Buffer | undefined)[],
    { low, high }: Bounds,
    pageNo: number,
  ): void {
    const compare = kind === "free pages" ? compareNumbers : Buffer.compare;
    const isNumber = (key: Buffer | undefined) => key === undefined || key.length === 8;
    this.must(kind !== "free pages" || keys.every(isNumber), pageNo);
    let before: Buffer | undefined;
    for (const key of keys) {
      if (key !== undefined) {
        this.must(before === undefined || compare(before, key) < 0, pageNo);
        this.must(low === undefined || compare(low, key) <= 0, pageNo);
        this.must(high === undefined || compare(key, high) < 0, pageNo);
        before = key;
      }
    }
  }

  private leafNode(tree: Tree, node: Buffer, pageNo: number): void {
    const flags = node.readUInt16LE(4);
    const start = NODE_BYTES + node.readUInt16LE(6);
    const size = node.readUInt32LE(0);
    if ((flags & BIG_DATA) !== 0) {
      this.must(start + 8 <= node.length, pageNo);
      const first = this.overflow(Number(node.readBigUInt64LE(start)), size, pageNo);
      if (tree.kind === "free pages") {
        this.lists.push(this.read(first, HEADER_BYTES + size).subarray(HEADER_BYTES));
      }
      return;
    }
    this.must(start + size <= node.length, pageNo);
    if (tree.kind === "free pages") {
      this.lists.push(node.subarray(start, start + size));
    }
    if (tree.kind === "tables" && (flags & SUB_DATABASE) !== 0) {
      this.must(size === DATABASE_BYTES, pageNo);
      this.tree(readTree(node, start, "records"));
    }
  }

  /** Checks the pages of a large value; gives the first of them. */
  private overflow(first: number, size: number, from: number): number {
    const count = Math.ceil((size + HEADER_BYTES) / this.meta.pageBytes);
    this.must(Number.isSafeInteger(first), from);
    for (let pageNo = first; pageNo < first + count; pageNo++) {
      this.see(pageNo, from);
    }
    const header = this.read(first, HEADER_BYTES);
    this.header(header, first, OVERFLOW);
    this.must(header.readUInt32LE(20) === count, first);
    return first;
  }

  /**
   * A list of free pages: their count, then page numbers. A negative number is the length of the
   * block of pages that begins at the number behind it; 0 is an empty place.
   */
  private freeList(list: Buffer): void {
    const at = (i: number) => Number(list.readBigInt64LE(i * 8));
    this.must(list.length >= 8 && at(0) >= 0 && (at(0) + 1) * 8 <= list.length, undefined);
    let length = 1;
    for (let i = 1; i <= at(0); i++) {
      const number = at(i);
      if (number < 0) {
        length = -number;
      } else if (number > 0) {
        this.must(number + length <= this.meta.usedPages, undefined);
        for (let pageNo = number; pageNo < Math.min(number + length, this.pages); pageNo++) {
          this.see(pageNo, undefined);
        }
        length = 1;
      }
    }
  }

  private header(bytes: Buffer, pageNo: number, kind: number): void {
    this.must(Number(bytes.readBigUInt64LE(0)) === pageNo, pageNo);
    this.must(bytes.readBigUInt64LE(8) <= this.meta.transaction, pageNo);
    this.must((bytes.readUInt16LE(18) & (BRANCH | LEAF | OVERFLOW)) === kind, pageNo);
  }

  private see(pageNo: number, from: number | undefined): void {
    this.must(pageNo >= FIRST_PAGE && pageNo < this.pages && this.seen[pageNo] === 0, from);
    this.seen[pageNo] = 1;
  }

  private read(pageNo: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const read = readSync(this.file, bytes, 0, length, pageNo * this.meta.pageBytes);
    this.must(read === length, pageNo);
    return bytes;
  }

  private must(holds: boolean, pageNo: number | undefined): void {
    if (!holds) {
      const what = pageNo === undefined ? "the list of free pages" : `page ${pageNo}`;
      throw new Fault(`${what} is damaged or missing`);
    }
  }
}

function compareNumbers(a: Buffer, b: Buffer): number {
  const difference = a.readBigUInt64LE(0) - b.readBigUInt64LE(0);
  return difference < 0n ? -1 : Number(difference > 0n);
}
