// Turns of forms in which user and model alternate.

import type { Json } from "../compat/common/json.ts";
import type { AssistantBlock, Block, FormPart, Line, Notes } from "./form.ts";

/** Stands before a window that begins with the model. */
const openingText = "(Earlier messages are not shown.)";

/** Some parts of a message, as they are written. */
export interface Piece {
  readonly role: "user" | "assistant";
  /** Undefined for a piece that was added. */
  readonly line: Line | undefined;
  readonly partCount: number;
  readonly content: readonly Json[];
}

/** A turn: the pieces of one role in a row. */
export interface Turn {
  readonly role: Piece["role"];
  /** The element as it came, when the turn is one whole message. */
  readonly exact: string | undefined;
  readonly content: readonly Json[];
}

/** Writes what stands in turns as a form has it. */
interface Writer {
  readonly contentOf: (line: Line, parts: readonly FormPart[]) => readonly Json[];
  readonly resultsOf: (block: AssistantBlock) => readonly Piece[];
  readonly textOf: (text: string) => Json;
}

/** The turns of a window, which the user begins, and the system messages, which stand apart. */
export function alternate(
  blocks: readonly Block[],
  { contentOf, resultsOf, textOf }: Writer,
  notes: Notes,
): { readonly system: readonly Json[]; readonly turns: readonly Turn[] } {
  const system: Json[] = [];
  const pieces: Piece[] = [];
  let hasSpoken = false;
  const add = (role: Piece["role"], line: Line, parts: readonly FormPart[]): void => {
    pieces.push({ role, line, partCount: parts.length, content: contentOf(line, parts) });
  };
  for (const block of blocks) {
    if (block.kind === "system") {
      if (hasSpoken) notes.add(block.line.messageId, "moved", "system");
      system.push(...contentOf(block.line, block.line.message.parts));
      continue;
    }
    hasSpoken = true;
    if (block.kind === "user") add("user", block.line, block.parts);
    else {
      for (const line of block.lines) add("assistant", line, line.message.parts);
      pieces.push(...resultsOf(block));
    }
  }
  const turns = turnsOf(pieces, notes);
  if (turns[0]?.role === "assistant") {
    notes.addText("", "user_message", openingText);
    turns.unshift({ role: "user", exact: undefined, content: [textOf(openingText)] });
  }
  return { system, turns };
}

/** Puts the pieces of one role in a row together. Those without content are left out. */
function turnsOf(pieces: readonly Piece[], notes: Notes): Turn[] {
  const turns: Turn[] = [];
  let open: Piece[] = [];
  const close = (): void => {
    const [first] = open;
    if (first === undefined) return;
    turns.push({
      role: first.role,
      exact: exactOf(open),
      content: open.flatMap(({ content }) => content),
    });
    open = [];
  };
  for (const piece of pieces) {
    const { content, line, partCount } = piece;
    if (content.length === 0) {
      const isWhole = partCount === line?.message.parts.length;
      if (isWhole) notes.add(line?.messageId ?? "", "dropped", "message");
      continue;
    }
    if (open[0]?.role !== piece.role) close();
    open.push(piece);
  }
  close();
  return turns;
}

/** The element of a message, when these pieces are all of it and nothing else. */
function exactOf(pieces: readonly Piece[]): string | undefined {
  const line = pieces[0]?.line;
  if (line?.exact === undefined || pieces.some((piece) => piece.line !== line)) return undefined;
  const count = pieces.reduce((sum, { partCount }) => sum + partCount, 0);
  return count === line.message.parts.length ? line.exact : undefined;
}
