// Answers and edits of the memory tool, as the tool of the SDK has them, and the pieces of a file
// by which it is found.

import { MemoryToolError } from "./errors.ts";
import { isUnicode } from "./paths.ts";

const MAX_LINES = 999_999;
const NUMBER_WIDTH = 6;
export const DIRECTORY_SIZE = 4_096;
const PIECE_BYTES = 2_000;
const MAX_PIECES = 256;

/** A new text of a file, and the answer. */
export type Edit = readonly [text: string, answer: string];

export function missing(shown: string): MemoryToolError {
  return new MemoryToolError(`The path ${shown} does not exist. Please provide a valid path.`);
}

/** Gives the bytes of a text that the model wrote. */
export function encoded(text: string): Buffer {
  if (typeof text === "string" && isUnicode(text)) return Buffer.from(text);
  throw new MemoryToolError("The text of a file must be valid Unicode.");
}

/** Gives the text of a file. */
export function decoded(value: Uint8Array, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new MemoryToolError(`The file ${shown} is not text in UTF-8.`);
  }
}

/** Answers a view of a file. */
export function fileView(shown: string, text: string, range?: readonly number[] | null): string {
  let lines = text.split("\n");
  if (lines.length > MAX_LINES) {
    throw new MemoryToolError(
      `File ${shown} has too many lines (${lines.length}). Maximum is 999,999 lines.`,
    );
  }
  let first = 0;
  if (range?.length === 2) {
    const [from = 1, to = -1] = range;
    first = Math.max(1, from) - 1;
    lines = lines.slice(first, to === -1 ? undefined : to);
  }
  return `Here's the content of ${shown} with line numbers:\n${numbered(lines, first + 1)}`;
}

/** Answers a view of a directory with the sizes and names of what is in it. */
export function directoryView(
  shown: string,
  entries: readonly (readonly [size: number, name: string])[],
): string {
  const header = `Here're the files and directories up to 2 levels deep in ${shown}`;
  return [
    `${header}, excluding hidden items and node_modules:`,
    `${sizeOf(DIRECTORY_SIZE)}\t${shown}`,
    ...entries.map(([size, name]) => `${sizeOf(size)}\t${shown}/${name}`),
  ].join("\n");
}

/** Gives a text in which the only occurrence is replaced, and the answer. */
export function replaced(shown: string, text: string, old: string, added: string): Edit {
  const none = "No replacement was performed";
  const lines = old === "" ? text.split("\n").map((_, index) => index + 1) : linesWith(text, old);
  const [line] = lines;
  if (line === undefined) {
    throw new MemoryToolError(`${none}, old_str \`${old}\` did not appear verbatim in ${shown}.`);
  }
  if (lines.length > 1) {
    throw new MemoryToolError(
      `${none}. Multiple occurrences of old_str \`${old}\` in lines: ${lines.join(", ")}. ` +
        "Please ensure it is unique",
    );
  }
  const result = text.replace(old, () => added);
  const first = Math.max(0, line - 3);
  const snippet = numbered(result.split("\n").slice(first, line + 2), first + 1);
  const said = "The memory file has been edited. Here is the snippet showing the change";
  return [result, `${said} (with line numbers):\n${snippet}`];
}

/** Gives a text with lines inserted after a line, and the answer. */
export function inserted(shown: string, text: string, line: number, added: string): Edit {
  const lines = text.split("\n");
  if (!Number.isInteger(line) || line < 0 || line > lines.length) {
    throw new MemoryToolError(
      `Invalid \`insert_line\` parameter: ${line}. ` +
        `It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(line, 0, added.replace(/\n$/, ""));
  return [lines.join("\n"), `The file ${shown} has been edited.`];
}

/**
 * Splits a file into the texts by which searches find it: whole lines of up to 2,000 bytes, the
 * first 256 of them.
 */
export function piecesOf(text: string): string[] {
  const found: string[] = [];
  let piece = "";
  let size = 0;
  for (const part of partsOf(text)) {
    const length = Buffer.byteLength(part);
    if (size + length > PIECE_BYTES) {
      found.push(piece);
      [piece, size] = ["", 0];
      if (found.length > MAX_PIECES) break;
    }
    piece += part;
    size += length;
  }
  found.push(piece);
  return found.filter((one) => one.trim() !== "").slice(0, MAX_PIECES);
}

/** Gives the lines of a text; those that are too long for a piece in parts. */
function* partsOf(text: string): Generator<string> {
  // A character takes at most four bytes.
  const long = new RegExp(`.{1,${PIECE_BYTES / 4}}`, "gsu");
  for (const [line] of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    if (Buffer.byteLength(line) <= PIECE_BYTES) yield line;
    else for (const [part] of line.matchAll(long)) yield part;
  }
}

function numbered(lines: readonly string[], first: number): string {
  return lines
    .map((line, index) => `${String(first + index).padStart(NUMBER_WIDTH)}\t${line}`)
    .join("\n");
}

/** Gives the line of each occurrence; occurrences may overlap. */
function linesWith(text: string, old: string): number[] {
  const found: number[] = [];
  let [line, seen] = [1, 0];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) {
    line += text.slice(seen, at).split("\n").length - 1;
    seen = at;
    found.push(line);
  }
  return found;
}

/** Gives a number of bytes as a listing shows it. */
function sizeOf(size: number): string {
  if (size === 0) return "0B";
  const step = Math.min(Math.floor(Math.log(size) / Math.log(1_024)), 3);
  const amount = size / 1_024 ** step;
  return `${amount % 1 === 0 ? amount : amount.toFixed(1)}${"BKMG"[step]}`;
}
