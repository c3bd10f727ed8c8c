// Output of the demo: plain lines, with colors on a terminal.

import {
  type GetWindowResponse,
  type Message,
  Role,
  type SummarySet,
  type Trim,
} from "../../clients/typescript/src/index.ts";

const MIN_WIDTH = 80;
const MAX_WIDTH = 120;

/** Stands before every line that belongs to a step. */
export const INDENT = "     ";

const STYLES = {
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  blue: "34",
  magenta: "35",
  cyan: "36",
} as const;

/** A color or weight. */
export type Style = keyof typeof STYLES;

/** Output of the demo. */
export interface Screen {
  readonly width: number;
  line(text?: string): void;
  paint(style: Style, text: string): string;
  /** Waits for a reader to follow; not at all when nobody reads along. */
  pause(ms: number): Promise<void>;
}

/** Makes the screen of an output. */
export function openScreen(output: NodeJS.WriteStream, fast: boolean): Screen {
  const live = output.isTTY === true;
  const colors = live && process.env["NO_COLOR"] === undefined;
  const columns = live ? output.columns - 1 : 100;
  return {
    width: Math.max(MIN_WIDTH - 1, Math.min(MAX_WIDTH, columns)),
    line: (text = "") => void output.write(`${text.trimEnd()}\n`),
    paint: (style, text) =>
      colors && text !== "" ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, live && !fast ? ms : 0)),
  };
}

/** A number with commas. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A text on one line, cut to a width. */
export function oneLine(text: string, width: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= width ? flat : `${flat.slice(0, Math.max(0, width - 1))}…`;
}

const GLYPHS: Readonly<Partial<Record<Role, readonly [string, Style]>>> = {
  [Role.SYSTEM]: ["S", "magenta"],
  [Role.USER]: ["U", "green"],
  [Role.ASSISTANT]: ["A", "cyan"],
  [Role.TOOL]: ["t", "yellow"],
};

/** The glyph of a message. */
export function glyph(screen: Screen, message: Message): string {
  if (message.toolError) return screen.paint("red", "x");
  if (message.toolCalls.length > 0) return screen.paint("blue", "C");
  const [letter, style] = GLYPHS[message.role] ?? ["?", "red"];
  return screen.paint(style, letter);
}

interface Cell {
  readonly width: number;
  readonly text: string;
}

function cells(screen: Screen, window: GetWindowResponse): Cell[] {
  const row: Cell[] = [];
  let next = 1;
  for (const message of window.messages) {
    const gap = message.seq > next ? ` ·${message.seq - next}· ` : "";
    const space = gap === "" && message.role === Role.USER && row.length > 0 ? " " : "";
    const text = screen.paint("dim", gap) + space + glyph(screen, message);
    row.push({ width: gap.length + space.length + 1, text });
    next = message.seq + 1;
  }
  return row;
}

/**
 * A window as glyphs, a space before each user message, with what is outside as counts. When there
 * is no room for all, the middle is left out.
 */
export function windowGlyphs(screen: Screen, window: GetWindowResponse, room: number): string {
  const row = cells(screen, window);
  const width = (part: readonly Cell[]): number => part.reduce((sum, cell) => sum + cell.width, 0);
  const head = row.slice(0, 2);
  let tail = row.slice(2);
  if (width(row) > room) {
    while (width(head) + 1 + width(tail) > room) tail = tail.slice(1);
    head.push({ width: 1, text: screen.paint("dim", "…") });
  }
  const shown = [...head, ...tail];
  return shown.map((cell) => cell.text).join("") + " ".repeat(Math.max(0, room - width(shown)));
}

/** The line of a window: glyphs, size, and what is outside. */
export function windowLine(screen: Screen, window: GetWindowResponse): string {
  const { windowTotals: inside, outsideTotals: outside } = window;
  const size = `${count(inside?.messageCount ?? 0)} msgs ${count(inside?.tokenCount ?? 0)} tok`;
  const left = `out ${count(outside?.messageCount ?? 0)} / ${count(outside?.tokenCount ?? 0)}`;
  const totals = `${size.padStart(18)}, ${left}`.padEnd(36);
  const room = screen.width - INDENT.length - 1 - totals.length;
  return `${INDENT}${windowGlyphs(screen, window, room)} ${screen.paint("dim", totals)}`;
}

/** Description of a trim. */
export function trimText(trim: Trim): string {
  const ranges = trim.seqRanges.map(({ firstSeq, lastSeq }) =>
    firstSeq === lastSeq ? `${firstSeq}` : `${firstSeq}-${lastSeq}`,
  );
  const removed = trim.removedTotals?.messageCount ?? 0;
  const from = count(trim.beforeTotals?.tokenCount ?? 0);
  const to = count(trim.afterTotals?.tokenCount ?? 0);
  const cause = trim.stage === "" ? "" : `${trim.stage}, `;
  const what = `${removed} message${removed === 1 ? "" : "s"} (seq ${ranges.join(" ")})`;
  return `${what} left: ${cause}${trim.reason.replace("TRIM_REASON_", "").replaceAll("_", " ").toLowerCase()}, ${from} -> ${to} tokens`;
}

/** Description of a summary. */
export function summaryText(made: SummarySet): string {
  const added = made.addedTotals?.messageCount ?? 0;
  const by = `by ${made.hook}, ${count(made.tokenCount)} tokens in all`;
  return `summary ${made.version}: ${added} more message${added === 1 ? "" : "s"}, ${by}`;
}

/** A text on lines of a width, broken between words. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = oneLine(line === "" ? word : `${line} ${word}`, width);
  }
  return line === "" ? lines : [...lines, line];
}
