// FillToolResults: answers the tool calls of the window that have no result, with results that
// stand in the window only.

import { sessionNotFound, windowFull } from "../domain/errors.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { makeInsertId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Session } from "../domain/session.ts";
import { TRUST } from "../domain/summaries/summary.ts";
import { type CountedRule, countedRule, isSameRule } from "../domain/token-rules.ts";
import { type CallToFill, callsToFill, FILL_NOTICE } from "../domain/window/tool-result-fill.ts";
import { ROLE } from "../domain/window/types.ts";
import type { SessionDecision, SessionView, StoredEntry } from "../storage/store.ts";
import type { Call } from "./api.ts";
import { changeSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { type NewInsert, placeInserts } from "./insert-places.ts";
import { newEvents } from "./new-events.ts";
import type { FillToolResultsInput } from "./window-api.ts";
import { changeWindow, planOf } from "./window-change.ts";
import { detailReader, mergeInserts, sessionTotals } from "./window-view.ts";

const RANDOM_BYTES = 10;

/** What only summaries have. */
const NO_SUMMARY = { ranges: [], firstMs: 0, version: 0, hook: "", stage: "", level: 0 } as const;

/** What the text of the results costs. */
interface Counted {
  readonly text: string;
  readonly rule: CountedRule;
  readonly tokenCount: number;
}

/** Asks for the text to be counted before deciding again. */
interface NeedCount {
  readonly text: string;
  readonly rule: CountedRule;
}

interface ToolResultFill {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: FillToolResultsInput;
  readonly nowMs: number;
  /** Random bytes for the ids of as many results as a window may hold. */
  readonly random: Uint8Array;
  readonly counted: Counted | undefined;
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
  const target = { namespace, sessionId, needWindow: true };
  let counted: Counted | undefined;
  for (;;) {
    const toolResultFill: ToolResultFill = { context, call, input, nowMs, random, counted };
    const result = await changeSession<NeedCount>(context, call, target, (view) =>
      decideFill(toolResultFill, view),
    );
    if (result instanceof Uint8Array) return result;
    const tokenCount = await context.tokens.countText(result.text, result.rule);
    counted = { ...result, tokenCount };
  }
}

function decideFill(
  toolResultFill: ToolResultFill,
  view: SessionView,
): SessionDecision<NeedCount | Uint8Array> {
  const { context, call, input, nowMs, counted } = toolResultFill;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { policy, inserts } = session.fields;
  const window = view.window ?? [];
  const entries = mergeInserts(window, inserts, context.codec);
  const fill = { rule: "always", newestOnly: input.newestOnly } as const;
  const open = callsToFill(entries, fill, detailReader(context.codec));
  if (open.length === 0) return unchanged(toolResultFill, session);
  const text =
    [input.text, policy.toolResultFill?.text ?? "", FILL_NOTICE].find((one) => one !== "") ?? "";
  const rule = countedRule(policy);
  if (counted === undefined || counted.text !== text || !isSameRule(counted.rule, rule)) {
    return { kind: "answer", result: { text, rule } };
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
  const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    { type: EVENT_TYPE.toolResultsFilled, toolCallIds, window: change.totals },
  ]);
  const plan = { ...planOf(session, change), events, ...replyPart(call, nowMs, bytes) };
  return { kind: "save", result: bytes, plan };
}

function unchanged(
  { call, input, nowMs }: ToolResultFill,
  session: Session,
): SessionDecision<Uint8Array> {
  const window = sessionTotals(session);
  const bytes = input.encode({ revision: session.head.revision, messages: [], window });
  return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
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
