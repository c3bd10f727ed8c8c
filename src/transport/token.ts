// The envelope of the opaque tokens: base64url of a version, a checksum and the content. The
// checksum is no secret: a token gives no rights. It tells damage and foreign text from a token of
// ours.

import { hash } from "node:crypto";

const CHECKSUM_BYTES = 8;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** What a token is for: one of another kind is refused. The number is its first byte. */
export const TOKEN_KIND = { page: 0x11, resume: 0x21 } as const;
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
