// The faults that model APIs refuse in a list of messages, by their documentation. Written apart
// from src/forms: it shares nothing with what it judges.

import type { FormName } from "../../../src/forms/form.ts";

/** JSON of an API, looked at from outside. */
type Any = ReturnType<typeof JSON.parse>;

/** The faults of a window in a form, with the place of each. */
export function vendorFaults(form: FormName, messages: string, system = ""): readonly string[] {
  const list = JSON.parse(messages) as Any[];
  const faults = FAULTS[form](list);
  if (system !== "") faults.push(...systemFaults(form, JSON.parse(system)));
  return faults;
}

function systemFaults(form: FormName, system: Any): string[] {
  const list = form === "anthropic" ? system : form === "gemini" ? system.parts : [];
  if (!Array.isArray(list) || list.length === 0) return ["system: not a list"];
  return list.flatMap((one: Any) =>
    typeof one.text === "string" && one.text.trim() !== "" ? [] : ["system: an empty text"],
  );
}

/** Calls that wait for results, and the rule that they come at once. */
class Open {
  readonly #ids = new Set<string>();
  readonly faults: string[] = [];

  call(id: string): void {
    this.#ids.add(id);
  }

  answer(id: string, at: string): void {
    if (!this.#ids.delete(id)) this.faults.push(`${at}: a result without its call`);
  }

  /** Anything but a result: no call may wait. */
  other(at: string): void {
    if (this.#ids.size > 0) this.faults.push(`${at}: ${this.#ids.size} calls without a result`);
    this.#ids.clear();
  }
}

function chat(list: readonly Any[]): string[] {
  const open = new Open();
  for (const [index, { content, refusal, role, tool_call_id, tool_calls }] of list.entries()) {
    const at = `messages[${index}]`;
    if (role === "tool") open.answer(tool_call_id, at);
    else open.other(at);
    if (role === "assistant") {
      if (content === null && refusal === undefined && tool_calls === undefined) {
        open.faults.push(`${at}: neither content nor calls`);
      }
      if (tool_calls?.length === 0) open.faults.push(`${at}: an empty list of calls`);
      for (const { id } of tool_calls ?? []) open.call(id);
    } else if (typeof content !== "string" && !Array.isArray(content)) {
      open.faults.push(`${at}: no content`);
    }
    if (Array.isArray(content) && content.length === 0) open.faults.push(`${at}: empty content`);
  }
  return open.faults;
}

function responses(list: readonly Any[]): string[] {
  const faults: string[] = [];
  const calls = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const at = `input[${index}]`;
    if (/_call$/.test(item.type) && item.call_id !== undefined) {
      calls.set(item.call_id, (calls.get(item.call_id) ?? 0) + 1);
    }
    if (/_call_output$/.test(item.type)) {
      const left = calls.get(item.call_id) ?? 0;
      if (left === 0) faults.push(`${at}: an output without its call`);
      calls.set(item.call_id, left - 1);
    }
    if (item.role === "user" || item.role === "system" || item.role === "developer") {
      for (const [id, left] of calls) {
        if (left > 0) faults.push(`${at}: no output for ${id}`);
      }
      calls.clear();
    }
    if (item.type !== "reasoning") continue;
    const next = list[index + 1];
    const follows = next?.type === "reasoning" || next?.role === "assistant" || isCall(next);
    if (!follows) faults.push(`${at}: reasoning that nothing follows`);
  }
  return faults;
}

function isCall(item: Any): boolean {
  return typeof item?.type === "string" && item.type.endsWith("_call");
}

function alternating(list: readonly Any[], model: string): string[] {
  const faults: string[] = [];
  if (list.length > 0 && list[0].role !== "user") faults.push("the first is not the user's");
  for (const [index, { role }] of list.entries()) {
    if (role !== "user" && role !== model) faults.push(`[${index}]: role ${role}`);
    if (role === list[index - 1]?.role) faults.push(`[${index}]: the same role again`);
  }
  return faults;
}

const ID = /^[a-zA-Z0-9_-]+$/;

function anthropic(list: readonly Any[]): string[] {
  const faults = alternating(list, "assistant");
  const seen = new Set<string>();
  let open = new Set<string>();
  let marks = 0;
  for (const [index, { content, role }] of list.entries()) {
    const at = `messages[${index}]`;
    const blocks: Any[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (blocks.length === 0) faults.push(`${at}: empty content`);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const ids = results.map(({ tool_use_id }) => tool_use_id);
    if (new Set(ids).size < ids.length) faults.push(`${at}: two results of a call`);
    for (const id of ids) if (!open.has(id)) faults.push(`${at}: a result without its call`);
    // The newest calls may still be at work.
    const waits = index === list.length - 1 && results.length === blocks.length;
    for (const id of open) {
      if (!waits && !ids.includes(id)) faults.push(`${at}: a call without result`);
    }
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      faults.push(`${at}: results are not first`);
    }
    open = new Set();
    for (const block of blocks) {
      if (block.cache_control !== undefined) marks += 1;
      if (block.type === "text" && block.text.trim() === "") faults.push(`${at}: an empty text`);
      if (block.type === "thinking" && block.signature === "") faults.push(`${at}: unsigned`);
      if (block.type !== "tool_use") continue;
      if (role !== "assistant") faults.push(`${at}: a call of the user`);
      if (!ID.test(block.id)) faults.push(`${at}: the id ${block.id}`);
      if (seen.has(block.id)) faults.push(`${at}: the id ${block.id} again`);
      if (typeof block.input !== "object") faults.push(`${at}: input that is no object`);
      seen.add(block.id);
      open.add(block.id);
    }
  }
  if (marks > 4) faults.push(`${marks} marks for caches`);
  return faults;
}

function gemini(list: readonly Any[]): string[] {
  const faults = alternating(list, "model");
  let open: string[] = [];
  for (const [index, { parts, role }] of list.entries()) {
    const at = `contents[${index}]`;
    if (!Array.isArray(parts) || parts.length === 0) faults.push(`${at}: no parts`);
    const names = (key: string): string[] =>
      parts.flatMap((part: Any) => (part[key] === undefined ? [] : [part[key].name]));
    const answers = names("functionResponse");
    const waits = index === list.length - 1 && answers.length === parts.length;
    if (open.length > 0 && answers.join() !== open.join() && !waits) {
      faults.push(`${at}: ${answers.length} results for ${open.length} calls`);
    }
    if (open.length === 0 && answers.length > 0) faults.push(`${at}: results without calls`);
    open = names("functionCall");
    if (open.length > 0 && role !== "model") faults.push(`${at}: a call of the user`);
  }
  return faults;
}

const FAULTS: Readonly<Record<FormName, (list: readonly Any[]) => string[]>> = {
  openai_chat: chat,
  openai_responses: responses,
  anthropic,
  gemini,
};
