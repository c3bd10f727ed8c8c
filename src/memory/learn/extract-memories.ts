// ExtractMemories: finds facts, entities and relations now, in messages or in a text, and remembers
// them in one transaction. The hook is asked first; when it fails, nothing changes.

import { answerOnly, changeSession, liveSession, replayOf, saved } from "../../core/change.ts";
import { HookFailure } from "../../hooks/port.ts";
import { type Call, checkLive } from "../../kit/call.ts";
import { hookFailed, sessionNotFound } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { type Owner, ownerOf, type Session } from "../../session/rules/session.ts";
import type { SessionDecision, SessionView, StoredMessage } from "../../store/store.ts";
import {
  BUILTIN_EXTRACTOR,
  DEFAULT_MEMORY_POLICY,
  EXTRACTION_TARGETS,
  type ExtractionPolicy,
  type MemoryPolicy,
} from "../../window/policy/memory-policy.ts";
import type { ExtractMemoriesInput, ImportanceScore } from "../api.ts";
import {
  changeMemories,
  type MemoryWork,
  memoryWork,
  rememberDetails,
} from "../change-memories.ts";
import type { MemoryParts } from "../parts.ts";
import { isOfOwner } from "../rules/job.ts";
import type { MemoryLookup } from "../rules/lookup.ts";
import type { Memory, MemoryScope } from "../rules/memory.ts";
import { planRemember } from "../rules/remember.ts";
import type { RememberPlan } from "../rules/rules.ts";
import {
  changedSince,
  extractBatch,
  extractionRules,
  extractorOf,
  type Found,
  newMemoriesOf,
  withoutForgotten,
  withoutMessages,
} from "./extract.ts";
import { scopeOf, stampOf } from "./give.ts";
import { scoreImportance } from "./promotable.ts";

/** The default extraction. */
const BY_RULES: ExtractionPolicy = {
  ...{ hook: BUILTIN_EXTRACTOR, on: "turn-end", targets: EXTRACTION_TARGETS },
  ...{ instructions: "", supersede: true },
};

/** Finds and remembers. */
export async function extractMemories(
  parts: MemoryParts,
  call: Call,
  input: ExtractMemoriesInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const work = memoryWork(parts, call, input);
  return input.sessionId === "" ? await fromText(work, input) : await fromSession(work, input);
}

/** The results, and how they are remembered. */
interface Finding {
  readonly work: MemoryWork;
  readonly input: ExtractMemoriesInput;
  readonly policy: MemoryPolicy & { readonly extraction: ExtractionPolicy };
  readonly found: Found;
  /** The messages that were read, by rising seq. */
  readonly messages: readonly StoredMessage[];
  /** The owner of the session when they were read; unset for a text. */
  readonly owner?: Owner;
  /** Importance; empty unless it is a preview. */
  readonly scores: readonly ImportanceScore[];
}

async function fromText(work: MemoryWork, input: ExtractMemoriesInput): Promise<Uint8Array> {
  const { namespace, scope } = input;
  const { context } = work.parts;
  const { requestId } = work.call;
  const replay = await context.store.changeMemories({ namespace, requestId }, (view) => ({
    kind: "answer",
    result: replayOf(context, work.call, view.reply),
  }));
  if (replay !== undefined) return replay;
  const policy = { ...DEFAULT_MEMORY_POLICY, extraction: input.extraction ?? BY_RULES };
  const found = await find(work, input, { scope, policy, messages: [] });
  const scores = await scoresOf(work, input, { policy, messages: [] });
  const finding: Finding = { work, input, policy, found, messages: [], scores };
  return await changeMemories(work, ({ memories, revision }) => {
    const plan = planOf(finding, { scope, session: undefined, found, lookup: memories, revision });
    const { bytes, isSaved } = answerOf(finding, plan, { lookup: memories, revision });
    const answer = () => bytes;
    if (!isSaved) return { answer };
    const { put, remove } = plan;
    return {
      plan: { put, remove },
      details: rememberDetails(plan, memories, "extraction"),
      answer,
    };
  });
}

async function fromSession(work: MemoryWork, input: ExtractMemoriesInput): Promise<Uint8Array> {
  const { parts, call } = work;
  const { context } = parts;
  const { namespace, sessionId } = input;
  const ref = { namespace, sessionId };
  const replay = await changeSession<undefined>(context, call, ref, () => ({
    kind: "answer",
    result: undefined,
  }));
  if (replay !== undefined) return replay;
  const session = liveSession(context, await context.store.readSession(ref));
  if (session === undefined) throw sessionNotFound(sessionId);
  const policy = policyFor(session, input);
  const messages = await messagesOf(work, session, input);
  const scope = scopeOf(session, policy);
  const found = await find(work, input, { scope, policy, messages });
  const scores = await scoresOf(work, input, { policy, messages });
  const owner = ownerOf(session);
  const finding: Finding = { work, input, policy, found, messages, owner, scores };
  return await changeSession<Uint8Array>(context, call, ref, (view) => decide(finding, view));
}

/** Importance of the messages or the text of a preview. */
async function scoresOf(
  { parts, call }: MemoryWork,
  { preview, text, importanceRules }: ExtractMemoriesInput,
  { policy, messages }: Pick<Finding, "policy" | "messages">,
): Promise<readonly ImportanceScore[]> {
  if (!preview) return [];
  const own = policy.promotion?.importanceRules ?? [];
  const rules = importanceRules.length === 0 ? own : importanceRules;
  return await scoreImportance(parts, call, { text, messages, rules });
}

