// Writes picked sentences down: by speaker, in the order of the conversation.

import { costOf, type TextCost } from "./cost.ts";
import type { ExtractLine } from "./lines.ts";
import type { Unit } from "./units.ts";

const ROLE_LABELS: Readonly<Record<ExtractLine["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  system: "System",
  tool: "Tool",
  summary: "",
};

/** Longer names are cut: they are there to tell speakers apart. */
const NAME_CHARS = 40;

/** What a speaker is called; empty for a text that nobody said. */
export function labelOf(line: ExtractLine): string {
  const name = line.name.replace(/\s+/g, " ").trim();
  const label =
    name === "" ? ROLE_LABELS[line.role] : Array.from(name).slice(0, NAME_CHARS).join("");
  const date = line.date?.replace(/\s+/g, " ").trim() ?? "";
  if (date === "") return label;
  return label === "" ? `[${date}]` : `[${date}] ${label}`;
}

/** What naming the speaker of a line costs at most. */
export function labelCost(line: ExtractLine): TextCost {
  return costOf(`${labelOf(line)}: \n`);
}

/** Writes units down; sentences of one speaker in a row share a line. */
export function render(
  units: readonly Unit[],
  lines: readonly ExtractLine[],
  labels: boolean,
): string {
  let text = "";
  let last: string | undefined;
  for (const unit of units) {
    const line = lines[unit.line];
    const label = line === undefined || !labels ? "" : labelOf(line);
    if (label === last) text += endsSentence(text) ? " " : "; ";
    else if (text !== "") text += "\n";
    if (label !== last && label !== "" && !unit.text.startsWith(`${label}:`)) text += `${label}: `;
    text += unit.text;
    last = label;
  }
  return text;
}

function endsSentence(text: string): boolean {
  return /[.!?:;,…。！？；：，、]["'”’)\]*_」』]*$/.test(text.slice(-8));
}
