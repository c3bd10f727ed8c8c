// Turns of forms in which user and model alternate.

import type { Json } from "../compat/common/json.ts";
import type { Line, Notes } from "./form.ts";

/** Stands before a window that begins with the model. */
export const openingText = "(Earlier messages are not shown.)";

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

/** Puts the pieces of one role in a row together. Those without content are left out. */
export function turnsOf(pieces: readonly Piece[], notes: Notes): Turn[] {
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
