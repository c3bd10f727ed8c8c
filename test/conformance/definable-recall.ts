// definable: the block of history that its agent puts into a prompt.

import { Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import type { AssembleContextResponse } from "../../clients/typescript/src/gen/memorysidecar/v1/recall_service.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { CaseFault, type Json, type JsonObject, listOf, objectOf } from "./json.ts";
import { assemble } from "./memories.ts";
import { notOffered } from "./not-offered.ts";
import { importDocument, storedWindow } from "./session.ts";

const MAIN = "default default";

interface State extends Context {
  recalled: AssembleContextResponse | undefined;
  /** The agent's query. */
  query: string;
}

async function recallBlock(state: State): Promise<void> {
  const { rpc, kase } = state;
  const document = listOf(kase.given["entries"], "entries").map((entry) => ({
    ...{ session_id: "default", user_id: "default" },
    ...objectOf(entry, "an entry"),
  }));
  await importDocument(rpc, MAIN, "definable", document);
  const window = await storedWindow(rpc, MAIN);
  const questions = window.filter(({ role }) => role === Role.USER).map(({ text }) => text);
  state.query = questions.at(-1) ?? "";
  state.recalled = await assemble(rpc, {
    sessionId: MAIN,
    profile: "definable",
    tokenRule: TokenRule.PRESET,
    tokenPreset: "chars_floor_4",
    query: state.query,
  });
}

function recalled({ recalled: answer }: State): AssembleContextResponse {
  if (answer === undefined) throw new CaseFault("nothing was recalled");
  return answer;
}

const OPERATIONS: Table<State, JsonObject> = { recall_block: recallBlock };

const EXPECTATIONS: Table<State, Json> = {
  block: (state) => recalled(state).text,
  events: notOffered("recall events"),
};

/** Opens the adapter of the agent's recall. */
export function agentRecall(context: Context): Adapter {
  const state: State = { ...context, recalled: undefined, query: "" };
  return bindAdapter(state, OPERATIONS, EXPECTATIONS);
}
