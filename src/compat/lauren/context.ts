// Contexts of lauren-ai: the best facts about the user, each with its confidence.

import { isEpisode } from "../../context/rules/lines.ts";
import { DEFAULT_PROFILE } from "../../context/rules/profiles.ts";
import type { ContextProfile } from "../../context/rules/types.ts";
import { confidenceLabel } from "../../memory/rules/memory.ts";

/** The context profile of lauren-ai. */
export const lauren: ContextProfile = {
  ...DEFAULT_PROFILE,
  name: "lauren",
  sections: ["long-term"],
  defaults: { "long-term": { limit: 5, heading: "## What I remember about you:" } },
  guarded: false,
  line: (kind, said, safe) => {
    if (said.kind !== "memory" || kind === "daily-log" || isEpisode(said.memory)) return undefined;
    const { content, strength } = said.memory;
    const structured =
      content.structure?.kind === "entity" || content.structure?.kind === "relation";
    if (structured) return undefined;
    return `- ${safe(content.text)} (confidence: ${confidenceLabel(strength.confidence)})`;
  },
};
