// Turns names of frameworks into names of sessions, messages and records, and back.

import { createHash } from "node:crypto";

const MAX_SEGMENT_BYTES = 255;
const MAX_NAME_BYTES = 256;
/** The maximum length of a record's key, in bytes. */
export const MAX_KEY_BYTES = 512;

/**
 * Makes a segment of a path, or a key, from any text. A segment is `_` and the text, with control
 * characters, lone surrogates and `%` percent-encoded. A text that is too long becomes `#` and a
 * digest. A segment must not be empty, so `_` also stands for the empty text.
 */
export function segment(text: string, maxBytes = MAX_SEGMENT_BYTES): string {
  const escaped = text.replace(/[%\p{Cc}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `%${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
  const name = `_${escaped}`;
  if (Buffer.byteLength(name) <= maxBytes) return name;
  return `#${digestOf(escaped)}`;
}

/** Gives the text of a segment that is not a digest. */
export function textOf(name: string): string {
  return name
    .slice(1)
    .replace(/%([0-9A-F]{4})/g, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
}

/** Whether a segment is a digest, because its text was too long. */
export function isDigest(name: string): boolean {
  return name.startsWith("#");
}

/** The SHA-256 digest of bytes, in hexadecimal. */
export function digestOf(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Whether a value can be an id or a name of the contract. UTF-8 has no lone surrogates. */
export function isName(value: unknown, maxBytes = MAX_NAME_BYTES): value is string {
  if (typeof value !== "string" || !/^[^\p{Cc}\p{Cs}]+$/u.test(value)) return false;
  return Buffer.byteLength(value) <= maxBytes;
}
