// Outcomes of the tools whose results an append brings, for the triggers that name tools.

import type { Codec, MessageDraft } from "../../core/codec.ts";
import { namedTools } from "../../core/window-view.ts";
import type { NewMessage, StoredEntry } from "../../store/store.ts";
import type { Policy } from "../../window/policy/policy.ts";
import { ROLE, type ToolOutcome } from "../../window/rules/types.ts";

/** Messages that outcomes are read from. */
export interface OutcomeSource {
  readonly codec: Codec;
  readonly drafts: readonly MessageDraft[];
  /** The drafts as they will be stored. */
  readonly messages: readonly NewMessage[];
  /** The window before the append. Read when it is asked for. */
  readonly window: () => readonly StoredEntry[];
  /** Outcomes of tools whose messages are not appended, from the caller. */
  readonly given: readonly ToolOutcome[];
}

/**
 * The outcomes of an append, oldest first: what its results say, then what the caller says beside
 * them. None when no trigger of the policy names tools.
 */
export function outcomesOf(policy: Policy, source: OutcomeSource): readonly ToolOutcome[] {
  if (source.given.length === 0 && !source.drafts.some(isAnswer)) return [];
  const names = namedTools(policy);
  if (names === undefined) return [];
  const outcomes: ToolOutcome[] = [];
  const toolOf = toolFinder(source);
  const adjacentTool = adjacentFinder(source);
  for (const [index, draft] of source.drafts.entries()) {
    if (!isAnswer(draft)) continue;
    const isNamed = draft.role === ROLE.tool && draft.name !== "";
    if (isNamed && draft.answers.length === 0) {
      outcomes.push({ tool: draft.name, error: draft.toolError });
    }
    for (const callId of draft.answers) {
      const tool = isNamed ? draft : toolOf(index, callId);
      outcomes.push({ tool: tool.name, error: draft.failedIds.includes(callId) });
    }
    if (!isNamed && draft.answers.length === 0) {
      const tool = adjacentTool(index);
      outcomes.push({ tool: tool.name, error: draft.toolError });
    }
  }
  return [...outcomes, ...source.given].filter(({ tool }) => names.has(tool));
}

function isAnswer(draft: MessageDraft): boolean {
  return draft.role === ROLE.tool || draft.answers.length > 0;
}

/** The name of a tool, empty when no call is found. */
interface Found {
  readonly name: string;
}

const NOTHING: Found = { name: "" };

type CallEntry = Pick<StoredEntry, "bytes">;

/**
 * Finds the tool of the newest call with an id before a draft. The drafts must be asked for by
 * rising index. Notes every call once, as appends may hold very many results.
 */
function toolFinder({
  codec,
  messages,
  window,
}: OutcomeSource): (index: number, callId: string) => Found {
  const inAppend = new Map<string, CallEntry>();
  let inWindow: ReadonlyMap<string, CallEntry> | undefined;
  let noted = 0;
  const tools = new Map<CallEntry, ReadonlyMap<string, string>>();
  const nameOf = (entry: CallEntry, callId: string): Found => {
    let names = tools.get(entry);
    if (names === undefined) {
      const { toolCalls } = codec.readDetail(entry.bytes);
      names = new Map(toolCalls.toReversed().map(({ id, name }) => [id, name]));
      tools.set(entry, names);
    }
    return { name: names.get(callId) ?? "" };
  };
  return (index, callId) => {
    for (; noted < index; noted++) noteCalls(inAppend, messages[noted]);
    const near = inAppend.get(callId);
    if (near !== undefined) return nameOf(near, callId);
    inWindow ??= callsOf(window());
    const far = inWindow.get(callId);
    return far === undefined ? NOTHING : nameOf(far, callId);
  };
}

function callsOf(entries: readonly StoredEntry[]): ReadonlyMap<string, CallEntry> {
  const calls = new Map<string, CallEntry>();
  for (const entry of entries) noteCalls(calls, entry);
  return calls;
}

function noteCalls(
  calls: Map<string, CallEntry>,
  entry: (CallEntry & Pick<StoredEntry, "callIds">) | undefined,
): void {
  if (entry === undefined) return;
  for (const id of entry.callIds) calls.set(id, entry);
}

/** A message that is no tool message, and what the tool messages right behind it answer. */
interface Run {
  readonly caller: StoredEntry;
  readonly answered: Set<string>;
  /** Number of them without an id. */
  spare: number;
}

/**
 * Finds the tool of a result without an id: results right behind a message with calls answer its
 * calls in order, those left over that no result names. The drafts must be asked for by rising
 * index.
 */
function adjacentFinder({ codec, messages, window }: OutcomeSource): (index: number) => Found {
  let run: Run | undefined;
  let noted = 0;
  return (index) => {
    const before = messages.slice(noted, index);
    noted = index;
    if (run === undefined && before.every(({ role }) => role === ROLE.tool)) {
      before.unshift(...window());
    }
    for (const entry of before) {
      if (entry.role !== ROLE.tool) run = { caller: entry, answered: new Set(), spare: 0 };
      else if (run !== undefined) goOn(run, entry);
    }
    if (run === undefined || run.caller.callIds.length === 0) return NOTHING;
    const { caller, answered, spare } = run;
    const { toolCalls } = codec.readDetail(caller.bytes);
    return toolCalls.filter(({ id }) => !answered.has(id))[spare] ?? NOTHING;
  };
}

function goOn(run: Run, { answers }: StoredEntry): void {
  for (const id of answers) run.answered.add(id);
  if (answers.length === 0) run.spare += 1;
}
