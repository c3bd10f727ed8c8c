// Writes picked sentences down: by speaker, in the order of the conversation.

import { costOf, type TextCost } from "./cost.ts";
import type { ExtractLine } from "./lines.ts";
import { CUT_MARK, quoted } from "./sentences.ts";
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

/** Longer names are cut: they only need to distinguish speakers. */
const NAME_CHARS = 40;

/** Label of a speaker; empty for a text without one. */
export function labelOf(line: ExtractLine): string {
  const name = line.name.replace(/\s+/g, " ").trim();
  const label =
    name === "" ? ROLE_LABELS[line.role] : Array.from(name).slice(0, NAME_CHARS).join("");
  const date = line.date?.replace(/\s+/g, " ").trim() ?? "";
  if (date === "") return label;
  return label === "" ? `[${date}]` : `[${date}] ${label}`;
}

/** Highest cost of the speaker label of a line. */
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
  let isInside = false;
  units.forEach(({ index, text, kind, line: place, goesOn }, at) => {
    const line = lines[place];
    const label = line === undefined || !labels ? "" : labelOf(line);
    if (label === lastLabel) parts.push(isInside || endsSentence(lastText) ? " " : "; ");
    else if (parts.length > 0) parts.push("\n");
    if (label !== lastLabel && label !== "" && !text.startsWith(`${label}:`)) {
      parts.push(label, ": ");
    }
    isInside = goesOn === true && units[at + 1]?.index === index + 1;
    const mark = goesOn === true && !isInside ? CUT_MARK : "";
    parts.push(quoted(text, kind), mark);
    lastLabel = label;
    lastText = `${text}${mark}`;
  });
  return parts.join("");
}

function endsSentence(text: string): boolean {
  return /[.!?:;,…。！？；：，、]["'”’)\]*_」』]*$/.test(text.slice(-8));
}
