// A store whose past was replaced has another history: tokens of the one before are refused.

import { expect, it } from "vitest";
import { newMemoryState } from "../../src/storage/memory/state.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { CODEC } from "../../src/transport/convert/message.ts";
import { startContractServer } from "../support/contract.ts";
import { users } from "../support/policy-wire.ts";
import { afterToken } from "../support/watch.ts";

it("refuses tokens of another history of the same store", async () => {
  const state = newMemoryState("0123456789abcdef");
  const { readFacts } = CODEC;
  const first = await openMemoryStore({ readFacts, state });
  const second = await openMemoryStore({
    readFacts,
    state: { ...state, historyId: "fedcba9876543210" },
  });
  await using before = await startContractServer({ wrapStore: () => first });
  await using after = await startContractServer({ wrapStore: () => second });
  const append = { sessionId: "s", createSession: true, messages: users(3) };
  await before.client.call("appendMessages", append);

  const { resumeToken } = await before.client.call("listEvents", {});
  expect(
    (await before.client.call("listEvents", { start: afterToken(resumeToken) })).events,
  ).toEqual([]);
  expect((await after.client.call("listEvents", {})).events).toHaveLength(2);
  expect(await after.client.fail("listEvents", { start: afterToken(resumeToken) })).toMatchObject({
    ...{ code: "INVALID_ARGUMENT", reason: "RESUME_TOKEN_FOREIGN" },
  });

  const page = { sessionId: "s", pageSize: 1 };
  const { nextPageToken: pageToken } = await before.client.call("listMessages", page);
  expect((await before.client.call("listMessages", { ...page, pageToken })).messages).toHaveLength(
    1,
  );
  expect(await after.client.fail("listMessages", { ...page, pageToken })).toMatchObject({
    ...{ code: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" },
  });
});
