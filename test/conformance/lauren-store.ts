// lauren-ai: ConversationStore. A conversation is a session whose id begins with a fixed word, as
// this system allows an empty id and the contract does not.

import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { isObject, type Json, type JsonObject, listOf, needText, objectOf } from "./json.ts";
import { allSessions, ifFound, importDocument } from "./session.ts";

const PREFIX = "conversation ";
const FORMAT = "lauren";

function sessionIdOf(op: JsonObject): string {
  return PREFIX + needText(op["id"] ?? op["conversation_id"], "id");
}

/** A case may write a bare text for a message, as the store does not look into it. */
function widen(message: Json): Json {
  return typeof message === "string" ? { role: "user", content: message } : message;
}

/** The bare text of a message that is nothing but one. */
function narrow(message: Json): Json {
  if (!isObject(message)) return message;
  const { role, content, ...rest } = message;
  const isBare = role === "user" && typeof content === "string" && Object.keys(rest).length === 0;
  return isBare ? content : message;
}

async function save({ rpc }: Context, op: JsonObject): Promise<null> {
  const { snapshot = null } = op;
  const document = Array.isArray(snapshot)
    ? snapshot.map(widen)
    : withMessages(objectOf(snapshot, "snapshot"), widen);
  await importDocument(rpc, sessionIdOf(op), FORMAT, document);
  return null;
}

function withMessages(document: JsonObject, change: (message: Json) => Json): JsonObject {
  return { ...document, messages: listOf(document["messages"], "messages").map(change) };
}

async function load({ rpc }: Context, op: JsonObject): Promise<unknown> {
  const document = await ifFound(rpc.exportDocument(sessionIdOf(op), FORMAT), null);
  if (document === null) return [];
  const { messages, summary = null } = withMessages(objectOf(document as Json, "it"), narrow);
  return { messages, summary };
}

async function ids({ rpc }: Context): Promise<readonly string[]> {
  const sessions = await allSessions(rpc);
  return sessions.map(({ sessionId }) => sessionId.slice(PREFIX.length)).sort();
}

async function remove({ rpc }: Context, op: JsonObject): Promise<null> {
  await rpc.call("deleteSession", { sessionId: sessionIdOf(op), allowMissing: true });
  return null;
}

async function clear({ rpc }: Context): Promise<null> {
  for (const { sessionId } of await allSessions(rpc))
    await rpc.call("deleteSession", { sessionId });
  return null;
}

async function contains({ rpc }: Context, op: JsonObject): Promise<boolean> {
  return (await ifFound(rpc.call("getSession", { sessionId: sessionIdOf(op) }), null)) !== null;
}

const OPERATIONS: Table<Context, JsonObject> = {
  save,
  load,
  list: ids,
  list_conversations: ids,
  delete: remove,
  clear,
  length: async (context) => (await ids(context)).length,
  len: async (context) => (await ids(context)).length,
  contains,
  exists: contains,
};

const EXPECTATIONS: Table<Context, Json> = {
  list: ids,
  length: async (context) => (await ids(context)).length,
};

/** Says whether a case is about the store: by its family, or by what it does. */
export function isOfStore({ kase }: Context): boolean {
  return familyOf(kase) === "store" || kase.when.some(({ op }) => op === "save" || op === "load");
}

/** Opens the adapter of lauren-ai's store of conversations. */
export function conversationStore(context: Context): Adapter {
  return bindAdapter(context, OPERATIONS, EXPECTATIONS);
}
