// MARSYS: how its later releases compact a memory, and what they tell of it.

import { EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import { type Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  type MessagePreview,
  type PolicyPreview,
  StageOn,
  Verdict,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import { CompactOutcome } from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import type { Totals } from "../../clients/typescript/src/gen/memorysidecar/v1/window.ts";
import { atLeast } from "./compare.ts";
import { CaseFault, objectOf } from "./json.ts";
import {
  type Chain,
  type Costed,
  chainOf,
  graceOf,
  leftOut,
  PACKING,
  type Stage,
  SUMMARIZATION,
  TRUNCATION,
  tailStart,
  tokensOf,
} from "./marsys-chain.ts";
import { MAIN, type Memory, setOptions } from "./marsys-memory.ts";
import { roleName } from "./messages.ts";
import { eventsOf, getSession, getWindow, storedWindow, written } from "./session.ts";

const EVENT = "CompactionEvent";

/** A memory of this few messages is too small for a payload to be the matter with it. */
const FEW = 3;

interface Size {
  readonly tokens: number;
  readonly messages: number;
}

/** Previews of a policy's changes. */
interface Previews {
  readonly preview: PolicyPreview;
  /** Without regard to the newest question. */
  readonly unguarded: PolicyPreview;
  /** Cuts that a read makes before anything is compacted. */
  readonly read: PolicyPreview;
}

function sizeOf(totals: Totals | undefined): Size {
  return { tokens: Number(totals?.tokenCount ?? 0n), messages: Number(totals?.messageCount ?? 0n) };
}

async function previewed({ rpc }: Memory): Promise<Previews> {
  const { effectivePolicy: policy } = await getSession(rpc, MAIN);
  if (policy === undefined) throw new CaseFault("the session has no policy");
  const { protections } = policy;
  const unguarded = {
    ...policy,
    ...(protections === undefined
      ? {}
      : { protections: { ...protections, releaseLastUser: true } }),
  };
  const policies = [policy, unguarded].map(written);
  const occasions = [StageOn.REQUEST];
  const { previews } = await rpc.call("previewPolicy", { sessionId: MAIN, policies, occasions });
  const [preview, other] = previews;
  const [read] = (await rpc.call("previewPolicy", { sessionId: MAIN })).previews;
  if (preview === undefined || other === undefined || read === undefined) {
    throw new CaseFault("PreviewPolicy gave nothing");
  }
  return { preview, unguarded: other, read };
}

function costed(messages: readonly Message[]): readonly Costed[] {
  return messages.map((message) => ({ message, tokens: message.tokenCount ?? 0 }));
}

/** Cost of messages after the cuts that a read makes. */
function cutBy({ read }: Previews, messages: readonly Message[]): readonly Costed[] {
  const cut = new Map(shortened(read).map(({ messageId, tokenCount }) => [messageId, tokenCount]));
  return costed(messages).map(({ message, tokens }) => ({
    message,
    tokens: cut.get(message.messageId) ?? tokens,
  }));
}

function shortened({ messages }: PolicyPreview): readonly MessagePreview[] {
  return messages.filter(({ verdict }) => verdict === Verdict.SHORTENED);
}

function isLeading(messages: readonly Message[]): boolean {
  return messages[0]?.role === Role.SYSTEM;
}

/** Result of packing `before`, with its cost given, into the present window. */
async function packing(
  { rpc }: Memory,
  chain: Chain,
  { before, previews }: { readonly before: readonly Costed[]; readonly previews: Previews },
): Promise<Stage> {
  const tail = before.slice(
    tailStart(
      before.map(({ message }) => message),
      graceOf(chain, PACKING),
    ),
  );
  const after = sizeOf((await getWindow(rpc, MAIN)).windowTotals);
  const removed = ({ messages }: PolicyPreview) =>
    messages.filter(({ verdict }) => verdict === Verdict.REMOVED);
  const left = new Set(removed(previews.preview).map(({ messageId }) => messageId));
  return {
    stage: PACKING,
    pre_tokens: tokensOf(before),
    post_tokens: after.tokens,
    messages_dropped: before.length - after.messages,
    grace_messages: tail.length,
    grace_tokens: tokensOf(tail),
    // Messages that would have left if they were not the newest question.
    user_injected: removed(previews.unguarded).some(({ messageId }) => !left.has(messageId)),
  };
}

/** Packs what a summary left, as the source does whatever it costs, in a request of its own. */
async function packApart(memory: Memory, chain: Chain): Promise<Stage> {
  const before = cutBy(await previewed(memory), await storedWindow(memory.rpc, MAIN));
  await setOptions(memory, {
    processor_order: [PACKING],
    threshold_tokens: 0,
    compaction_target_tokens: chain.target,
  });
  const previews = await previewed(memory);
  await runPolicy(memory);
  await setOptions(memory, {});
  return await packing(memory, chain, { before, previews });
}

async function runPolicy({ rpc }: Memory): Promise<void> {
  const target = { $case: "runPolicy" as const, value: {} };
  await rpc.call("trimSession", { sessionId: MAIN, target });
}

/** The newest summary of `before` without its newest assistant turns; undefined for none. */
async function summarization(
  memory: Memory,
  before: readonly Costed[],
  start: number,
): Promise<Stage> {
  const skipped = { stage: SUMMARIZATION, skipped: true };
  if (start <= (isLeading(before.map(({ message }) => message)) ? 2 : 1)) {
    return { ...skipped, reason: "insufficient_prefix" };
  }
  if (!memory.model.present) return { ...skipped, reason: "no_model" };
  const types = [EventType.SUMMARY_SET, EventType.TASK_DEAD];
  const detail = (await eventsOf(memory.rpc, MAIN, types)).at(-1)?.detail;
  // The source takes a model that fails for one that says nothing that can be read.
  if (detail?.$case !== "summarySet") return { ...skipped, reason: "parse_failure" };
  const { model, addedTotals } = detail.value;
  const now = await getWindow(memory.rpc, MAIN);
  const made = now.messages.filter(({ seq }) => seq === 0n);
  const size = sizeOf(now.windowTotals);
  const others = before.length - (isLeading(before.map(({ message }) => message)) ? 1 : 0);
  const prefix = sizeOf(addedTotals).messages;
  return {
    stage: SUMMARIZATION,
    pre_compaction_tokens: tokensOf(before),
    pre_compaction_messages: others,
    post_compaction_tokens: size.tokens,
    post_compaction_messages: size.messages,
    prefix_count: prefix,
    protected_tail_count: others - prefix,
    compaction_model: model,
    images_retained: made.flatMap(({ parts }) => parts).filter((p) => p.part?.$case === "image")
      .length,
  };
}

function startOf(chain: Chain, list: readonly Costed[]): number {
  return tailStart(
    list.map(({ message }) => message),
    graceOf(chain, SUMMARIZATION),
  );
}

/** Runs the chain of the policy; gives what each processor says, nothing when none was needed. */
async function runChain(memory: Memory, before: readonly Message[]): Promise<readonly Stage[]> {
  const chain = chainOf(objectOf(memory.kase.given["policy"], "policy"));
  const own = await previewed(memory);
  const plain = costed(before);
  const truncated = leftOut(chain, TRUNCATION, plain) === undefined ? cutBy(own, before) : plain;
  const listFor = (name: string) => (name === TRUNCATION ? plain : truncated);
  const skipped = chain.processors.flatMap((name) => leftOut(chain, name, listFor(name)) ?? []);
  const isSkipped = (name: string) => skipped.some(({ stage }) => stage === name);
  const isUnsummarized = isSkipped(SUMMARIZATION) && chain.processors.at(-1) !== SUMMARIZATION;
  // Whether a summary saves enough to be made before something else runs is the caller's to say.
  if (isUnsummarized) {
    await setOptions(memory, { excluded_processors: [...chain.excluded, SUMMARIZATION] });
  }
  const previews = isUnsummarized ? await previewed(memory) : own;
  await runPolicy(memory);
  const ran = previews.preview.stageRuns.filter(({ triggers }) => triggers.length > 0);
  if (ran.length === 0) return [];
  const stages: Stage[] = [];
  for (const name of chain.processors) {
    const why = skipped.find(({ stage }) => stage === name);
    if (why !== undefined) stages.push(why);
    else if (name === TRUNCATION) stages.push(truncation(own, plain, truncated));
    else if (name === SUMMARIZATION) {
      stages.push(await summarization(memory, truncated, startOf(chain, truncated)));
    } else if (ran.some(({ stage }) => stage === SUMMARIZATION)) {
      stages.push(await packApart(memory, chain));
    } else stages.push(await packing(memory, chain, { before: truncated, previews }));
  }
  return stages;
}

function truncation(
  { read }: Previews,
  before: readonly Costed[],
  after: readonly Costed[],
): Stage {
  return {
    stage: TRUNCATION,
    truncated_count: shortened(read).length,
    tokens_saved: tokensOf(before) - tokensOf(after),
  };
}

/** Compacts a memory that is above its threshold. */
export async function compactIfNeeded(memory: Memory): Promise<void> {
  const before = await storedWindow(memory.rpc, MAIN);
  const pre = sizeOf((await getSession(memory.rpc, MAIN)).windowTotals);
  const stages = await runChain(memory, before);
  if (stages.length === 0) memory.compacted = { events: [], stages: [], returned: false };
  else await tell(memory, { pre, stages });
}

/** Remembers what was done, with the events of it. */
async function tell(
  memory: Memory,
  { pre, stages }: { readonly pre: Size; readonly stages: readonly Stage[] },
): Promise<void> {
  const post = sizeOf((await getWindow(memory.rpc, MAIN)).windowTotals);
  const sizes = { pre_tokens: pre.tokens, pre_messages: pre.messages };
  const events = [
    atLeast({ event: EVENT, status: "started", ...sizes }),
    atLeast({
      event: EVENT,
      status: "completed",
      ...sizes,
      post_tokens: post.tokens,
      post_messages: post.messages,
      stages_run: stages.filter((stage) => !("skipped" in stage)).map(({ stage }) => stage),
    }),
  ];
  const told = stages.map((stage) => atLeast(stage));
  memory.compacted = { events, stages: told, returned: true };
}

/**
 * Number of the newest assistant turns that stay after a payload error. The source cuts these off,
 * and then leaves the newest one of the rest alone as well; a case that rests on what was meant has
 * only the first.
 */
function assistantTurnsFor({ kase }: Memory, chain: Chain, before: readonly Message[]): number {
  const grace = graceOf(chain, SUMMARIZATION);
  const prefix = before.slice(0, tailStart(before, grace));
  const isMeant = kase.evidence === "decision" || kase.evidence === "seed";
  return isMeant || !prefix.some(({ role }) => role === Role.ASSISTANT) ? grace : grace + 1;
}

/** Summarizes at once what can be, whatever the threshold; says whether there was anything. */
export async function compactForError(memory: Memory): Promise<boolean> {
  const { rpc } = memory;
  const before = await storedWindow(rpc, MAIN);
  const pre = sizeOf((await getSession(rpc, MAIN)).windowTotals);
  const policy = objectOf(memory.kase.given["policy"], "policy");
  const chain = chainOf(policy);
  const count = assistantTurnsFor(memory, chain, before);
  const told = { ...chain.optionsOf(SUMMARIZATION), grace_recent_messages: count };
  await setOptions(memory, { [SUMMARIZATION]: told });
  const done = memory.model.present && (await summarizeNow(memory));
  await setOptions(memory, {});
  const boundary = tailStart(before, graceOf(chain, SUMMARIZATION));
  if (done) {
    const stage = await summarization(memory, costed(before), tailStart(before, count));
    const tail = costed(before).slice(boundary);
    await tell(memory, { pre, stages: [withoutTail(stage, tail)] });
    return true;
  }
  const sizes = { pre_tokens: pre.tokens, pre_messages: pre.messages };
  const statuses = before.length <= FEW || boundary <= 1 ? [] : ["started", "failed"];
  const events = statuses.map((status) => atLeast({ event: EVENT, status, ...sizes }));
  memory.compacted = { events, stages: [], returned: false };
  return false;
}

/** The source's account of the part that it gave to its processor. */
function withoutTail(stage: Stage, tail: readonly Costed[]): Stage {
  const less = (key: string, by: number) => Number(stage[key]) - by;
  const tokens = tokensOf(tail);
  return {
    ...stage,
    pre_compaction_tokens: less("pre_compaction_tokens", tokens),
    pre_compaction_messages: less("pre_compaction_messages", tail.length),
    post_compaction_tokens: less("post_compaction_tokens", tokens),
    post_compaction_messages: less("post_compaction_messages", tail.length),
    protected_tail_count: less("protected_tail_count", tail.length),
  };
}

async function summarizeNow({ rpc }: Memory): Promise<boolean> {
  const versions = (await getSession(rpc, MAIN)).placedSummaries.length;
  const choice = { $case: "stage" as const, value: SUMMARIZATION };
  const answer = await rpc.call("compactSession", { sessionId: MAIN, choice });
  if (answer.outcome === CompactOutcome.NOTHING) return false;
  return (await getSession(rpc, MAIN)).placedSummaries.length > versions;
}

/**
 * Cost of the memory since its compaction: of the window that a read shows, else of everything
 * kept.
 */
export async function compactedTokens({ rpc, compacted }: Memory): Promise<number> {
  if (compacted?.events.length !== 0)
    return sizeOf((await getWindow(rpc, MAIN)).windowTotals).tokens;
  return sizeOf((await getSession(rpc, MAIN)).windowTotals).tokens;
}

/**
 * Speakers in what the model was given. The instruction, which is the hook's own here, stands
 * first, and ends the newest question; where there is none at the end, it is a message of the user.
 */
export function summaryInputRoles({ model }: Memory): readonly (readonly string[])[] {
  return model.inputs.map(({ messages }) => {
    const roles = messages.map(({ role }) => roleName(role));
    return ["system", ...roles, ...(roles.at(-1) === "user" ? [] : ["user"])];
  });
}
