// Contexts of definable: the conversation between its marks, with summaries among the messages.

import { DEFAULT_PROFILE } from "../../context/rules/profiles.ts";
import type { ContextProfile } from "../../context/rules/types.ts";

/** The context profile of definable. */
export const definable: ContextProfile = {
  ...DEFAULT_PROFILE,
  name: "definable",
  sections: ["conversation"],
  defaults: {
    conversation: { heading: "<conversation_history>", footer: "</conversation_history>" },
  },
  guarded: false,
  summaryAmongMessages: true,
  line: (kind, said, safe) => {
    if (said.kind !== "message" || kind !== "conversation") return undefined;
    return `${said.role === "summary" ? "[Summary]" : said.role}: ${safe(said.text)}`;
  },
};
