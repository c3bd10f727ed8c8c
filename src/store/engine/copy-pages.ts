// A copy of one transaction's pages, as a data file of its own. Pages that are free are left out
// and the others are numbered anew, so the copy has no gaps. Unused room inside a page is zeros in
// the copy, and the keys of inner pages are rebuilt: LMDB keeps the key between two pages when the
// record that it was taken from is removed. None of them carries what was erased.
//
// A page is copied after the pages below it, because it names them; the root of all is the last
// page. The number of pages is known from the trees before the first is copied, so that the header
// can be written first and the copy can be sent while it is made. Everything is checked on the way:
// the pages that lead to a page, its header, and the checksum of every record.

import { readSync } from "node:fs";
import { unseal } from "./envelope.ts";
import {
  DATABASE_BYTES,
  DEPTH_MAX,
  FIRST_PAGE,
  HEADER_BYTES,
  META_AT,
  type Meta,
  NO_PAGE,
  NODE,
  NODE_BYTES,
  OVERFLOW_BYTES,
  overflowPages,
  PAGE,
  PageFault,
  readTree,
  type Tree,
} from "./page-format.ts";

const CHUNK_BYTES = 262_144;
const TWO_32 = 4_294_967_296;

/** A copy that can be read chunk by chunk. */
export interface PageCopy {
  /** Size of the whole copy. */
  readonly bytes: number;
  /**
   * The copy from its first byte to its last. A chunk is valid until the next one is asked for.
   * Throws PageFault or RECORD_CORRUPT when something is damaged.
   */
  readonly chunks: Generator<Buffer, void>;
}

/**
 * Copies the pages of a transaction.
 *
 * @param file - The open data file. The pages of the transaction must stay as they are meanwhile.
 */
export function copyPages(file: number, meta: Meta): PageCopy {
  const copier = new Copier(file, meta);
  return { bytes: copier.pages * meta.pageBytes, chunks: copier.run() };
}

/** A copied subtree: the number of its root page, its first key and its last. */
interface Copied {
  readonly pageNo: number;
  readonly first: Buffer;
  readonly last: Buffer;
}

class Copier {
  readonly #file: number;
  readonly #meta: Meta;
  /** The pages of the copy. */
  readonly pages: number;
  #next = FIRST_PAGE;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #filled = 0;

  constructor(file: number, meta: Meta) {
    this.#file = file;
    this.#meta = meta;
    this.pages = FIRST_PAGE + this.#countPages(meta.tables);
    this.#must(this.pages <= meta.usedPages, meta.tables.root);
  }

  *run(): Generator<Buffer, void> {
    const { tables } = this.#meta;
    yield* this.#metas();
    const root = yield* this.#tree(tables);
    const last = root ?? FIRST_PAGE - 1;
    this.#must(this.#next === this.pages && last === this.pages - 1, tables.root);
    yield this.#chunk.subarray(0, this.#filled);
  }

