// Pieces that the forms write alike.

import type { Json } from "../compat/common/json.ts";
import { ADDED, type FormPart, type Line, type Notes, type ResultPart } from "./form.ts";

/** Notes that a part has no place in the form. */
export function dropped({ messageId }: Line, subject: string, notes: Notes): void {
  notes.add(messageId, "dropped", subject);
}

/** Notes what only the form of a message knows, when the message is written without it. */
export function noteExtras({ message, messageId }: Line, notes: Notes): void {
  for (const name of message.extras) notes.add(messageId, "attribute-dropped", name);
}

/** Notes that the form of a result cannot say that the call failed. */
export function noteErrorDropped(line: Line, { isError }: ResultPart, notes: Notes): void {
  if (isError && line !== ADDED) notes.add(line.messageId, "attribute-dropped", "tool_error");
}

/** Content of a message: a text, or a list of parts. */
export function textOrParts(parts: readonly FormPart[], write: (part: FormPart) => Json): Json {
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.kind === "text" ? first.text : parts.map(write);
}

/** The text of a part, and a note when it was no text. */
export function shownAsText(line: Line, part: FormPart, notes: Notes): string {
  if (part.kind !== "text" && part.kind !== "json") {
    notes.add(line.messageId, "as-text", subjectOf(part));
  }
  return textOfPart(part);
}

/** The name of a part in notes. */
export function subjectOf(part: FormPart): string {
  return part.kind === "other" ? part.type : part.kind;
}

/** A text for a part: its own, or what it is. */
export function textOfPart(part: FormPart): string {
  switch (part.kind) {
    case "text":
    case "json":
    case "refusal":
    case "reasoning":
      return part.text;
    case "image":
    case "file": {
      const { source } = part;
      const name = part.kind === "file" && part.name !== "" ? ` ${part.name}` : "";
      const place = "url" in source ? ` ${source.url}` : "";
      return `[${part.kind}${name}${place}]`;
    }
    case "result":
      return part.parts.map(textOfPart).join("\n");
    case "other":
      return `[${part.type}]`;
    default:
      return `[${part.kind}]`;
  }
}
