// MARSYS: KGMemory, whose entries are facts.

import {
  ExtractionTarget,
  type Memory,
  MemoryFilter,
  MemoryKind,
  MemoryOrder,
  MemoryPolicy,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { type Finder, findBy, openFinder } from "./extraction.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { EVERYONE, listed, remember, timeOf } from "./memories.ts";
import { type CaseMessages, caseMessages, plainText, roleName, toMessage } from "./messages.ts";

const MAIN = "memory";
const RELATIONS = { kinds: [MemoryKind.RELATION] };
const ROLE = "role";

interface State extends Context {
  readonly messages: CaseMessages;
  readonly finder: Finder;
  opened: Promise<void> | undefined;
}

/** A fact, with whose it is. */
interface Fact {
  readonly role: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

async function addFact({ rpc }: State, { role, object, ...rest }: Fact, now?: Json): Promise<void> {
  const lastSeenTime = timeOf(now);
  const value = { ...rest, objectValue: object };
  const structure = { $case: "relation" as const, value };
  const labels = { [ROLE]: role };
  const seen = lastSeenTime === undefined ? {} : { lastSeenTime };
  await remember(rpc, [{ kind: MemoryKind.RELATION, structure, labels, ...seen }]);
}

async function open(state: State): Promise<void> {
  const { rpc, kase } = state;
  const memoryPolicy = MemoryPolicy.fromPartial({
    extraction: findBy(ExtractionTarget.RELATIONS),
  });
  const session = Session.fromPartial({ sessionId: MAIN, memoryPolicy });
  await rpc.call("createSession", { session });
  // The model finds facts only after the call that started the extraction has returned.
  rpc.holdChat();
  const object = textOf(objectOf(kase.given["policy"], "policy")["description"], "description");
  if (object === undefined) return;
  const subject = "system_configuration";
  await addFact(state, { role: "system", subject, predicate: "has_initial_description", object });
}

function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

/** Adds a message: its text is a fact, and what is found in it becomes facts later. */
async function add(state: State, op: JsonObject): Promise<void> {
  const message = toMessage(state.messages.of(op["id"] ?? op["message"] ?? null));
  const text = plainText(message);
  const role = roleName(message.role);
  const object = text === "" ? "empty" : text;
  await addFact(state, { role, subject: "raw_content", predicate: "contains", object });
  await state.rpc.call("appendMessages", { sessionId: MAIN, messages: [message], turnEnd: true });
}

/** A relation as a fact of who said it: as it is labelled, or by the message that says it. */
async function factOf({ rpc }: State, { structure, labels, source }: Memory): Promise<Fact> {
  if (structure?.$case !== "relation") throw new CaseFault("a memory that is no relation");
  const [messageId] = source?.messageIds ?? [];
  let role = labels[ROLE];
  if (role === undefined && messageId !== undefined) {
    const { message } = await rpc.call("getMessage", { sessionId: MAIN, messageId });
    role = roleName(message?.role ?? 0);
  }
  const { subject, predicate, objectValue: object } = structure.value;
  return { role: role ?? "", subject, predicate, object };
}

async function facts(state: State): Promise<readonly (readonly string[])[]> {
  const memories = await listed(state.rpc, RELATIONS);
  const all = await Promise.all(memories.map((memory) => factOf(state, memory)));
  return all.map(({ role, subject, predicate, object }) => [role, subject, predicate, object]);
}

async function shown(state: State, memories: readonly Memory[]): Promise<readonly object[]> {
  const all = await Promise.all(memories.map((memory) => factOf(state, memory)));
  return all.map(({ role, subject, predicate, object }) => ({
    role,
    content: `Fact (${role}): ${subject} ${predicate} ${object}.`,
  }));
}

const NEWEST = { order: MemoryOrder.CREATE_TIME_DESC };

async function recent(state: State, op: JsonObject): Promise<readonly object[]> {
  const pageSize = numberOf(op["n"], "n") ?? 1;
  if (pageSize <= 0) return [];
  return await shown(state, await listed(state.rpc, RELATIONS, { ...NEWEST, pageSize }));
}

async function byRole(state: State, op: JsonObject): Promise<readonly object[]> {
  const filter = { ...RELATIONS, labels: { [ROLE]: needText(op["role"], "role") } };
  // No number means all of them here, as it means the server's page there.
  const pageSize = numberOf(op["n"], "n") || 1_000;
  return await shown(state, await listed(state.rpc, filter, { ...NEWEST, pageSize }));
}

async function reset({ rpc }: State): Promise<null> {
  const filter = MemoryFilter.fromPartial({ scope: EVERYONE, ...RELATIONS });
  await rpc.call("purgeMemories", { filter, force: true });
  return null;
}

const OPERATIONS: Table<State, JsonObject> = {
  add_fact: opened((state, op: JsonObject) =>
    addFact(
      state,
      {
        role: needText(op["role"], "role"),
        subject: needText(op["subject"], "subject"),
        predicate: needText(op["predicate"], "predicate"),
        object: needText(op["object"], "object"),
      },
      op["now"],
    ),
  ),
  add: opened(add),
  settle: opened(({ rpc }) => rpc.releaseChat()),
  retrieve_all: opened(async (state) => shown(state, await listed(state.rpc, RELATIONS))),
  retrieve_recent: opened(recent),
  retrieve_by_role: opened(byRole),
  reset_memory: opened(reset),
};

const EXPECTATIONS: Table<State, Json> = {
  facts: opened(facts),
  extraction_inputs: ({ finder }) =>
    finder.asked.flat().map(({ role, text }) => ({ role, content: text })),
  extraction_calls: ({ finder }) => finder.asked.length,
};

/** Opens the adapter of facts; undefined for a case about another memory. */
export function factMemory(context: Context): Adapter | undefined {
  const { given } = context.kase;
  if (familyOf(context.kase) !== "kg") return undefined;
  const messages = caseMessages(listOf(given["messages"], "messages"));
  const finder = openFinder(context.rpc, given["model_returns"]);
  const state = { ...context, messages, finder, opened: undefined };
  return bindAdapter<State>(state, OPERATIONS, EXPECTATIONS);
}
