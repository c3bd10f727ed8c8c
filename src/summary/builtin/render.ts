// Writes picked sentences down: by speaker, in the order of the conversation.

import { costOf, type TextCost } from "./cost.ts";
import type { ExtractLine } from "./lines.ts";
import { quoted } from "./sentences.ts";
import type { Unit } from "./units.ts";

const ROLE_LABELS: Readonly<Record<ExtractLine["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  system: "System",
  tool: "Tool",
  summary: "",
};

/** The role that a label stands for; undefined for a name. */
export function roleOf(label: string): Exclude<ExtractLine["role"], "summary"> | undefined {
  return ROLES.find((role) => ROLE_LABELS[role] === label);
}

const ROLES = ["user", "assistant", "system", "tool"] as const;

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
  const parts: string[] = [];
  let lastLabel: string | undefined;
  let lastText = "";
  for (const { text, kind, line: place } of units) {
    const line = lines[place];
    const label = line === undefined || !labels ? "" : labelOf(line);
    if (label === lastLabel) parts.push(endsSentence(lastText) ? " " : "; ");
    else if (parts.length > 0) parts.push("\n");
    if (label !== lastLabel && label !== "" && !text.startsWith(`${label}:`)) {
      parts.push(label, ": ");
    }
    parts.push(quoted(text, kind));
    lastLabel = label;
    lastText = text;
  }
  return parts.join("");
}

function endsSentence(text: string): boolean {
  return /[.!?:;,…。！？；：，、]["'”’)\]*_」』]*$/.test(text.slice(-8));
}
