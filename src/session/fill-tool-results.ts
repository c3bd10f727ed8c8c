// Filled results give way: when a tool answers after all, its own result takes their place.

import { answerOnly, type Changing, changeSession, DoFirst, saved } from "../core/change.ts";
import type { Codec } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { type NewInsert, placeInserts } from "../core/insert-places.ts";
import type { FillToolResultsInput } from "../core/window-api.ts";
import { changeWindow, planOf } from "../core/window-change.ts";
import { detailReader, mergeInserts, sessionTotals } from "../core/window-view.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { sessionNotFound, windowFull } from "../kit/errors.ts";
import { makeInsertId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SessionDecision, SessionView, StoredEntry } from "../store/store.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { type CountedRule, countedRule, isSameRule } from "../window/policy/token-rules.ts";
import { type CallToFill, callsToFill, FILL_NOTICE } from "../window/rules/tool-result-fill.ts";
import { ROLE, type WindowEntry } from "../window/rules/types.ts";
import type { WindowInsert } from "./rules/session.ts";

/** An append to a window. */
export interface Arrival {
  /** The messages of the log in the window before, by rising seq. */
  readonly window: readonly WindowEntry[];
  readonly messages: readonly WindowEntry[];
}

/** Whether messages may answer a call that was filled, so that the window must be looked at. */
export function mayAnswerFilled(
  inserts: readonly WindowInsert[],
  messages: readonly Pick<WindowEntry, "isResult" | "answers">[],
): boolean {
  return (
    inserts.some(({ kind }) => kind === "result") &&
    messages.some((message) => message.isResult || message.answers.length > 0)
  );
}

/**
 * The inserts that still stand after messages came: a filled result is left out when one of them
 * answers its call. Gives back the very list it got when all stand.
 */
export function withoutAnswered(
  inserts: readonly WindowInsert[],
  arrival: Arrival,
  codec: Codec,
): readonly WindowInsert[] {
  if (!mayAnswerFilled(inserts, arrival.messages)) return inserts;
  const filled = new Map<WindowInsert, string>();
  for (const insert of inserts) {
    const [callId] = insert.kind === "result" ? codec.readFacts(insert.bytes).answers : [];
    if (callId !== undefined) filled.set(insert, callId);
  }
  const { window, messages } = arrival;
  const called = newestCalls(window, new Set(filled.values()));
  for (const [index, message] of messages.entries()) {
    for (const callId of message.answers) {
      const seq = called.get(callId);
      if (seq !== undefined) drop(filled, [callId], seq);
    }
    if (message.role === ROLE.tool && message.answers.length === 0) {
      // Without an id it answers one of the calls right before it.
      const before = [window, messages.slice(0, index)];
      const call = findLast(before, (entry) => !entry.isResult);
      if (call !== undefined) drop(filled, call.callIds, call.seq);
    }
    for (const callId of message.callIds) if (called.has(callId)) called.set(callId, message.seq);
  }
  const left = inserts.filter((insert) => insert.kind !== "result" || filled.has(insert));
  return left.length === inserts.length ? inserts : left;
}

/** Index of the newest call of each id; 0 for those not called in the window. */
function newestCalls(
  window: readonly WindowEntry[],
  callIds: ReadonlySet<string>,
): Map<string, number> {
  const seqs = new Map([...callIds].map((callId) => [callId, 0]));
  for (const entry of window) {
    for (const callId of entry.callIds) if (seqs.has(callId)) seqs.set(callId, entry.seq);
  }
  return seqs;
}

/** Drops the first filled result of some calls that were made at a seq. */
function drop(filled: Map<WindowInsert, string>, callIds: readonly string[], seq: number): void {
  for (const callId of callIds) {
    for (const [insert, answered] of filled) {
      if (answered !== callId || insert.position < seq) continue;
      filled.delete(insert);
      return;
    }
  }
}

function findLast(
  lists: readonly (readonly WindowEntry[])[],
  isMeant: (entry: WindowEntry) => boolean,
): WindowEntry | undefined {
  return lists
    .toReversed()
    .map((list) => list.findLast(isMeant))
    .find((one) => one !== undefined);
}

