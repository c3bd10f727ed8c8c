// The layout of a data file as lmdb 3.5 writes it: LMDB's data version 2 with the page headers of
// its branch mdb.master3, on a 64-bit little-endian machine. It is read without LMDB, which trusts
// every byte of it.
//
// A page has a header of 24 bytes: its number, the transaction that wrote it, two bytes of no use
// here, its kind, and where its free space begins and ends (counted from the end of the header).
// The offsets of the nodes follow, in the order of their keys, and the nodes fill the end of the
// page. A value too large for that has pages of its own, of which only the first has a header. The
// first two pages describe the two newest transactions, and are written in turn.

import { readSync } from "node:fs";

/** The bytes of a page before its content. */
export const HEADER_BYTES = 24;
/** The bytes of a node before its key. */
export const NODE_BYTES = 8;
/** The bytes that describe a tree. */
export const DATABASE_BYTES = 48;
/** The node of a large value holds its first page, the transaction that wrote it, and its pages. */
export const OVERFLOW_BYTES = 24;
/** The pages of the header. */
export const FIRST_PAGE = 2;
/** The most levels of a tree. */
export const DEPTH_MAX = 32;
/** The root of a tree without pages. */
export const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Kinds of pages, as flags of their headers. A page on disk has no other flag. */
export const PAGE = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
/** Kinds of values, as flags of their nodes: on pages of their own, and the root of a table. */
export const NODE = { bigData: 1, subDatabase: 2 } as const;

/** Offsets in the header of a transaction, from the end of the page header. */
export const META_AT = {
  address: 8,
  mapBytes: 16,
  freePages: 24,
  tables: 24 + DATABASE_BYTES,
  lastPage: 120,
  transaction: 128,
  bootId: 136,
  end: 144,
} as const;

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
// As much as a process can map.
const MAP_BYTES_MAX = 2 ** 47;
// The only flag that a tree of ours has: the keys of the list of free pages are numbers.
const NUMBER_KEYS = 8;

/** The content of a tree's leaves. */
export type TreeKind = "free pages" | "tables" | "records";

/** A tree of pages, with the counts that it declares. */
export interface Tree {
  readonly kind: TreeKind;
  readonly root: number | undefined;
  readonly depth: number;
  /** The order of its keys. */
  readonly flags: number;
  /** Pages by their kind. */
  readonly branches: number;
  readonly leaves: number;
  readonly overflow: number;
  readonly entries: number;
  /** Pages of every kind. */
  readonly pages: number;
}

/** The header of a transaction. */
export interface Meta {
  readonly pageBytes: number;
  /** The last transaction. No page is younger. */
  readonly transaction: bigint;
  /** The pages that were ever in use; none beyond them is. */
  readonly usedPages: number;
  readonly freePages: Tree;
  readonly tables: Tree;
  /** The header as it is stored. */
  readonly bytes: Buffer;
}

// The map of a new file, which LMDB lets grow.
const NEW_MAP_BYTES = 131_072n;

/** A data file without a table, as LMDB makes it. */
export function emptyFile(pageBytes: number): Buffer {
  const file = Buffer.alloc(FIRST_PAGE * pageBytes);
  for (let pageNo = 0; pageNo < FIRST_PAGE; pageNo++) {
    const page = file.subarray(pageNo * pageBytes);
    page.writeBigUInt64LE(BigInt(pageNo), 0);
    page.writeUInt16LE(PAGE.meta, 18);
    const meta = page.subarray(HEADER_BYTES);
    meta.writeUInt32LE(MAGIC, 0);
    meta.writeUInt32LE(DATA_VERSION, 4);
    meta.writeBigUInt64LE(NEW_MAP_BYTES, META_AT.mapBytes);
    meta.writeUInt32LE(pageBytes, META_AT.freePages);
    meta.writeUInt16LE(NUMBER_KEYS, META_AT.freePages + 4);
    for (const tree of [META_AT.freePages, META_AT.tables]) {
      meta.writeBigUInt64LE(NO_PAGE, tree + DATABASE_BYTES - 8);
    }
    meta.writeBigUInt64LE(BigInt(FIRST_PAGE - 1), META_AT.lastPage);
  }
  return file;
}

