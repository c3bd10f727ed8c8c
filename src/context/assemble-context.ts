// AssembleContext: gathers what is known, what happened and what was said, and packs it into a
// budget of tokens. Reads only.

import { type Call, checkLive } from "../kit/call.ts";
import type { AssembleContextInput, AssembledContext } from "../memory/api.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { DEFAULT_POLICY } from "../window/policy/policy.ts";
import { type CountedRule, countedRule } from "../window/policy/token-rules.ts";
import { ROLE } from "../window/rules/types.ts";
import { asMessage, type Conversation, readConversation } from "./conversation.ts";
import { type Asking, type ContextParts, sectionOf } from "./parts.ts";
import { coverageOf, documentsFor, longTermFor, messagesFor, type Recalled } from "./recalled.ts";
import { entitiesFor, episodesFor, important, logFor, relationsFor } from "./remembered.ts";
import { sectionsInBlocks, withCallIds } from "./rules/blocks.ts";
import { contextCount } from "./rules/count.ts";
import { packContext } from "./rules/pack.ts";
import { sectionRules, withMessages } from "./rules/profiles.ts";
import type { Candidate, FoundSection, PromptRules, SectionRules } from "./rules/types.ts";

const NO_IDS: ReadonlySet<string> = new Set();

/** Makes the context of a prompt. */
export async function assembleContext(
  parts: ContextParts,
  call: Call,
  input: AssembleContextInput,
): Promise<AssembledContext> {
  checkLive(call.signal);
  const { context } = parts;
  const { profile, sessionId } = input;
  const talk = sessionId === "" ? undefined : await readConversation(parts, input);
  const asking = askingOf(parts, call, { input, talk });
  const { sections, budgetTokens } = asking;
  const { found, coverage } = await gather(asking, talk);
  checkLive(call.signal);
  const rule = ruleOf(input, talk);
  const fence = input.fence ?? profile.guarded;
  const count = contextCount(rule, (texts) => context.tokens.countTexts(texts, rule));
  const prompt = promptRules(context, input);
  const blocks = withCallIds(input.blocks, talk?.callIds ?? NO_IDS);
  const inBlocks = sectionsInBlocks(sections, blocks);
  const rules = { profile, fence, sections: inBlocks, blocks, budgetTokens, prompt };
  const packed = await packContext(found, rules, count);
  return { ...packed, coverage, tokenRule: rule.rule };
}

function askingOf(
  parts: ContextParts,
  call: Call,
  from: { readonly input: AssembleContextInput; readonly talk: Conversation | undefined },
): Asking {
  const { input, talk } = from;
  const { userId = "", agentId = "" } = talk?.session.fields ?? {};
  const threshold = input.compactionThreshold ?? input.profile.threshold;
  const nowMs = parts.context.world.nowMs();
  const viewer = input.scope ?? { userId, agentId, sessionId: input.sessionId };
  return {
    parts,
    call,
    input,
    viewer,
    nowMs,
    query: input.query.trim() === "" ? (talk?.newestUserText ?? "") : input.query,
    sections: sectionsFor(input, talk),
    budgetTokens: Math.max(1, Math.trunc(input.maxTokens * threshold)),
    referenceMs: input.referenceMs ?? nowMs,
  };
}

function sectionsFor(
  { addedTo, includeConversation, profile, sections }: AssembleContextInput,
  talk: Conversation | undefined,
): readonly SectionRules[] {
  if (addedTo !== undefined) {
    const fixed = talk?.messages.filter(({ apart }) => apart?.isFixed) ?? [];
    return withMessages(profile, sections, fixed.length);
  }
  const all = sectionRules(profile, sections);
  return includeConversation ? all : all.filter(({ kind }) => kind !== "conversation");
}

/** Makes the text of a context a message of the user, and each block messages of its place. */
export function promptRules(
  { codec }: Pick<ContextParts["context"], "codec">,
  { addedTo }: Pick<AssembleContextInput, "addedTo">,
): PromptRules | undefined {
  if (addedTo === undefined) return undefined;
  const messagesOf: PromptRules["messagesOf"] = (text, block) => {
    const messageId = block === undefined ? "context" : `context/${block.name}`;
    const made = { messageId, text, tokenCount: 0, createMs: 0, trust: TRUST.low };
    if (block?.call === undefined) {
      const role = block?.place === "system" ? ROLE.system : ROLE.user;
      return [codec.encodeMade({ ...made, kind: "summary", role, toolCallId: "", name: "" })];
    }
    const { toolName: name, toolCallId, arguments: given } = block.call;
    const call = { ...made, text: "", arguments: given, role: ROLE.assistant };
    const result = { ...made, succeeded: true, role: ROLE.tool };
    return [
      codec.encodeMade({ ...call, kind: "call", toolCallId, name }),
      codec.encodeMade({ ...result, kind: "result", toolCallId, name }),
    ];
  };
  return { messagesOf, addedTo };
}

