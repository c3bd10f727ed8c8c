// The places of a data file where a flip can hurt, by the kind of page. Reads the pages of a whole
// file, and nothing that is not needed to tell their kinds.

import { closeSync, openSync } from "node:fs";
import {
  DATABASE_BYTES,
  FIRST_PAGE,
  HEADER_BYTES,
  META_AT,
  NODE,
  NODE_BYTES,
  PAGE,
  readMeta,
  readTree,
  type Tree,
} from "../../src/store/engine/page-format.ts";
import type { Random } from "../support/kit/random.ts";

/** The kinds of places. */
export const PLACES = [
  "file header",
  "page header",
  "free list",
  "branch page",
  "leaf page",
  "overflow page",
] as const;
export type Place = (typeof PLACES)[number];

/** Bytes of the file: from `first` on, and `last` itself. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** The spans of a file by kind. */
export class Places {
  readonly #spans = new Map<Place, Span[]>(PLACES.map((place) => [place, []]));
  readonly #bytes: Buffer;
  readonly #pageBytes: number;

  constructor(path: string, bytes: Buffer) {
    const file = openSync(path, "r");
    const meta = readMeta(file);
    closeSync(file);
    if (typeof meta === "string") throw new Error(meta);
    this.#bytes = bytes;
    this.#pageBytes = meta.pageBytes;
    for (let pageNo = 0; pageNo < FIRST_PAGE; pageNo++) {
      const first = pageNo * meta.pageBytes;
      this.#add("file header", first, first + HEADER_BYTES + META_AT.transaction + 7);
    }
    this.#walk(meta.freePages);
    this.#walk(meta.tables);
  }

  /** A byte of one kind of place. Spans are as likely as they are long. */
  pick(place: Place, random: Random): number {
    const spans = this.#spans.get(place) ?? [];
    let left = random.int(0, this.countOf(place) - 1);
    for (const { first, last } of spans) {
      if (left <= last - first) return first + left;
      left -= last - first + 1;
    }
    throw new Error(`the file has no ${place}`);
  }

  /** The number of bytes of one kind of place. */
  countOf(place: Place): number {
    const spans = this.#spans.get(place) ?? [];
    return spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  #add(place: Place, first: number, end: number): void {
    if (end > first) this.#spans.get(place)?.push({ first, last: end - 1 });
  }

  #walk({ depth, kind, root }: Tree): void {
    if (root !== undefined) this.#page(kind, root, depth);
  }

  #page(kind: Tree["kind"], pageNo: number, depth: number): void {
    const start = pageNo * this.#pageBytes;
    const page = this.#bytes.subarray(start, start + this.#pageBytes);
    const isBranch = (page.readUInt16LE(18) & PAGE.branch) !== 0;
    const place =
      kind === "free pages" ? "free list" : isBranch ? ("branch page" as const) : "leaf page";
    const lower = HEADER_BYTES + page.readUInt16LE(20);
    this.#add("page header", start, start + HEADER_BYTES);
    this.#add(place, start + HEADER_BYTES, start + lower);
    this.#add(place, start + HEADER_BYTES + page.readUInt16LE(22), start + this.#pageBytes);
    for (let at = HEADER_BYTES; at < lower; at += 2) {
      const node = page.subarray(HEADER_BYTES + page.readUInt16LE(at));
      if (isBranch) {
        const child = node.readUInt32LE(0) + node.readUInt16LE(4) * 4_294_967_296;
        this.#page(kind, child, depth - 1);
      } else {
        this.#leafNode(kind, node);
      }
    }
  }

  #leafNode(kind: Tree["kind"], node: Buffer): void {
    const flags = node.readUInt16LE(4);
    const value = NODE_BYTES + node.readUInt16LE(6);
    if ((flags & NODE.bigData) !== 0) {
      const first = Number(node.readBigUInt64LE(value)) * this.#pageBytes;
      this.#add("page header", first, first + HEADER_BYTES);
      const end = first + HEADER_BYTES + node.readUInt32LE(0);
      this.#add(kind === "free pages" ? "free list" : "overflow page", first + HEADER_BYTES, end);
    } else if (kind === "tables" && (flags & NODE.subDatabase) !== 0) {
      this.#walk(readTree(node.subarray(value, value + DATABASE_BYTES), 0, "records"));
    }
  }
}
