// MARSYS: operations that a case writes as calls, and the constructors of this system's types.

import type { Operation } from "./adapter.ts";
import { CaseFault, type Json, type JsonObject } from "./json.ts";
import { MAIN, type Memory } from "./marsys-memory.ts";
import { isWords, readCall, type WrittenCall } from "./marsys-text.ts";
import { toMessage } from "./messages.ts";
import { NotOffered } from "./not-offered.ts";
import { append, createSession, importDocument, logOf } from "./session.ts";

type Operations = Readonly<Record<string, Operation>>;
type Build = (memory: Memory, call: WrittenCall) => Promise<unknown>;

/** The fields that arguments without a name stand for. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Message: ["role", "content", "message_id", "name"],
  MessageContent: ["thought", "next_action"],
  ToolCallMsg: ["id", "type", "name", "arguments"],
  AgentCallMsg: ["agent_name", "request"],
};

function fieldsOf({ name, positional, named }: WrittenCall): JsonObject {
  const names = FIELDS[name] ?? [];
  const values = positional.map((value, index): [string, Json] => {
    const field = names[index];
    if (field === undefined || isWords(value)) {
      throw new CaseFault(`the arguments of ${name} are not understood`);
    }
    return [field, value as Json];
  });
  return { ...Object.fromEntries(values), ...named };
}

/** Brings a message as this system writes it, so that the server judges every type in it. */
async function bring({ rpc }: Memory, message: JsonObject): Promise<void> {
  const sound = { role: "assistant", content: "" };
  const type = { memory_type: "conversation_history" };
  const bringAll = (messages: readonly JsonObject[]) =>
    importDocument(rpc, "brought", "marsys", { ...type, messages });
  try {
    await bringAll([sound]);
  } catch (error) {
    // A refusal of the message itself would prove nothing then.
    throw new CaseFault(`a sound message is refused: ${String(error)}`);
  }
  await bringAll([{ ...sound, ...message }]);
}

const manager: Build = async ({ rpc, kase }, call) => {
  const { positional, named, method } = call;
  const [type] = positional;
  const options =
    type === undefined || isWords(type) ? named : { memory_type: type as Json, ...named };
  const sessionId = `manager ${kase.when.length} ${JSON.stringify(options)}`;
  await createSession(rpc, { sessionId, preset: "marsys", options });
  if (method !== undefined) throw new NotOffered("methods by name");
};

/** Constructors of this system's own types. */
const CONSTRUCTORS: Readonly<Record<string, Build>> = {
  Message: (memory, call) => bring(memory, fieldsOf(call)),
  MessageContent: (memory, call) => bring(memory, { content: fieldsOf(call) }),
  ToolCallMsg: (memory, call) => bring(memory, { tool_calls: [fieldsOf(call)] }),
  AgentCallMsg: (memory, call) => bring(memory, { agent_calls: [fieldsOf(call)] }),
  MemoryManager: manager,
};

const UNKNOWN_ID = "an id that no message has";

/** Fills a memory up to a number of messages. */
async function fill(memory: Memory, count: number): Promise<void> {
  const missing = count - (await logOf(memory.rpc, MAIN)).length;
  const messages = Array.from({ length: Math.max(0, missing) }, (_, index) =>
    toMessage({ role: "user", content: `message ${index + 1}` }),
  );
  if (messages.length > 0) await append(memory.rpc, MAIN, messages);
}

/** Gives the arguments of a method by the names that operations have for them. */
async function argumentsOf(memory: Memory, call: WrittenCall): Promise<JsonObject> {
  let op: JsonObject = { op: call.name, ...call.named };
  for (const value of call.positional) {
    const words = isWords(value) ? value.words : "";
    const place = /^(-?\d+) of (\d+)$/.exec(words);
    if (place !== null) {
      await fill(memory, Number(place[2]));
      op = { ...op, index: Number(place[1]), role: "user", content: "text" };
    } else if (typeof value === "string") op = { content: "text", ...op, id: value };
    else if (words === "unknown id") op = { ...op, id: UNKNOWN_ID, content: "text" };
    else if (words === "content only") op = { ...op, content: "text" };
    else if (typeof value === "number") {
      await fill(memory, value + 1);
      op = { ...op, index: value };
    } else if (words !== "nothing") {
      throw new CaseFault(`the arguments of ${call.name} are not understood`);
    }
  }
  return op;
}

/** Understands an operation that is written as a call; undefined for one that it does not know. */
export function parseMarsys(
  memory: Memory,
  operations: Operations,
  text: string,
): Operation | undefined {
  const call = readCall(text);
  if (call === undefined) return undefined;
  const build = CONSTRUCTORS[call.name];
  if (build !== undefined) return () => build(memory, call);
  const operation = operations[call.name];
  const create = operations["create"];
  if (operation === undefined || create === undefined) return undefined;
  return async () => {
    await create({ op: "create" });
    return await operation(await argumentsOf(memory, call));
  };
}