/** Reads the newest header of a data file, or why it cannot be read. */
export function readMeta(file: number): Meta | string {
  const metas = readMetas(file);
  if (typeof metas === "string") return metas;
  const [first, second] = metas;
  return second.transaction > first.transaction ? second : first;
}

/** Reads both headers of a data file, or why one of them cannot be read. */
export function readMetas(file: number): readonly [Meta, Meta] | string {
  const first = metaAt(file, 0, 0);
  if (typeof first === "string") return first;
  const second = metaAt(file, 1, first.pageBytes);
  if (typeof second === "string") return second;
  return second.pageBytes === first.pageBytes ? [first, second] : "page 1: page size";
}

function metaAt(file: number, pageNo: number, position: number): Meta | string {
  const page = Buffer.alloc(HEADER_BYTES + META_AT.end);
  if (readSync(file, page, 0, page.length, position) !== page.length) return `page ${pageNo}: end`;
  const bytes = page.subarray(HEADER_BYTES);
  const meta = {
    pageBytes: bytes.readUInt32LE(META_AT.freePages),
    freePages: readTree(bytes, META_AT.freePages, "free pages"),
    tables: readTree(bytes, META_AT.tables, "tables"),
    usedPages: Number(bytes.readBigUInt64LE(META_AT.lastPage)) + 1,
    transaction: bytes.readBigUInt64LE(META_AT.transaction),
    bytes,
  };
  const fault = headerFault(page, pageNo) ?? metaFault(meta, pageNo);
  return fault === undefined ? meta : `page ${pageNo}: ${fault}`;
}

function headerFault(page: Buffer, pageNo: number): string | undefined {
  if (page.readBigUInt64LE(0) !== BigInt(pageNo)) return "page number";
  if (page.readUInt16LE(18) !== PAGE.meta) return "kind of page";
  if (page.readUInt32LE(HEADER_BYTES) !== MAGIC) return "magic number";
  return page.readUInt32LE(HEADER_BYTES + 4) === DATA_VERSION ? undefined : "version";
}

function metaFault(meta: Meta, pageNo: number): string | undefined {
  const { bytes, pageBytes, transaction, usedPages } = meta;
  const isSize = pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX;
  if (!isSize || (pageBytes & (pageBytes - 1)) !== 0) return "page size";
  if (bytes.readBigUInt64LE(META_AT.address) !== 0n) return "address";
  if (bytes.readBigUInt64LE(META_AT.mapBytes) > MAP_BYTES_MAX) return "size of the map";
  if (usedPages < FIRST_PAGE || usedPages * pageBytes > MAP_BYTES_MAX) return "last page";
  if (meta.freePages.flags !== NUMBER_KEYS || meta.tables.flags !== 0) return "flags";
  // A new file holds the first transaction twice; the later ones take turns.
  const isTurn = transaction === 0n || transaction % 2n === BigInt(pageNo);
  return isTurn ? undefined : "transaction";
}

/** Reads the description of a tree. */
export function readTree(bytes: Buffer, offset: number, kind: TreeKind): Tree {
  const root = bytes.readBigUInt64LE(offset + 40);
  const count = (at: number): number => Number(bytes.readBigUInt64LE(offset + at));
  const [branches, leaves, overflow] = [count(8), count(16), count(24)];
  return {
    kind,
    flags: bytes.readUInt16LE(offset + 4),
    depth: bytes.readUInt16LE(offset + 6),
    ...{ branches, leaves, overflow, pages: branches + leaves + overflow },
    entries: count(32),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}

/** Pages of a large value. */
export function overflowPages(bytes: number, pageBytes: number): number {
  return Math.ceil((bytes + HEADER_BYTES) / pageBytes);
}

/** Damage of a page, or of the list of free pages. */
export class PageFault extends Error {
  constructor(pageNo: number | undefined) {
    const where = pageNo === undefined ? "the list of free pages" : `page ${pageNo}`;
    super(`${where} is damaged or missing`);
  }
}
