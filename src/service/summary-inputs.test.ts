// Goal: an answer stays within its bytes and never parts a tool call, so that SetSummary takes what
// it lists.

import { afterEach, describe, expect, it } from "vitest";
import { fromBytes, type StoredJsonMessage } from "../../test/support/json-codec.ts";
import { policyOf } from "../../test/support/policies.ts";
import { startTestServices, storeWith, type TestServices } from "../../test/support/services.ts";
import type { ToolPairing } from "../domain/policy.ts";
import { ROLE } from "../domain/window/types.ts";
import type { Store } from "../storage/store.ts";

const REF = { namespace: "default", sessionId: "s" };
const MIB = 1024 * 1024;

let services: TestServices;

afterEach(() => services.stop());

/** Services that take every message of a window for one MiB large. */
async function start(toolPairing: ToolPairing): Promise<void> {
  const wrapStore = (store: Store): Store => {
    const readWindow: Store["readWindow"] = async (ref) => {
      const now = await store.readWindow(ref);
      return now && { ...now, window: now.window.map((one) => ({ ...one, byteCount: MIB })) };
    };
    return storeWith(store, { readWindow });
  };
  services = await startTestServices({}, { wrapStore });
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: policyOf([], { toolPairing }) },
    encode: () => new Uint8Array(0),
  });
  await services.append(REF.sessionId, [
    { messageId: "a", text: "a" },
    { messageId: "b", text: "b" },
    { messageId: "call", role: ROLE.assistant, callIds: ["c1"] },
    { messageId: "result", role: ROLE.tool, toolCallId: "c1" },
    { messageId: "c", text: "c" },
  ]);
}

async function list(keepRecent: number) {
  const choice = { kind: "keep-recent", keepRecent } as const;
  const input = { ...REF, choice };
  const answer = await services.sessions.listSummaryInputs(services.call("List"), input);
  const ids = answer.messages.map((bytes) => fromBytes<StoredJsonMessage>(bytes).stamp.messageId);
  return { ids, truncated: answer.truncated, count: answer.total.messageCount };
}

describe("ListSummaryInputs", () => {
  it("gives the oldest whole tool calls that fit 3 MiB, and says that there are more", async () => {
    await start("whole");
    expect(await list(0)).toEqual({ ids: ["a", "b"], truncated: true, count: 2 });
    expect(await list(1)).toEqual({ ids: ["a", "b"], truncated: true, count: 2 });
    expect(await list(3)).toEqual({ ids: ["a", "b"], truncated: false, count: 2 });
  });

  it("takes a result that stands elsewhere for no part of a call under adjacent pairs", async () => {
    await start("adjacent");
    await services.append(REF.sessionId, [
      { messageId: "late", role: ROLE.tool, toolCallId: "c1" },
    ]);
    expect((await list(1)).count).toBe(2);
    expect(await list(3)).toEqual({ ids: ["a", "b"], truncated: false, count: 2 });
    expect(await list(2)).toEqual({ ids: ["a", "b"], truncated: true, count: 2 });
  });

  it("fills the answer with parts of tool calls under loose pairs", async () => {
    await start("loose");
    expect(await list(0)).toEqual({ ids: ["a", "b", "call"], truncated: true, count: 3 });
  });
});
