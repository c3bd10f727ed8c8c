// The envelope of the opaque tokens: base64url of a version, a checksum and the content. The
// checksum is no secret: a token gives no rights. It separates damage and foreign text from a token
// of ours.

import { hash } from "node:crypto";
import type { Call } from "../kit/call.ts";
import { pageTokenInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Lineage } from "../store/store.ts";

const CHECKSUM_BYTES = 8;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Purpose of a token: one of another kind is refused. The number is its first byte. */
export const TOKEN_KIND = { page: 0x11, markedPage: 0x12, resume: 0x21 } as const;
export type TokenKind = (typeof TOKEN_KIND)[keyof typeof TOKEN_KIND];

function checksum(kind: TokenKind, content: Uint8Array): Uint8Array {
  const all = Buffer.concat([Buffer.of(kind), content]);
  return hash("sha256", all, "buffer").subarray(0, CHECKSUM_BYTES);
}

/** A short name for a text, to be compared inside a token. */
export function shortHash(text: string): Buffer {
  return hash("sha256", text, "buffer").subarray(0, 8);
}

/** Makes a token. */
export function sealToken(kind: TokenKind, content: Uint8Array): string {
  return Buffer.concat([Buffer.of(kind), checksum(kind, content), content]).toString("base64url");
}

/** Opens a token; undefined when it is damaged, of another kind, or not a token. */
export function openToken(kind: TokenKind, token: string): Buffer | undefined {
  if (!BASE64URL.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length < 1 + CHECKSUM_BYTES || bytes[0] !== kind) return undefined;
  // Several texts stand for the same bytes when the last character has spare bits: take only ours.
  if (bytes.toString("base64url") !== token) return undefined;
  const content = bytes.subarray(1 + CHECKSUM_BYTES);
  const given = bytes.subarray(1, 1 + CHECKSUM_BYTES);
  return given.equals(checksum(kind, content)) ? content : undefined;
}

// The state that a token was given out in: epoch (8 bytes), commit number (8).

export const MARK_BYTES = 16;

/** The state of now for a token; empty in a store without a lineage. */
export function markOf(lineage: Lineage | undefined): Buffer {
  if (lineage === undefined) return Buffer.alloc(0);
  const { epoch, commitNo } = lineage.mark();
  const bytes = Buffer.alloc(MARK_BYTES);
  bytes.write(epoch, "hex");
  bytes.writeBigUInt64BE(BigInt(commitNo), 8);
  return bytes;
}

/** Whether the state in a token led to the one of now; true for a token of an older server. */
export function isOfLineage(lineage: Lineage | undefined, mark: Buffer): boolean {
  if (lineage === undefined || mark.length === 0) return true;
  const epoch = mark.toString("hex", 0, 8);
  return lineage.includes({ epoch, commitNo: Number(mark.readBigUInt64BE(8)) });
}

// Page tokens: where the next page starts, bound to the query that began the list.

const DIGEST_BYTES = 16;

/** Makes and reads the page tokens of one store. */
export interface PageTokens {
  /** Makes the token of the next page of a list; an empty one if it has no position. */
  readonly make: (call: Query, position: string | number | undefined) => string;
  /**
   * Gives the position where a page starts; undefined for the first page, whose token is empty.
   * Throws PAGE_TOKEN_INVALID.
   */
  readonly read: <T>(call: Query, token: string, parse: (position: string) => T) => T | undefined;
}

/** The digest of the query: 16 characters that are bytes. */
type Query = Pick<Call, "digest">;

/** Makes the page tokens of a store: those of another store or of a lost future are refused. */
export function createPageTokens(historyId: string, lineage?: Lineage): PageTokens {
  const history = Buffer.from(historyId, "hex");
  const kind = lineage === undefined ? TOKEN_KIND.page : TOKEN_KIND.markedPage;
  return {
    make: ({ digest }, position) => {
      if (position === undefined) return "";
      const place = Buffer.from(String(position));
      const query = Buffer.from(digest, "latin1");
      return sealToken(kind, Buffer.concat([markOf(lineage), history, query, place]));
    },
    read: ({ digest }, token, parse) => {
      if (token === "") return undefined;
      const marked = openToken(TOKEN_KIND.markedPage, token);
      const content = marked?.subarray(MARK_BYTES) ?? openToken(TOKEN_KIND.page, token);
      if (content === undefined) throw pageTokenInvalid();
      const head = history.length + DIGEST_BYTES;
      if (!content.subarray(0, history.length).equals(history)) throw pageTokenInvalid();
      if (content.toString("latin1", history.length, head) !== digest) throw pageTokenInvalid();
      if (marked !== undefined && !isOfLineage(lineage, marked.subarray(0, MARK_BYTES))) {
        throw pageTokenInvalid();
      }
      return parse(content.subarray(head).toString());
    },
  };
}

/** Reads a position that is a number. Throws PAGE_TOKEN_INVALID. */
export function numberPosition(position: string): number {
  const value = Number(position);
  const valid = /^[0-9]{1,16}$/.test(position) && Number.isSafeInteger(value);
  if (!valid) throw pageTokenInvalid();
  return value;
}

/** Reads a position that may lie between whole numbers. */
export function fractionPosition(position: string): number {
  const value = Number(position);
  if (position === "" || !Number.isFinite(value)) throw pageTokenInvalid();
  return value;
}

// Sizes of pages.

/** Gives the most entries of a page: the default for 0, never more than the limit. */
export function pageLimit(pageSize: number, defaultSize: number): number {
  return Math.min(pageSize === 0 ? defaultSize : pageSize, LIMITS.pageSizeMax);
}

/**
 * Gives the wire forms of the first entries of a page, as many as fit into LIMITS.pageBytes, at
 * least one. A shorter list than the entries says that the rest belongs on the next page.
 */
export function fillPage<T>(
  entries: readonly T[],
  encode: (entry: T) => Uint8Array,
): readonly Uint8Array[] {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const encoded = encode(entry);
    bytes += encoded.length;
    if (taken.length > 0 && bytes > LIMITS.pageBytes) break;
    taken.push(encoded);
  }
  return taken;
}
