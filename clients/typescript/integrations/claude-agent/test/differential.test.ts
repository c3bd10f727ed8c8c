// The store beside the one that the SDK keeps in memory: the same random operations, the same
// answers.

import {
  InMemorySessionStore,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from "@anthropic-ai/claude-agent-sdk";
import { afterAll, beforeAll, test } from "vitest";
import { compare } from "../../../../../test/support/integrations/differential.ts";
import { type Setting, startSetting } from "../../../../../test/support/integrations/setting.ts";
import type { Random } from "../../../../../test/support/kit/random.ts";
import { SidecarSessionStore } from "../src/store.ts";
import { said, turn } from "./entries.ts";

type Operation =
  | { readonly append: SessionKey; readonly entries: SessionStoreEntry[] }
  | { readonly load: SessionKey }
  | { readonly delete: SessionKey }
  | { readonly subkeys: SessionKey }
  | { readonly sessions: string }
  | { readonly summaries: string };

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

function drawKey(random: Random): SessionKey {
  const key = {
    projectKey: random.pick(["-a", "-a-b", "é %"]),
    sessionId: random.pick(["1", "2", "x y:@"]),
  };
  if (random.chance(0.6)) return key;
  return { ...key, subpath: random.pick(["subagents/agent-1", "subagents/agent-2"]) };
}

function drawEntries(random: Random): SessionStoreEntry[] {
  const kinds = {
    turn: () => turn(random.int(0, 99)),
    title: () => [{ type: "custom-title", customTitle: `t${random.int(0, 99)}` }],
    tag: () => [{ type: "tag", tag: random.pick(["", "a", "b"]) }],
    // A side chain counts when it is the first entry.
    side: () => [{ ...said("user", "aside"), isSidechain: true, gitBranch: "main" }],
    data: () => [{ type: "data", list: [random.next(), null, { "": "😀" }] }],
  };
  const name = random.weighted({ turn: 4, title: 2, tag: 1, side: 1, data: 1 });
  return random.chance(0.2) ? [...kinds[name](), ...turn(7)] : kinds[name]();
}

function draw(random: Random): Operation {
  const name = random.weighted({
    ...{ append: 8, load: 5, delete: 1, subkeys: 2, sessions: 2, summaries: 2 },
  });
  const key = drawKey(random);
  if (name === "append") return { append: key, entries: drawEntries(random) };
  if (name === "load") return { load: key };
  if (name === "delete") return { delete: key };
  if (name === "subkeys") return { subkeys: key };
  return name === "sessions" ? { sessions: key.projectKey } : { summaries: key.projectKey };
}

/** Does an operation. Lists have no order, and the times are those of each side's clock. */
async function answer(store: Required<SessionStore>, operation: Operation): Promise<unknown> {
  if ("append" in operation) return await store.append(operation.append, operation.entries);
  if ("load" in operation) return structuredClone(await store.load(operation.load));
  if ("delete" in operation) return await store.delete(operation.delete);
  if ("subkeys" in operation) return (await store.listSubkeys(operation.subkeys)).sort();
  if ("sessions" in operation) {
    return (await store.listSessions(operation.sessions)).map(({ sessionId }) => sessionId).sort();
  }
  const summaries = await store.listSessionSummaries(operation.summaries);
  return summaries
    .map(({ sessionId, data }) => ({ sessionId, data: structuredClone(data) }))
    .sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
}

test("answers as the store in memory does", async () => {
  await compare<Operation>({
    name: ["Claude Agent SDK (TypeScript)", "session store"],
    operations: 2_000,
    draw,
    pair: () => {
      const [theirs, ours] = [
        new InMemorySessionStore(),
        new SidecarSessionStore(setting.client()),
      ];
      return {
        theirs: (operation) => answer(theirs, operation),
        ours: (operation) => answer(ours, operation),
      };
    },
  });
}, 300_000);