function ruleOf({ counting }: AssembleContextInput, talk: Conversation | undefined): CountedRule {
  const own = countedRule(talk?.session.fields.policy ?? DEFAULT_POLICY);
  const rule = counting === undefined ? own : countedRule({ ...DEFAULT_POLICY, ...counting });
  // Nobody gives the count of a text of the server's own.
  return rule.rule === "given" ? { ...rule, rule: "bytes-div-4" } : rule;
}

/** Finds what may stand in the sections that are asked for. */
async function gather(
  asking: Asking,
  talk: Conversation | undefined,
): Promise<{ found: readonly FoundSection[]; coverage: AssembledContext["coverage"] }> {
  const none: Recalled = { candidates: [], coverage: undefined };
  const limitOf = (kind: FoundSection["kind"]): number => sectionOf(asking, kind)?.limit ?? 0;
  const want = async <T>(
    kind: FoundSection["kind"],
    otherwise: T,
    read: (limit: number) => Promise<T>,
  ): Promise<T> => (limitOf(kind) === 0 ? otherwise : await read(limitOf(kind)));
  const [longTerm, known, episodes, messages, documents, log] = await Promise.all([
    want("long-term", none, async (limit) => {
      const first = await important(asking, limit);
      return await longTermFor(asking, limit, first);
    }),
    knownFor(asking),
    want("episodes", [], (limit) => episodesFor(asking, limit)),
    want("recalled-messages", none, (limit) => messagesFor(asking, limit)),
    want("documents", none, (limit) => documentsFor(asking, limit)),
    want("daily-log", [], () => logFor(asking)),
  ]);
  const found: readonly FoundSection[] = [
    { kind: "summary", candidates: talk?.summary === undefined ? [] : [talk.summary] },
    { kind: "long-term", candidates: longTerm.candidates },
    { kind: "entities", candidates: known.entities },
    { kind: "relations", candidates: known.relations },
    { kind: "episodes", candidates: episodes },
    { kind: "recalled-messages", candidates: besideWindow(asking, talk, messages.candidates) },
    { kind: "documents", candidates: documents.candidates },
    { kind: "conversation", candidates: conversationOf(asking, talk) },
    { kind: "daily-log", candidates: log },
  ];
  return { found, coverage: coverageOf([longTerm, messages, documents]) };
}

async function knownFor(
  asking: Asking,
): Promise<{ entities: readonly Candidate[]; relations: readonly Candidate[] }> {
  const [entities, relations] = [sectionOf(asking, "entities"), sectionOf(asking, "relations")];
  if (entities === undefined && relations === undefined) return { entities: [], relations: [] };
  const known = await entitiesFor(asking, entities?.limit ?? 0);
  return {
    entities: entities === undefined ? [] : known.candidates,
    relations:
      relations === undefined ? [] : await relationsFor(asking, known.named, relations.limit),
  };
}

/**
 * Messages that were recalled and do not stand in the context anyway. Where the conversation is in
 * it, packing leaves those out that the budget lets it hold; where the caller sends the window
 * beside the context, none of the window is wanted.
 */
function besideWindow(
  asking: Asking,
  talk: Conversation | undefined,
  messages: readonly Candidate[],
): readonly Candidate[] {
  if (talk === undefined || sectionOf(asking, "conversation") !== undefined) return messages;
  const { sessionId } = talk.session;
  const shown = new Set(talk.messages.flatMap(({ ref }) => messageId(ref)));
  return messages.filter(({ ref }) => {
    if (ref.kind !== "message" || ref.sessionId !== sessionId) return true;
    return !shown.has(ref.messageId);
  });
}

function messageId(ref: Candidate["ref"]): readonly string[] {
  return ref.kind === "message" ? [ref.messageId] : [];
}

function conversationOf(asking: Asking, talk: Conversation | undefined): readonly Candidate[] {
  if (talk === undefined) return [];
  const { messages, summary } = talk;
  const isAmong = asking.input.profile.summaryAmongMessages && summary !== undefined;
  if (!isAmong || sectionOf(asking, "summary") !== undefined) return messages;
  return [...messages, asMessage(summary)];
}
