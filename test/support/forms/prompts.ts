// Prompts of any messages with a block in every place, as AssembleContext makes them.

import { promptRules } from "../../../src/context/assemble-context.ts";
import { sectionsInBlocks, withCallIds } from "../../../src/context/rules/blocks.ts";
import { packContext } from "../../../src/context/rules/pack.ts";
import { DEFAULT_PROFILE, withMessages } from "../../../src/context/rules/profiles.ts";
import type {
  BlockRules,
  Candidate,
  ContextSectionKind,
  FoundSection,
} from "../../../src/context/rules/types.ts";
import { CODEC } from "../../../src/edge/codec.ts";
import type { MessageForm } from "../../../src/gen/memorysidecar/v1/message.ts";
import { addedIn, fromForm } from "../../../src/session/form-wire.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import { countBy, memoryOf, plainRule, remembered, saidBy } from "../memory/context.ts";

const FENCE = { kind: "tag", tag: "known" } as const;
const CALL = { toolName: "recall", toolCallId: "a", arguments: '{"query":"home"}' };

function block(name: string, sections: readonly ContextSectionKind[], rest: Partial<BlockRules>) {
  const none = { fence: FENCE, hasSectionMarks: false, maxTokens: Infinity, call: undefined };
  return { ...{ name, sections, place: "system" as const }, ...none, ...rest };
}

const BLOCKS: readonly BlockRules[] = [
  block("facts", ["long-term"], {}),
  block("pages", ["documents"], { place: "tool-result", call: CALL }),
  block("people", ["entities"], { place: "user-message" }),
  // The history may have a call with this id, too.
  block("days", ["episodes"], { place: "tool-result", call: { ...CALL, arguments: "{}" } }),
];

/** The texts that stand in the prompt, one in each block. */
export const BLOCK_TEXTS = ["A fact.", "A page.", "A person.", "A day."];

function conversation(stored: readonly Uint8Array[]): FoundSection {
  const facts = stored.map((bytes) => CODEC.readFacts(bytes));
  const newest = facts.findLastIndex(({ role, isResult }) => role === ROLE.user && !isResult);
  const candidates = stored.map((bytes, place): Candidate => {
    const isSystem = facts[place]?.role === ROLE.system;
    const role = place === newest ? "newest-user" : isSystem ? "system" : "other";
    const apart = { bytes, tokenCount: 1, isFixed: true, role } as const;
    return { ...saidBy("user", "", { place, id: `${place}` }), apart };
  });
  return { kind: "conversation", candidates: candidates.reverse() };
}

/** Gives the messages of a prompt. */
export async function promptWithBlocks(
  form: MessageForm,
  stored: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  const name = fromForm(form);
  if (name === undefined) throw new Error("no form");
  const [fact = "", page = "", person = "", day = ""] = BLOCK_TEXTS;
  const known = (kind: ContextSectionKind, text: string): FoundSection => {
    return { kind, candidates: [remembered(memoryOf({ text }))] };
  };
  const found = [
    ...[conversation(stored), known("long-term", fact), known("documents", page)],
    ...[known("entities", person), known("episodes", day)],
  ];
  const callIds = new Set(stored.flatMap((bytes) => CODEC.readFacts(bytes).callIds));
  const blocks = withCallIds(BLOCKS, callIds);
  const addedTo = (messages: readonly Uint8Array[]) => addedIn(name, messages);
  const packed = await packContext(
    found,
    {
      profile: DEFAULT_PROFILE,
      fence: true,
      sections: sectionsInBlocks(withMessages(DEFAULT_PROFILE, [], stored.length), blocks),
      budgetTokens: 1_000_000,
      blocks,
      prompt: promptRules({ codec: CODEC }, { addedTo }),
    },
    countBy(plainRule("words")),
  );
  return packed.messages;
}
