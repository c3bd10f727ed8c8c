// MARSYS: how its later releases compact a memory, and what they tell of it.

import { EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import type { Message } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  type MessagePreview,
  type PolicyPreview,
  Verdict,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy_rpc.ts";
import {
  type PolicyStage,
  StageOn,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy_stage.ts";
import { CompactOutcome } from "../../clients/typescript/src/gen/memorysidecar/v1/summary_rpc.ts";
import { TaskFailureReason } from "../../clients/typescript/src/gen/memorysidecar/v1/task.ts";
import type { Totals } from "../../clients/typescript/src/gen/memorysidecar/v1/window.ts";
import { atLeast } from "./compare.ts";
import { CaseFault } from "./json.ts";
import { MAIN, type Memory } from "./marsys-memory.ts";
import { roleName } from "./messages.ts";
import { eventsOf, getSession, getWindow, storedWindow } from "./session.ts";

const EVENT = "CompactionEvent";
const SUMMARIZATION = "summarization";

interface Size {
  readonly tokens: number;
  readonly messages: number;
}

/** What is known of a memory around a compaction. */
interface Around {
  readonly memory: Memory;
  readonly before: readonly Message[];
  readonly pre: Size;
  readonly post: Size;
  readonly previews: Previews;
  /** The stages that acted. */
  readonly acted: ReadonlySet<string>;
}

/** What a policy was going to do. */
interface Previews {
  readonly preview: PolicyPreview;
  /** Without regard to the newest question. */
  readonly unguarded: PolicyPreview;
  /** Packing into no room at all: what is left even so is left alone. */
  readonly tight: PolicyPreview;
  /** What a read cuts, before anything is compacted. */
  readonly read: PolicyPreview;
}

type Stage = Readonly<Record<string, unknown>> & { readonly stage: string };

function sizeOf(totals: Totals | undefined): Size {
  return { tokens: Number(totals?.tokenCount ?? 0n), messages: Number(totals?.messageCount ?? 0n) };
}

function withoutRoom(stage: PolicyStage): PolicyStage {
  const { select } = stage;
  if (select?.$case !== "packNewest") return stage;
  return { ...stage, select: { ...select, value: { ...select.value, maxTokens: 0n } } };
}

async function previewed({ rpc }: Memory): Promise<Previews> {
  const { policy } = await getSession(rpc, MAIN);
  if (policy === undefined) throw new CaseFault("the session has no policy");
  const { protections } = policy;
  const unguarded = {
    ...policy,
    ...(protections === undefined ? {} : { protections: { ...protections, lastUser: false } }),
  };
  const policies = [policy, unguarded, { ...unguarded, stages: policy.stages.map(withoutRoom) }];
  const occasions = [StageOn.REQUEST];
  const { previews } = await rpc.call("previewPolicy", { sessionId: MAIN, policies, occasions });
  const [own, other, last] = previews;
  if (own === undefined || other === undefined || last === undefined) {
    throw new CaseFault("PreviewPolicy gave nothing");
  }
  const [read] = (await rpc.call("previewPolicy", { sessionId: MAIN })).previews;
  if (read === undefined) throw new CaseFault("PreviewPolicy gave nothing");
  return { preview: own, unguarded: other, tight: last, read };
}

function countOf(before: readonly Message[], list: readonly MessagePreview[]): Size {
  const ids = new Set(list.map(({ messageId }) => messageId));
  const found = before.filter(({ messageId }) => ids.has(messageId));
  return {
    tokens: found.reduce((sum, { tokenCount = 0 }) => sum + tokenCount, 0),
    messages: found.length,
  };
}

/** How many results were shortened, and what that saved. */
function shortened({ before, previews: { read } }: Around): { count: number; saved: number } {
  const cut = read.messages.filter(({ verdict }) => verdict === Verdict.SHORTENED);
  const left = cut.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  return { count: cut.length, saved: countOf(before, cut).tokens - left };
}

function truncation(around: Around): Stage {
  const { count, saved } = shortened(around);
  return { stage: "tool_truncation", truncated_count: count, tokens_saved: saved };
}

function packing(around: Around): Stage {
  const { before, pre, post, previews } = around;
  const { preview, unguarded, tight } = previews;
  const grace = countOf(
    before,
    tight.messages.filter(({ verdict }) => verdict !== Verdict.REMOVED),
  );
  const wouldLeave = new Set(
    unguarded.messages
      .filter(({ verdict }) => verdict === Verdict.REMOVED)
      .map(({ messageId }) => messageId),
  );
  const isInjected = preview.messages.some(
    ({ messageId, verdict }) => verdict !== Verdict.REMOVED && wouldLeave.has(messageId),
  );
  return {
    stage: "backward_packing",
    pre_tokens: pre.tokens - shortened(around).saved,
    post_tokens: post.tokens,
    messages_dropped: pre.messages - post.messages,
    grace_messages: grace.messages,
    grace_tokens: grace.tokens,
    user_injected: isInjected,
  };
}

const SKIPPED: Readonly<Record<number, string>> = {
  [TaskFailureReason.INVALID_OUTPUT]: "parse_failure",
};

/** What came of the summary that the policy asked for: the newest one, or none. */
async function summarization(around: Around): Promise<Stage> {
  const { memory, pre, post } = around;
  const types = [EventType.SUMMARY_SET, EventType.TASK_DEAD];
  const detail = (await eventsOf(memory.rpc, MAIN, types)).at(-1)?.detail;
  if (detail?.$case !== "summarySet") {
    const reason = detail?.$case === "taskDead" ? detail.value.reason : 0;
    return { stage: SUMMARIZATION, skipped: true, reason: SKIPPED[reason] ?? "error" };
  }
  const { model, added } = detail.value;
  const { messages } = await getWindow(memory.rpc, MAIN);
  const made = messages.filter(({ seq }) => seq === 0n);
  const prefix = sizeOf(added).messages;
  return {
    stage: SUMMARIZATION,
    pre_compaction_tokens: pre.tokens - shortened(around).saved,
    pre_compaction_messages: pre.messages,
    post_compaction_tokens: post.tokens,
    post_compaction_messages: post.messages,
    prefix_count: prefix,
    protected_tail_count: pre.messages - prefix,
    compaction_model: model,
    images_retained: made.flatMap(({ parts }) => parts).filter((p) => p.part?.$case === "image")
      .length,
  };
}

/** What each processor says of what it did, in their order. */
async function stagesOf(around: Around): Promise<readonly Stage[]> {
  const { acted } = around;
  const stages: Stage[] = [];
  if (acted.has("tool_truncation")) stages.push(truncation(around));
  if (acted.has(SUMMARIZATION)) stages.push(await summarization(around));
  if (acted.has("backward_packing")) stages.push(packing(around));
  return stages;
}

async function measured({ rpc }: Memory): Promise<Size> {
  return sizeOf((await getWindow(rpc, MAIN)).window);
}

/** Does something that compacts, and tells of it as the source does; gives whether it acted. */
async function compact(
  memory: Memory,
  act: (previews: Previews) => Promise<readonly string[]>,
): Promise<boolean> {
  const before = await storedWindow(memory.rpc, MAIN);
  const pre = sizeOf((await getSession(memory.rpc, MAIN)).window);
  const previews = await previewed(memory);
  const acted = new Set(await act(previews));
  const returned = acted.size > 0;
  if (!returned) {
    memory.compacted = { events: [], stages: [], returned };
    return returned;
  }
  const post = await measured(memory);
  const stages = await stagesOf({ memory, before, pre, post, previews, acted });
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
  memory.compacted = { events, stages: stages.map((stage) => atLeast(stage)), returned };
  return returned;
}

/** Compacts a memory that is above its threshold. */
export async function compactIfNeeded(memory: Memory): Promise<void> {
  await compact(memory, async ({ preview }) => {
    await memory.rpc.call("trimSession", {
      sessionId: MAIN,
      target: { $case: "runPolicy", value: true },
    });
    return preview.stageRuns
      .filter(({ triggers }) => triggers.length > 0)
      .map(({ stage }) => stage);
  });
}

/** Summarizes at once what can be, whatever the threshold; says whether there was anything. */
export async function compactForError(memory: Memory): Promise<boolean> {
  return await compact(memory, async () => {
    const choice = { $case: "stage" as const, value: SUMMARIZATION };
    const answer = await memory.rpc.call("compactSession", { sessionId: MAIN, choice });
    return answer.outcome === CompactOutcome.NOTHING ? [] : [SUMMARIZATION];
  });
}

/** What the memory costs since it was compacted: what a read shows; else all that is kept. */
export async function compactedTokens({ rpc, compacted }: Memory): Promise<number> {
  if (compacted?.events.length !== 0) return sizeOf((await getWindow(rpc, MAIN)).window).tokens;
  return sizeOf((await getSession(rpc, MAIN)).window).tokens;
}

/** Who speaks in what the model was given: first the instruction, which is the hook's own here. */
export function summaryInputRoles({ model }: Memory): readonly (readonly string[])[] {
  return model.inputs.map(({ messages }) => ["system", ...messages.map((m) => roleName(m.role))]);
}