function policyFor({ fields }: Session, { extraction }: ExtractMemoriesInput): Finding["policy"] {
  const policy = fields.memoryPolicy ?? DEFAULT_MEMORY_POLICY;
  return { ...policy, extraction: extraction ?? policy.extraction ?? BY_RULES };
}

/** The messages to read: the newest few, or the first ones of the named range. */
async function messagesOf(
  { parts }: MemoryWork,
  { head }: Session,
  { namespace, sessionId, firstSeq, lastSeq }: ExtractMemoriesInput,
): Promise<readonly StoredMessage[]> {
  const last = Math.min(head.lastSeq, lastSeq === 0 ? Infinity : lastSeq);
  const first = Math.max(1, firstSeq);
  const isNewest = firstSeq === 0;
  const limit = isNewest ? LIMITS.extractMessagesDefault : LIMITS.extractMessages;
  const messages: StoredMessage[] = [];
  let [from, to] = [first, last];
  // A page may end before its limit.
  while (from <= to && messages.length < limit) {
    const page = await parts.context.store.listMessages(
      { namespace, sessionId },
      {
        ...{ firstSeq: from, lastSeq: to, order: isNewest ? "desc" : "asc" },
        limit: limit - messages.length,
      },
    );
    messages.push(...(page?.messages ?? []));
    if (page?.next === undefined) break;
    if (isNewest) to = page.next;
    else from = page.next;
  }
  return isNewest ? messages.reverse() : messages;
}

async function find(
  { parts, call }: MemoryWork,
  { namespace, sessionId, text }: ExtractMemoriesInput,
  what: {
    readonly scope: MemoryScope;
    readonly policy: Finding["policy"];
    readonly messages: readonly StoredMessage[];
  },
): Promise<Found> {
  const { signal } = call;
  const { scope, messages } = what;
  const policy = what.policy.extraction;
  const batch = { namespace, sessionId, messages, text, scope, policy, signal };
  try {
    return await extractBatch(parts, batch);
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    checkLive(signal);
    throw hookFailed(
      extractorOf(policy),
      "The extraction hook failed. Nothing was changed.",
      error,
    );
  }
}

/**
 * Remembers the results of messages that have not changed since they were read, of a session that
 * has the same owner.
 */
function decide(finding: Finding, view: SessionView): SessionDecision<Uint8Array> {
  const { work, input, found, messages, policy } = finding;
  const { session, memories: lookup, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const changed = isOfOwner(finding, ownerOf(session)) ? changedSince(messages, view) : messages;
  const isGone = new Set(changed.map(({ messageId }) => messageId));
  const left = { ...withoutMessages(found, isGone), known: found.known };
  const scope = scopeOf(session, policy);
  const plan = planOf(finding, { scope, session, found: left, lookup, revision });
  const { bytes, isSaved } = answerOf(finding, plan, { lookup, revision });
  const changing = { ...work, context: work.parts.context };
  if (!isSaved) return answerOnly(changing, bytes);
  const { put, remove } = plan;
  const details = rememberDetails(plan, lookup, "extraction").map(({ detail }) => detail);
  // The session was not used: its time to live goes on.
  const head = { ...session.head, revision };
  return saved(changing, view, {
    ...{ result: bytes, bytes, session, details },
    plan: { memories: { put, remove }, head },
  });
}

/** Context of a decision. */
interface At {
  readonly lookup: MemoryLookup;
  readonly revision: number;
}

function planOf(
  { work, policy, messages }: Finding,
  {
    scope,
    session,
    found,
    lookup,
    revision,
  }: At & {
    readonly scope: MemoryScope;
    readonly session: Session | undefined;
    readonly found: Found;
  },
): RememberPlan {
  const messageIds = messages.map(({ messageId }) => messageId);
  const hook = extractorOf(policy.extraction);
  const all = newMemoriesOf(found, { scope, session, messageIds, hook });
  const news = withoutForgotten(all, found, lookup);
  const { parts, nowMs, call } = work;
  const stamp = { ...stampOf(parts.context, { revision, nowMs }), writer: call.writer };
  return planRemember(lookup, news, extractionRules(policy), stamp);
}

/** The answer, and whether there is anything to save. */
function answerOf(
  { input, found, scores }: Finding,
  plan: RememberPlan,
  { lookup, revision }: At,
): { readonly bytes: Uint8Array; readonly isSaved: boolean } {
  const isSaved = !input.preview && (plan.put.length > 0 || plan.remove.length > 0);
  const { rejectedCount } = found;
  const memories = memoriesOf(plan, lookup).map((memory) =>
    input.preview ? asNew(memory) : memory,
  );
  const bytes = input.encode({
    ...{ memories, rejectedCount, createdCount: plan.createdIds.length, scores },
    revision: isSaved ? revision : 0,
  });
  return { bytes, isSaved };
}

/** The memories that hold the results, each once, in their final state. */
function memoriesOf({ put, results, evictedIds }: RememberPlan, lookup: MemoryLookup): Memory[] {
  const states = new Map(put.map((memory) => [memory.memoryId, memory]));
  const evicted = new Set(evictedIds);
  const ids = new Set(
    results.flatMap(({ memory }) => (memory === undefined ? [] : [memory.memoryId])),
  );
  return [...ids].flatMap((id) => {
    const memory = evicted.has(id) ? undefined : (states.get(id) ?? lookup.byId(id));
    return memory === undefined ? [] : [memory];
  });
}

/** A memory as it would be stored: a new one has no id yet. */
function asNew(memory: Memory): Memory {
  return { ...memory, memoryId: "", supersededBy: "", etagRevision: 0 };
}
