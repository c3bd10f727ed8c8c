// Helpers for texts.

import { hash } from "node:crypto";

/** The SHA-256 of a text, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}

/** The beginning of a text that takes at most so many bytes in UTF-8. */
export function cutText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  // No code unit takes less than a byte.
  const bytes = Buffer.from(text.slice(0, bytesMax));
  if (bytes.length <= bytesMax) return text.length <= bytesMax ? text : text.slice(0, bytesMax);
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Whether a character of two code units ends at a place of a text. */
export function endsPair(text: string, at: number): boolean {
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
}

/** The place so many code points after one, or the end. A lone surrogate counts as one. */
export function placeAfter(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) at += endsPair(text, at + 1) ? 2 : 1;
  return at;
}

/** The place so many code points before one, or the start. */
export function placeBefore(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) at -= endsPair(text, at - 1) ? 2 : 1;
  return at;
}

/** The first place of a sorted list whose text is not before this one. */
export function placeOfText(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The name that a field has in the contract: `max_tokens` for maxTokens. */
export function publicName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Finds what a mistyped name was probably meant to be.

const DISTANCE_MAX = 4;

/** The number of single-character edits between two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Gives the known name that is nearest to a name, or undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(DISTANCE_MAX, Math.ceil(name.length / 2)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

// JSON.parse takes the last of two fields with one name and drops the first without a word.

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/**
 * Gives the names of fields that stand twice in one object of a text, each once. The text
 * must be JSON: what it gives for any other text means nothing.
 */
export function repeatedFields(json: string): readonly string[] {
  const open: Set<string>[] = [];
  const repeated = new Set<string>();
  for (const [token, text = "", colon] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(text);
      const names = open.at(-1);
      if (typeof name !== "string" || names === undefined) continue;
      if (names.has(name)) repeated.add(name);
      names.add(name);
    }
  }
  return [...repeated];
}