  /** The pages of a tree and of the tables in it. */
  #countPages(tree: Tree): number {
    if (tree.kind !== "tables" || tree.root === undefined) return tree.pages;
    let pages = tree.pages;
    const visit = (pageNo: number, depth: number): void => {
      const nodes = this.#nodes(this.#page(pageNo, depth), pageNo);
      for (const node of nodes) {
        if (depth > 1) visit(childOf(node), depth - 1);
        else if (isTable(node)) pages += this.#table(node, pageNo).pages;
      }
    };
    this.#must(tree.depth > 0 && tree.depth <= DEPTH_MAX, tree.root);
    visit(tree.root, tree.depth);
    return pages;
  }

  // LMDB takes the newer of the two; the next transaction overwrites the older.
  *#metas(): Generator<Buffer, void> {
    const { pageBytes, transaction, bytes, tables } = this.#meta;
    const meta = Buffer.from(bytes);
    meta.fill(0, META_AT.freePages + 6, META_AT.freePages + DATABASE_BYTES);
    meta.writeBigUInt64LE(NO_PAGE, META_AT.freePages + 40);
    const root = tables.root === undefined ? NO_PAGE : BigInt(this.pages - 1);
    meta.writeBigUInt64LE(root, META_AT.tables + 40);
    meta.writeBigUInt64LE(BigInt(this.pages - 1), META_AT.lastPage);
    meta.writeBigUInt64LE(0n, META_AT.bootId);
    for (const pageNo of [0, 1]) {
      const page = yield* this.#room(pageBytes);
      const isNewest = (transaction & 1n) === BigInt(pageNo) || transaction === 0n;
      meta.writeBigUInt64LE(isNewest ? transaction : transaction - 1n, META_AT.transaction);
      page.fill(0);
      page.writeBigUInt64LE(BigInt(pageNo), 0);
      page.writeUInt16LE(PAGE.meta, 18);
      meta.copy(page, HEADER_BYTES);
    }
  }

  /** Copies a tree; gives the number of its root in the copy. */
  *#tree(tree: Tree): Generator<Buffer, number | undefined> {
    if (tree.root === undefined) return undefined;
    this.#must(tree.depth > 0 && tree.depth <= DEPTH_MAX, tree.root);
    const entries = { count: 0 };
    const { pageNo } = yield* this.#copy(tree, tree.root, tree.depth, entries);
    this.#must(entries.count === tree.entries, tree.root);
    return pageNo;
  }

  /** Copies a page after those below it. */
  *#copy(
    tree: Tree,
    pageNo: number,
    depth: number,
    entries: { count: number },
  ): Generator<Buffer, Copied> {
    const page = this.#page(pageNo, depth);
    const nodes = this.#nodes(page, pageNo);
    const [firstNode, lastNode] = [nodes[0], nodes.at(-1)];
    if (firstNode === undefined || lastNode === undefined) throw new PageFault(pageNo);
    let [first, last] = [keyOf(firstNode), keyOf(lastNode)];
    if (depth === 1) {
      for (const node of nodes) yield* this.#leafNode(tree, node, pageNo);
      entries.count += nodes.length;
      page.fill(0, HEADER_BYTES + page.readUInt16LE(20), HEADER_BYTES + page.readUInt16LE(22));
    } else {
      const below: Copied[] = [];
      for (const node of nodes) {
        const child = yield* this.#copy(tree, childOf(node), depth - 1, entries);
        if (below.length === 0) first = child.first;
        last = child.last;
        below.push(child);
      }
      this.#linkTo(page, below, pageNo);
    }
    const copyNo = this.#number(1, pageNo);
    page.writeBigUInt64LE(BigInt(copyNo), 0);
    page.copy(yield* this.#room(page.length));
    return { pageNo: copyNo, first, last };
  }

  /**
   * Rebuilds an inner page over the copies of the pages below it. The key of each page is the
   * shortest prefix of its first key that sorts after the last key of the page before. It comes
   * from a live record, and it is never longer than the key that it replaces, so the page has room
   * for it. The first page needs no key.
   */
  #linkTo(page: Buffer, below: readonly Copied[], pageNo: number): void {
    const room = page.subarray(HEADER_BYTES);
    const lower = 2 * below.length;
    let upper = room.length;
    room.fill(0);
    for (const [i, child] of below.entries()) {
      const before = below[i - 1]?.last;
      const key = before === undefined ? NO_KEY : keyBetween(before, child.first);
      this.#must(key !== undefined, pageNo);
      upper -= NODE_BYTES + key.length + (key.length % 2);
      this.#must(upper >= lower, pageNo);
      const node = room.subarray(upper);
      setChild(node, child.pageNo);
      node.writeUInt16LE(key.length, 6);
      key.copy(node, NODE_BYTES);
      room.writeUInt16LE(upper, 2 * i);
    }
    page.writeUInt16LE(lower, 20);
    page.writeUInt16LE(upper, 22);
  }

  *#leafNode(tree: Tree, node: Buffer, pageNo: number): Generator<Buffer, void> {
    const value = NODE_BYTES + node.readUInt16LE(6);
    const size = node.readUInt32LE(0);
    const key = node.toString("latin1", NODE_BYTES, value);
    if (isTable(node)) {
      const root = yield* this.#tree(this.#table(node, pageNo));
      node.writeBigUInt64LE(root === undefined ? NO_PAGE : BigInt(root), value + 40);
      return;
    }
    if ((node.readUInt16LE(4) & NODE.bigData) === 0) {
      this.#must(value + size <= node.length, pageNo);
      this.#record(tree, key, node.subarray(value, value + size), pageNo);
      return;
    }
    this.#must(value + OVERFLOW_BYTES <= node.length, pageNo);
    const first = Number(node.readBigUInt64LE(value));
    // A value that was replaced by a smaller one in the same transaction keeps its pages.
    const count = Number(node.readBigUInt64LE(value + 16));
    this.#must(count >= overflowPages(size, this.#meta.pageBytes), first);
    const pages = this.#read(first, count);
    this.#must(pages.readUInt32LE(20) === count, first);
    this.#header(pages, first, PAGE.overflow);
    pages.fill(0, HEADER_BYTES + size);
    this.#record(tree, key, pages.subarray(HEADER_BYTES, HEADER_BYTES + size), first);
    const copyNo = this.#number(count, first);
    pages.writeBigUInt64LE(BigInt(copyNo), 0);
    node.writeBigUInt64LE(BigInt(copyNo), value);
    for (let at = 0; at < pages.length; at += CHUNK_BYTES) {
      const piece = pages.subarray(at, at + CHUNK_BYTES);
      piece.copy(yield* this.#room(piece.length));
    }
  }

  #table(node: Buffer, pageNo: number): Tree {
    const value = NODE_BYTES + node.readUInt16LE(6);
    this.#must(value + DATABASE_BYTES <= node.length, pageNo);
    return readTree(node, value, "records");
  }

  #record(tree: Tree, key: string, record: Buffer, pageNo: number): void {
    if (tree.kind === "records") unseal(key, record, `a record on page ${pageNo}`);
  }

  #page(pageNo: number, depth: number): Buffer {
    const page = this.#read(pageNo, 1);
    this.#header(page, pageNo, depth > 1 ? PAGE.branch : PAGE.leaf);
    return page;
  }

  #nodes(page: Buffer, pageNo: number): Buffer[] {
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const room = page.length - HEADER_BYTES;
    this.#must(lower <= upper && upper <= room && lower % 2 === 0, pageNo);
    const nodes: Buffer[] = [];
    for (let i = 0; i < lower; i += 2) {
      const offset = page.readUInt16LE(HEADER_BYTES + i);
      this.#must(offset >= upper && offset + NODE_BYTES <= room, pageNo);
      const node = page.subarray(HEADER_BYTES + offset);
      this.#must(NODE_BYTES + node.readUInt16LE(6) <= node.length, pageNo);
      nodes.push(node);
    }
    return nodes;
  }

  #header(page: Buffer, pageNo: number, kind: number): void {
    this.#must(Number(page.readBigUInt64LE(0)) === pageNo, pageNo);
    this.#must(page.readBigUInt64LE(8) <= this.#meta.transaction, pageNo);
    this.#must(
      (page.readUInt16LE(18) & (PAGE.branch | PAGE.leaf | PAGE.overflow)) === kind,
      pageNo,
    );
  }

  #read(pageNo: number, count: number): Buffer {
    const { pageBytes, usedPages } = this.#meta;
    this.#must(pageNo >= FIRST_PAGE && pageNo + count <= usedPages, pageNo);
    const bytes = Buffer.allocUnsafe(count * pageBytes);
    const read = readSync(this.#file, bytes, 0, bytes.length, pageNo * pageBytes);
    this.#must(read === bytes.length, pageNo);
    return bytes;
  }

  // A tree that leads to a page twice would never end.
  #number(count: number, pageNo: number): number {
    const copyNo = this.#next;
    this.#next += count;
    this.#must(this.#next <= this.pages, pageNo);
    return copyNo;
  }

  /** Room for the next bytes of the copy. Hands the chunk out when it is full. */
  *#room(bytes: number): Generator<Buffer, Buffer> {
    if (this.#filled + bytes > CHUNK_BYTES) {
      yield this.#chunk.subarray(0, this.#filled);
      this.#filled = 0;
    }
    this.#filled += bytes;
    return this.#chunk.subarray(this.#filled - bytes, this.#filled);
  }

  #must(holds: boolean, pageNo: number | undefined): asserts holds {
    if (!holds) throw new PageFault(pageNo);
  }
}

const NO_KEY = Buffer.alloc(0);

function keyOf(node: Buffer): Buffer {
  return node.subarray(NODE_BYTES, NODE_BYTES + node.readUInt16LE(6));
}

/** The shortest prefix of a key that sorts after the key before it; undefined if there is none. */
function keyBetween(before: Buffer, key: Buffer): Buffer | undefined {
  if (before.compare(key) >= 0) return undefined;
  let same = 0;
  while (same < before.length && before[same] === key[same]) same++;
  return key.subarray(0, same + 1);
}

function childOf(node: Buffer): number {
  return node.readUInt32LE(0) + node.readUInt16LE(4) * TWO_32;
}

function setChild(node: Buffer, pageNo: number): void {
  node.writeUInt32LE(pageNo % TWO_32, 0);
  node.writeUInt16LE(Math.floor(pageNo / TWO_32), 4);
}

function isTable(node: Buffer): boolean {
  return (node.readUInt16LE(4) & NODE.subDatabase) !== 0;
}
