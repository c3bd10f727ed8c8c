// Ids of calls that an API takes: of its form, and no two calls with the same.

import type { Block, CallPart, FormPart, Line, Notes, ResultPart } from "./form.ts";

/** Ids of an API. */
export interface IdRule {
  readonly form: RegExp;
  /** The range in which an id may stand only once. */
  readonly unique: "window" | "turn";
  readonly notes: Notes;
  /** Gives a part with another id also where its form wrote the id. */
  readonly rename?: Rename;
}

type Rename = <Part extends CallPart | ResultPart>(part: Part, id: string) => Part;

/** Gives blocks in which every call has an id that the API takes. */
export function callIds(blocks: readonly Block[], rule: IdRule): readonly Block[] {
  const inWindow = new Set<string>();
  const { rename = renamed } = rule;
  return blocks.map((block) => {
    if (block.kind !== "assistant") return block;
    const taken = rule.unique === "window" ? inWindow : new Set<string>();
    const ids = new Map<CallPart, string>();
    for (const line of block.lines) noteIds(line, { ids, rule, taken });
    if (ids.size === 0) return block;
    const calls = new Map([...ids].map(([call, id]) => [call, rename(call, id)]));
    return {
      ...block,
      lines: block.lines.map((line) => withCalls(line, calls)),
      results: block.results.map((result) => {
        const id = ids.get(result.call);
        const call = calls.get(result.call);
        if (id === undefined || call === undefined) return result;
        const line = result.line && { ...result.line, exact: undefined };
        return { line, call, part: rename(result.part, id) };
      }),
    };
  });
}

/** Notes the calls of a message that need another id: one that is the same in every window. */
function noteIds(
  { message, messageId, seq }: Line,
  at: { readonly ids: Map<CallPart, string>; readonly rule: IdRule; readonly taken: Set<string> },
): void {
  let index = 0;
  for (const part of message.parts) {
    if (part.kind !== "call") continue;
    index += 1;
    if (at.rule.form.test(part.id) && !at.taken.has(part.id)) {
      at.taken.add(part.id);
      continue;
    }
    at.ids.set(part, `call_${Math.floor(seq)}_${index}`);
    at.rule.notes.add(messageId, "id-replaced", "tool_call_id");
  }
}

function withCalls(line: Line, calls: ReadonlyMap<CallPart, CallPart>): Line {
  const parts = line.message.parts.map((part): FormPart => {
    return part.kind === "call" ? (calls.get(part) ?? part) : part;
  });
  const isChanged = parts.some((part, index) => part !== line.message.parts[index]);
  return isChanged ? { ...line, exact: undefined, message: { ...line.message, parts } } : line;
}

function renamed<Part extends CallPart | ResultPart>(part: Part, id: string): Part {
  const named = part.kind === "call" ? { id } : { callId: id };
  return { ...part, ...named, raw: undefined };
}
