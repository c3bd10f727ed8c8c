// Pages of ListSummaryInputs through the contract.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message, session } from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

describe("ListSummaryInputs", () => {
  test("gives pages, which look at the window anew", async () => {
    const sessionId = "paged";
    const messages = Array.from({ length: 5 }, (_, index) =>
      message({ messageId: `m${index + 1}`, text: "x" }),
    );
    await server.client.call("createSession", { session: session({ sessionId }) });
    await server.client.call("appendMessages", { sessionId, messages });
    const choice = { $case: "keepRecent", value: 1 } as const;
    const page = async (pageToken: string) => {
      const request = { sessionId, choice, pageSize: 2, pageToken };
      const answer = await server.client.call("listSummaryInputs", request);
      return { ...answer, ids: answer.messages.map(({ messageId }) => messageId) };
    };
    const first = await page("");
    expect(first).toMatchObject({ ids: ["m1", "m2"], totals: { messageCount: 4n } });
    const set = { sessionId, text: "b", replacedMessageIds: ["m2"] };
    await server.client.call("setSummary", { ...set, placement: SummaryPlacement.IN_PLACE });
    expect(await page(first.nextPageToken)).toMatchObject({ ids: ["m3", "m4"], nextPageToken: "" });
    const other = { sessionId, choice, pageSize: 2, pageToken: "x" };
    expect(await server.client.fail("listSummaryInputs", other)).toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });
});
