// Searches the raw files of a data directory for words that must be gone. It looks at bytes alone,
// free pages and journals included, so that it proves what no read of the store can: it trusts
// neither the store nor its indexes.

import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Limits of a list of words. Shorter words would be found by chance. */
export const PROOF_LIMITS = { wordBytesMin: 4, wordBytesMax: 4_096, words: 1_000 } as const;

const CHUNK_BYTES = 4_194_304;
const OFFSETS_MAX = 10;

/** A word that was found. It is named by its line, so that the report holds no content. */
export interface FoundWord {
  /** The line of the list, from 1. */
  readonly line: number;
  readonly file: string;
  readonly count: number;
  /** The first places in the file, in bytes. */
  readonly offsets: readonly number[];
}

/** The findings of a search. */
export interface ProofReport {
  /** No word was found. */
  readonly erased: boolean;
  readonly words: number;
  readonly files: number;
  readonly bytes: number;
  readonly found: readonly FoundWord[];
}

/** A word of a list, with its line. */
interface Word {
  readonly line: number;
  readonly forms: readonly Buffer[];
}

/** Reads a list of words, one on each line. Throws an Error with everything wrong in it. */
export function parseWords(text: string): readonly Word[] {
  const { wordBytesMin, wordBytesMax, words: wordsMax } = PROOF_LIMITS;
  const words: Word[] = [];
  const faults: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const word = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (word === "") continue;
    const bytes = Buffer.byteLength(word);
    if (bytes < wordBytesMin || bytes > wordBytesMax) {
      faults.push(`line ${index + 1} has ${bytes} bytes; ${wordBytesMin} to ${wordBytesMax} fit`);
    }
    words.push({ line: index + 1, forms: formsOf(word) });
  }
  if (words.length === 0) faults.push("it names no word");
  if (words.length > wordsMax) faults.push(`it has ${words.length} words; at most ${wordsMax} fit`);
  if (faults.length > 0) throw new Error(`The list of words cannot be used: ${faults.join("; ")}.`);
  return words;
}

// The forms in which records may hold a word: as it is, folded as the keys of memories are, and
// inside JSON, with and without escapes of what is not ASCII.
function formsOf(word: string): readonly Buffer[] {
  const cased = [word, word.toLowerCase(), word.normalize("NFKC").toLowerCase()];
  const forms = cased.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1);
    const ascii = json.replaceAll(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    return [text, json, ascii];
  });
  return [...new Set(forms)].map((form) => Buffer.from(form, "utf8"));
}

/** Searches every file of a directory. Throws an Error when one of them cannot be read. */
export function proveErased(directory: string, words: readonly Word[]): ProofReport {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const found = files.flatMap((file) =>
    searchFile(file, words).map((word) => ({ ...word, file: relative(directory, file) })),
  );
  return {
    erased: found.length === 0,
    words: words.length,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    found,
  };
}

function searchFile(file: string, words: readonly Word[]): Omit<FoundWord, "file">[] {
  // Kept of a chunk for the next one, so that nothing across their border is missed.
  const overlap = Math.max(...words.flatMap(({ forms }) => forms.map(({ length }) => length))) - 1;
  const places = new Map(words.map(({ line }) => [line, new Set<number>()]));
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES + overlap);
  const descriptor = openSync(file, "r");
  try {
    let start = 0;
    let kept = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, kept, CHUNK_BYTES, start + kept);
      if (read === 0) break;
      const chunk = buffer.subarray(0, kept + read);
      for (const { line, forms } of words) {
        for (const form of forms) {
          for (let at = chunk.indexOf(form); at !== -1; at = chunk.indexOf(form, at + 1)) {
            places.get(line)?.add(start + at);
          }
        }
      }
      const next = Math.min(overlap, chunk.length);
      start += chunk.length - next;
      buffer.copyWithin(0, chunk.length - next, chunk.length);
      kept = next;
    }
  } finally {
    closeSync(descriptor);
  }
  return [...places].flatMap(([line, offsets]) =>
    offsets.size === 0
      ? []
      : [
          {
            line,
            count: offsets.size,
            offsets: [...offsets].sort((a, b) => a - b).slice(0, OFFSETS_MAX),
          },
        ],
  );
}
