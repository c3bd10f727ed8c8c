// Goal: a page stays within its bytes and its size, and all pages are what SetSummary takes: whole
// tool calls.

import { afterEach, describe, expect, test } from "vitest";
import { fromBytes, type StoredJsonMessage } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { withContent } from "../core/window-view.ts";
import type { Store, StoredEntry } from "../store/store.ts";
import type { ToolPairing } from "../window/policy/policy.ts";
import { ROLE } from "../window/rules/types.ts";

const REF = { namespace: "default", sessionId: "s" };
const MIB = 1024 * 1024;

let services: TestServices;

afterEach(() => services.stop());

const large = (entry: StoredEntry): StoredEntry => ({
  ...withContent(entry, entry.bytes, entry.tokenCount),
  byteCount: MIB,
});

/** Services that take every message of a window for one MiB large. */
async function start(toolPairing: ToolPairing): Promise<void> {
  const wrapStore = (store: Store): Store => {
    const readWindow: Store["readWindow"] = async (ref) => {
      const now = await store.readWindow(ref);
      return now && { ...now, window: now.window.map(large) };
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

/** The ids of each page, and how many messages all pages hold. */
async function list(keepRecent: number, limit = 1_000) {
  const choice = { kind: "keep-recent", keepRecent } as const;
  const pages: string[][] = [];
  let after: number | undefined;
  let count = 0;
  do {
    const input = { ...REF, choice, limit, ...(after === undefined ? {} : { after }) };
    const answer = await services.sessions.listSummaryInputs(services.call("List"), input);
    pages.push(answer.messages.map((bytes) => fromBytes<StoredJsonMessage>(bytes).stamp.messageId));
    after = answer.next;
    count = answer.total.messageCount;
  } while (after !== undefined);
  return { pages, count };
}

describe("ListSummaryInputs", () => {
  test("gives pages of 3 MiB at most, which together hold whole tool calls", async () => {
    await start("whole");
    expect(await list(0)).toEqual({
      pages: [
        ["a", "b", "call"],
        ["result", "c"],
      ],
      count: 5,
    });
    expect(await list(1)).toEqual({ pages: [["a", "b", "call"], ["result"]], count: 4 });
    expect(await list(2)).toEqual({ pages: [["a", "b"]], count: 2 });
    expect(await list(3)).toEqual({ pages: [["a", "b"]], count: 2 });
  });

  test("gives as many messages as were asked for", async () => {
    await start("whole");
    expect(await list(1, 2)).toEqual({
      pages: [
        ["a", "b"],
        ["call", "result"],
      ],
      count: 4,
    });
    expect(await list(9, 2)).toEqual({ pages: [[]], count: 0 });
  });

  test("takes a result that stands elsewhere for no part of a call under adjacent pairs", async () => {
    await start("adjacent");
    await services.append(REF.sessionId, [
      { messageId: "late", role: ROLE.tool, toolCallId: "c1" },
    ]);
    const [first, rest] = [
      ["a", "b", "call"],
      ["result", "c"],
    ];
    expect(await list(1)).toEqual({ pages: [first, rest], count: 5 });
    expect(await list(2)).toEqual({ pages: [first, ["result"]], count: 4 });
    expect(await list(3)).toEqual({ pages: [["a", "b"]], count: 2 });
  });

  test("parts tool calls from their results under loose pairs", async () => {
    await start("loose");
    expect(await list(2)).toEqual({ pages: [["a", "b", "call"]], count: 3 });
  });
});
