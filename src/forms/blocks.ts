// Brings the calls and the results of a window together, as all model APIs ask for it: the results
// of a call follow it at once, none stands without its call, and only the newest calls wait.

import { ROLE } from "../window/rules/types.ts";
import type { Block, BlockResult, CallPart, FormPart, Line, Notes, ResultPart } from "./form.ts";

/** The result of a call that has none, when the conversation went on. */
const NO_RESULT = "No result was recorded.";

interface OpenBlock {
  readonly kind: "assistant";
  readonly lines: Line[];
  readonly results: BlockResult[];
  readonly calls: OpenCall[];
}

interface OpenCall {
  readonly call: CallPart;
  readonly block: OpenBlock;
  isAnswered: boolean;
}

type Opened = Exclude<Block, { kind: "assistant" }> | OpenBlock;

/** Gives the pieces of a window. */
export function blocksOf(lines: readonly Line[], notes: Notes): readonly Block[] {
  const blocks: Opened[] = [];
  const byId = new Map<string, OpenCall>();
  // The newest block, while nothing came after it.
  let current: OpenBlock | undefined;
  let newest: OpenBlock | undefined;
  for (const line of lines) {
    const { parts, role } = line.message;
    if (role === ROLE.system) {
      blocks.push({ kind: "system", line });
      current = undefined;
    } else if (role === ROLE.assistant) {
      if (current === undefined) {
        current = { kind: "assistant", lines: [], results: [], calls: [] };
        blocks.push(current);
      }
      newest = current;
      addLine(current, line, byId);
    } else {
      current = undefined;
      const said = takeResults(line, { blocks, byId, newest, notes });
      if (said.length > 0 || parts.length === 0) blocks.push({ kind: "user", line, parts: said });
    }
  }
  addMissing(blocks, notes);
  return blocks;
}

function addLine(block: OpenBlock, line: Line, byId: Map<string, OpenCall>): void {
  block.lines.push(line);
  for (const part of line.message.parts) {
    if (part.kind !== "call") continue;
    const open = { call: part, block, isAnswered: false };
    block.calls.push(open);
    byId.set(part.id, open);
  }
}

/** Gives the results of a line to their calls, and returns the other parts. */
function takeResults(
  line: Line,
  at: {
    readonly blocks: readonly Opened[];
    readonly byId: ReadonlyMap<string, OpenCall>;
    readonly newest: OpenBlock | undefined;
    readonly notes: Notes;
  },
): readonly FormPart[] {
  const rest: FormPart[] = [];
  for (const part of line.message.parts) {
    if (part.kind !== "result") {
      rest.push(part);
      continue;
    }
    const open =
      part.callId === ""
        ? at.newest?.calls.find(({ isAnswered }) => !isAnswered)
        : at.byId.get(part.callId);
    if (open === undefined || open.isAnswered) {
      at.notes.add(line.messageId, "dropped", "tool_result");
      continue;
    }
    open.isAnswered = true;
    const { block, call } = open;
    if (at.blocks.at(-1) !== block) at.notes.add(line.messageId, "moved", "tool_result");
    block.results.push({ line, part: { ...part, callId: call.id }, call });
  }
  return rest;
}

/** Answers the calls that have no result although the conversation went on. */
function addMissing(blocks: readonly Opened[], notes: Notes): void {
  for (const block of blocks.slice(0, -1)) {
    if (block.kind !== "assistant") continue;
    for (const { call, isAnswered } of block.calls) {
      if (isAnswered) continue;
      const said: FormPart = { kind: "text", text: NO_RESULT };
      const part: ResultPart = { kind: "result", callId: call.id, parts: [said], isError: true };
      block.results.push({ line: undefined, part, call });
      notes.addText(block.lines.at(-1)?.messageId ?? "", "tool_result", NO_RESULT);
    }
  }
}
