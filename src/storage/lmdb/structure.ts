// A look at the structure of a data file without LMDB. LMDB trusts its pages: a page that lies
// beyond the end of the file, or that is not what the page above it says, ends the whole process.
// So before the file is opened its trees are walked here. It is the layout of LMDB's data version 2
// on a 64-bit little-endian machine: pages with a header of 24 bytes, then the offsets of the nodes
// (counted from the end of the header), and the nodes at the end of the page.
//
// In a large file only the pages above the leaves are walked, which are few; the leaves are then
// only known to lie inside the file. The records in them have checksums of their own.

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
    const walk = new Walk(file, meta.pageBytes, size, isWhole ?? size <= WHOLE_BYTES_MAX);
    for (const tree of meta.trees) {
      walk.tree(tree);
    }
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

interface Tree {
  readonly root: number | undefined;
  readonly depth: number;
  /** Its leaves hold other trees. */
  readonly isMain: boolean;
}

interface Meta {
  readonly pageBytes: number;
  readonly transaction: bigint;
  readonly trees: readonly Tree[];
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
  const trees = [readTree(bytes, 24, false), readTree(bytes, 24 + DATABASE_BYTES, true)];
  return { pageBytes, transaction: bytes.readBigUInt64LE(128), trees };
}

function readTree(bytes: Buffer, offset: number, isMain: boolean): Tree {
  const root = bytes.readBigUInt64LE(offset + 40);
  return {
    root: root === NO_PAGE ? undefined : Number(root),
    depth: bytes.readUInt16LE(offset + 6),
    isMain,
  };
}

class Walk {
  private readonly file: number;
  private readonly pageBytes: number;
  private readonly pages: number;
  private readonly isWhole: boolean;

  constructor(file: number, pageBytes: number, size: number, isWhole: boolean) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.pages = Math.floor(size / pageBytes);
    this.isWhole = isWhole;
  }

  tree(tree: Tree): void {
    if (tree.root === undefined) {
      return;
    }
    this.must(tree.depth > 0 && tree.depth <= DEPTH_MAX, tree.root);
    this.page(tree.root, tree.depth, tree.isMain);
  }

  private page(pageNo: number, depth: number, isMain: boolean): void {
    this.must(pageNo >= 2 && pageNo < this.pages, pageNo);
    if (depth === 1 && !this.isWhole && !isMain) {
      return;
    }
    const bytes = Buffer.allocUnsafe(this.pageBytes);
    readSync(this.file, bytes, 0, this.pageBytes, pageNo * this.pageBytes);
    const isBranch = depth > 1;
    const flags = bytes.readUInt16LE(18);
    this.must(Number(bytes.readBigUInt64LE(0)) === pageNo, pageNo);
    this.must((flags & (BRANCH | LEAF | OVERFLOW)) === (isBranch ? BRANCH : LEAF), pageNo);
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const room = this.pageBytes - HEADER_BYTES;
    this.must(lower <= upper && upper <= room && lower % 2 === 0, pageNo);
    for (let i = 0; i < lower; i += 2) {
      const offset = bytes.readUInt16LE(HEADER_BYTES + i);
      this.must(offset >= upper && offset + NODE_BYTES <= room, pageNo);
      const node = bytes.subarray(HEADER_BYTES + offset);
      if (isBranch) {
        this.must(NODE_BYTES + node.readUInt16LE(6) <= node.length, pageNo);
        const child = node.readUInt32LE(0) + node.readUInt16LE(4) * 4_294_967_296;
        this.page(child, depth - 1, isMain);
      } else {
        this.leafNode(node, pageNo, isMain);
      }
    }
  }

  private leafNode(node: Buffer, pageNo: number, isMain: boolean): void {
    const flags = node.readUInt16LE(4);
    const start = NODE_BYTES + node.readUInt16LE(6);
    const size = node.readUInt32LE(0);
    if ((flags & BIG_DATA) !== 0) {
      this.must(start + 8 <= node.length, pageNo);
      this.overflow(Number(node.readBigUInt64LE(start)), size, pageNo);
      return;
    }
    this.must(start + size <= node.length, pageNo);
    if (isMain && (flags & SUB_DATABASE) !== 0) {
      this.must(size === DATABASE_BYTES, pageNo);
      this.tree(readTree(node, start, false));
    }
  }

  private overflow(first: number, size: number, from: number): void {
    const count = Math.ceil((size + HEADER_BYTES) / this.pageBytes);
    this.must(first >= 2 && first + count <= this.pages, from);
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(this.file, header, 0, HEADER_BYTES, first * this.pageBytes);
    const isOverflow = (header.readUInt16LE(18) & OVERFLOW) !== 0;
    this.must(isOverflow && Number(header.readBigUInt64LE(0)) === first, first);
  }

  private must(holds: boolean, pageNo: number): void {
    if (!holds) {
      throw new Fault(`page ${pageNo} is damaged or missing`);
    }
  }
}
