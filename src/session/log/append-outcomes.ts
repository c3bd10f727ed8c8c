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
  /** The window before the append; undefined when it is not loaded. */
  readonly window: readonly StoredEntry[] | undefined;
  /** Outcomes of tools whose messages are not appended, from the caller. */
  readonly given: readonly ToolOutcome[];
}

/**
 * The outcomes of an append, oldest first: what its results say, then what the caller says beside
 * them. None when no trigger of the policy names tools. "need-window" when a result does not name
 * its tool and the call may be in a window that is not loaded.
 */
export function outcomesOf(
  policy: Policy,
  source: OutcomeSource,
): readonly ToolOutcome[] | "need-window" {
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
      if (tool === "need-window") return "need-window";
      outcomes.push({ tool: tool.name, error: draft.failedIds.includes(callId) });
    }
    if (!isNamed && draft.answers.length === 0) {
      const tool = adjacentTool(index);
      if (tool === "need-window") return "need-window";
      outcomes.push({ tool: tool.name, error: draft.toolError });
    }
  }
  return [...outcomes, ...source.given].filter(({ tool }) => names.has(tool));
}

function isAnswer(draft: MessageDraft): boolean {
  return draft.role === ROLE.tool || draft.answers.length > 0;
}

/** The name of a tool, empty when no call is found, or the wish to look further. */
type Found = { readonly name: string } | "need-window";

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
    if (window === undefined) return "need-window";
    inWindow ??= callsOf(window);
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
  readonly caller: StoredEntry | undefined;
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
  const runBefore = (index: number): Run | undefined => {
    if (window !== undefined && run === undefined) {
      const at = window.findLastIndex((entry) => entry.role !== ROLE.tool);
      run = { caller: window[at], answered: new Set(), spare: 0 };
      for (const entry of window.slice(at + 1)) goOn(run, entry);
    }
    for (const entry of messages.slice(noted, index)) {
      if (entry.role !== ROLE.tool) run = { caller: entry, answered: new Set(), spare: 0 };
      else if (run !== undefined) goOn(run, entry);
    }
    noted = index;
    return run;
  };
  return (index) => {
    const now = runBefore(index);
    if (now === undefined) return "need-window";
    const { caller, answered, spare } = now;
    if (caller === undefined || caller.callIds.length === 0) return NOTHING;
    const { toolCalls } = codec.readDetail(caller.bytes);
    return toolCalls.filter(({ id }) => !answered.has(id))[spare] ?? NOTHING;
  };
}

function goOn(run: Run, { answers }: StoredEntry): void {
  for (const id of answers) run.answered.add(id);
  if (answers.length === 0) run.spare += 1;
}