// FillToolResults: answers the tool calls of the window that have no result, with results that
// stand in the window only.

const RANDOM_BYTES = 10;

/** Fields that only summaries have. */
const NO_SUMMARY = { ranges: [], firstMs: 0, version: 0, hook: "", stage: "", level: 0 } as const;

/** Token count of the text of the results. */
interface Counted {
  readonly text: string;
  readonly rule: CountedRule;
  readonly tokenCount: number;
}

interface ToolResultFill extends Changing {
  readonly input: FillToolResultsInput;
  /** Random bytes for the ids of as many results as a window may hold. */
  readonly random: Uint8Array;
  counted: Counted | undefined;
}

/** Answers every open tool call of the window of a session. */
export async function fillToolResults(
  context: ServiceContext,
  call: Call,
  input: FillToolResultsInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = input;
  const nowMs = context.world.nowMs();
  const random = context.world.random(LIMITS.filledResults * RANDOM_BYTES);
  const target = { namespace, sessionId };
  const toolResultFill = { context, call, input, nowMs, random, counted: undefined };
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideFill(toolResultFill, view),
  );
}

function decideFill(
  toolResultFill: ToolResultFill,
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { context, input, nowMs, counted } = toolResultFill;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { policy, inserts } = session.fields;
  const window = view.window();
  const entries = mergeInserts(window, inserts, context.codec);
  const fill = { rule: "always", newestOnly: input.newestOnly } as const;
  const open = callsToFill(entries, fill, detailReader(context.codec));
  if (open.length === 0) {
    const totals = sessionTotals(session);
    const nothing = { revision: session.head.revision, messages: [], window: totals };
    return answerOnly(toolResultFill, input.encode(nothing));
  }
  const text =
    [input.text, policy.toolResultFill?.text ?? "", FILL_NOTICE].find((one) => one !== "") ?? "";
  const rule = countedRule(policy);
  if (counted?.text !== text || !isSameRule(counted.rule, rule)) {
    throw new DoFirst(async () => {
      const tokenCount = await context.tokens.countText(text, rule);
      toolResultFill.counted = { text, rule, tokenCount };
    });
  }
  const results = inserts.filter(({ kind }) => kind === "result").length + open.length;
  if (results > LIMITS.filledResults) throw windowFull(`${LIMITS.filledResults} filled results`);
  const made = open.map((one, index) => resultFor(toolResultFill, one, index, counted));
  const added = made.map((insert, index) => ({ insert, after: placeOf(entries, open[index]) }));
  const fields = { ...session.fields, inserts: placeInserts(inserts, added) };
  const change = changeWindow(
    context,
    { session: { ...session, fields }, window, stamp: { revision, nowMs }, tasks: view.tasks },
    [],
  );
  const bytes = input.encode({
    revision,
    messages: made.map((insert) => insert.bytes),
    window: change.totals,
  });
  const toolCallIds = open.map(({ callId }) => callId);
  const plan = planOf(session, change);
  const details = [{ type: EVENT_TYPE.toolResultsFilled, toolCallIds, window: change.totals }];
  return saved(toolResultFill, view, { result: bytes, session, plan, details, bytes });
}

function resultFor(
  { context, random, nowMs }: ToolResultFill,
  { callId, callName }: CallToFill,
  index: number,
  { text, tokenCount }: Counted,
): NewInsert["insert"] {
  const start = index * RANDOM_BYTES;
  const messageId = makeInsertId("result", random.subarray(start, start + RANDOM_BYTES));
  const made = {
    messageId,
    kind: "result",
    role: ROLE.tool,
    trust: TRUST.low,
    text,
    tokenCount,
    toolCallId: callId,
    name: callName,
    createMs: nowMs,
  } as const;
  const bytes = context.codec.encodeMade(made);
  return {
    ...{ kind: "result", messageId, tokenCount, bytes, createMs: nowMs, trust: TRUST.low },
    ...NO_SUMMARY,
  };
}

/** The position of the entry that a result stands behind. */
function placeOf(entries: readonly StoredEntry[], call: CallToFill | undefined): number {
  const position = call?.position ?? 0;
  return entries.findLast((entry) => entry.seq <= position)?.seq ?? 0;
}
