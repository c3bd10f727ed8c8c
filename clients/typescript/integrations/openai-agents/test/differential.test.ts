// The session beside the one that the SDK keeps in memory: the same random operations, the same
// answers.

import {
  type AgentInputItem,
  MemorySession,
  type SessionHistoryTransactionArgs,
} from "@openai/agents-core";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { SidecarSession } from "../src/session.ts";
import { ITEMS } from "./items.ts";

type Operation =
  | { readonly add: AgentInputItem[] }
  | { readonly get: number | undefined }
  | { readonly do: "pop" | "clear" }
  | { readonly call: Extract<AgentInputItem, { type: "function_call" }>; readonly for: string }
  | { readonly id: string; readonly append: AgentInputItem[] }
  /** Replaces so many of the newest items, or other ones than they are. */
  | {
      readonly id: string;
      readonly last: number;
      readonly by: AgentInputItem[];
      readonly odd: boolean;
    }
  /** The newest transaction with this id again. */
  | { readonly again: string };

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

function drawItem(random: Random): AgentInputItem {
  const content = `n${random.int(0, 3)}`;
  const callId = `c${random.int(0, 3)}`;
  return random.pick<AgentInputItem>([
    ...ITEMS,
    { role: "user", content },
    { type: "function_call", callId, name: "look", arguments: `["${content}"]` },
    { type: "function_call_result", callId, name: "look", status: "completed", output: content },
    { role: "assistant", status: "completed", content: [{ type: "refusal", refusal: content }] },
  ]);
}

function drawItems(random: Random): AgentInputItem[] {
  return Array.from({ length: random.int(0, 4) }, () => drawItem(random));
}

function draw(random: Random): Operation {
  const id = `op${random.int(0, 5)}`;
  const callId = `c${random.int(0, 3)}`;
  const name = random.weighted({
    ...{ add: 6, get: 6, pop: 3, clear: 0.3, call: 2, append: 3, replace: 3, again: 3 },
  });
  if (name === "add") return { add: drawItems(random) };
  if (name === "get") return { get: random.pick([undefined, undefined, -1, 0, 1, 2, 5, 100]) };
  if (name === "pop" || name === "clear") return { do: name };
  if (name === "append") return { id, append: drawItems(random) };
  if (name === "again") return { again: id };
  if (name === "replace") {
    const odd = random.chance(0.2);
    return { id, last: random.int(0, 3), by: drawItems(random), odd };
  }
  const changed = random.pick([callId, `c${random.int(0, 3)}`]);
  return {
    for: callId,
    call: { type: "function_call", callId: changed, name: "see", arguments: "" },
  };
}

/** Makes the transaction of an operation by the items that a session has. */
async function transactionOf(
  operation: Operation,
  session: MemorySession,
  made: Map<string, SessionHistoryTransactionArgs>,
): Promise<SessionHistoryTransactionArgs | undefined> {
  if ("again" in operation) return made.get(operation.again);
  if (!("id" in operation)) return undefined;
  const operationId = operation.id;
  if ("append" in operation) {
    return { operationId, transaction: { type: "append_items", items: operation.append } };
  }
  const newest = await session.getItems(operation.last);
  const expectedSuffix = operation.odd ? newest.reverse().concat(ITEMS.slice(0, 1)) : newest;
  const transaction = {
    type: "replace_suffix" as const,
    expectedSuffix,
    replacement: operation.by,
  };
  return { operationId, transaction };
}

async function answer(
  session: MemorySession | SidecarSession,
  operation: Operation,
  transaction: SessionHistoryTransactionArgs | undefined,
): Promise<unknown> {
  if (transaction !== undefined) return await session.applyHistoryTransaction(transaction);
  if ("add" in operation) return await session.addItems(operation.add);
  if ("get" in operation) return await session.getItems(operation.get);
  if ("call" in operation) {
    const { call: replacement, for: callId } = operation;
    const mutations = [{ type: "replace_function_call" as const, callId, replacement }];
    return await session.applyHistoryMutations({ mutations });
  }
  if (!("do" in operation)) return undefined;
  return operation.do === "pop" ? await session.popItem() : await session.clearSession();
}

function pair() {
  const [theirs, ours] = [new MemorySession(), new SidecarSession("s", setting.client())];
  const made = new Map<string, SessionHistoryTransactionArgs>();
  let transaction: SessionHistoryTransactionArgs | undefined;
  return {
    theirs: async (operation: Operation) => {
      transaction = await transactionOf(operation, theirs, made);
      if (transaction !== undefined) made.set(transaction.operationId, transaction);
      return await answer(theirs, operation, transaction);
    },
    ours: (operation: Operation) => answer(ours, operation, transaction),
  };
}

test("answers as the session in memory does", async () => {
  await compare<Operation>({
    name: ["OpenAI Agents SDK (TypeScript)", "session"],
    operations: 2_000,
    draw,
    pair,
  });
}, 300_000);
