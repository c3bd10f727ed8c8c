// Contexts of the unified memory of selectools.

import { by, importanceOf, memoryNo } from "../../context/rules/layout.ts";
import { episodeLine, isEpisode, oneLine, whenOf } from "../../context/rules/lines.ts";
import { DEFAULT_PROFILE } from "../../context/rules/profiles.ts";
import type { ContextProfile, ContextSectionKind, Safe, Said } from "../../context/rules/types.ts";
import type { Memory } from "../../memory/rules/memory.ts";
import { compactContext } from "./compact.ts";

const KNOWLEDGE_CHARS = 5_000;
const IMPORTANT = 0.7;
/** The category that gets no tag. */
const GENERAL = "general";
/** The system rounds this tie to the even digit, toFixed to the odd one. */
const TIE = 0.25;

function line(kind: ContextSectionKind, said: Said, safe: Safe): string | undefined {
  if (said.kind === "message") {
    return `${whenOf(kind, said)}${said.role.toUpperCase()}: ${safe(said.text)}`;
  }
  if (said.kind !== "memory" || kind === "daily-log") return undefined;
  return memoryLine(said.memory, safe);
}

function memoryLine(memory: Memory, safe: Safe): string | undefined {
  const { category, structure, text } = memory.content;
  if (isEpisode(memory)) return episodeLine(memory, safe);
  if (structure?.kind === "entity") return undefined;
  if (structure?.kind === "relation") {
    const { subject, predicate, object } = structure.relation;
    const { confidence } = memory.strength;
    const tenths = confidence === TIE ? "0.2" : confidence.toFixed(1);
    const sure = confidence < 1 ? ` (confidence: ${tenths})` : "";
    return `- ${safe(subject)} --[${safe(predicate)}]--> ${safe(object)}${sure}`;
  }
  const tag = category === GENERAL ? "" : `[${safe(oneLine(category))}]`;
  return `- ${tag} ${safe(text)}`;
}

/** The context profile of selectools. */
export const selectools: ContextProfile = {
  ...DEFAULT_PROFILE,
  name: "selectools",
  sections: ["long-term", "entities", "episodes", "conversation"],
  threshold: 0.7,
  defaults: {
    summary: { heading: "[Earlier conversation summary]" },
    "long-term": {
      heading: "",
      groupOf: (one) =>
        importanceOf(one) >= IMPORTANT ? "[Important Knowledge]" : "[General Knowledge]",
      order: by((one) => -importanceOf(one)),
      maxChars: KNOWLEDGE_CHARS,
    },
    entities: { heading: "[Known Entities]" },
    relations: { heading: "[Known Relationships]", order: by(memoryNo) },
    episodes: { heading: "[Recent Episodes]" },
    "recalled-messages": { heading: "[Recalled Messages]" },
    documents: { heading: "[Documents]" },
    conversation: { heading: "[Conversation]", limit: 10_000 },
    "daily-log": { heading: "" },
  },
  guarded: false,
  searches: false,
  line,
  pack: compactContext,
};
