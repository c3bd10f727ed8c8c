// Names of records made of names of LangGraph.

import { createHash } from "node:crypto";

const MAX_SEGMENT_BYTES = 255;
/** The most bytes that the key of a record has. */
export const MAX_KEY_BYTES = 512;

/**
 * Makes a segment of a path, or a key, of any text: `_` and the text, in which control characters
 * and `%` are percent-encoded; of a text that is too long, `#` and a digest. The mark at the front
 * makes a segment of the empty text, too.
 */
export function segment(text: string, maxBytes = MAX_SEGMENT_BYTES): string {
  const escaped = text.replace(/[%\p{Cc}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `%${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
  const name = `_${escaped}`;
  if (Buffer.byteLength(name) <= maxBytes) return name;
  return `#${createHash("sha256").update(escaped).digest("hex")}`;
}

/** Gives the text of a segment that is no digest. */
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
