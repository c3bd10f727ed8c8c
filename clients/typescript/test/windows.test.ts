// Requests of the methods for windows, policies and summaries.

import { afterEach, describe, expect, test } from "vitest";
import { PreviewSource, StageOn, WindowUnit } from "../src/gen/memorysidecar/v1/policy.ts";
import * as rpc from "../src/gen/memorysidecar/v1/session_service.ts";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
  ListPolicyPresetsRequest,
  ListPolicyPresetsResponse,
  PreviewPolicyRequest,
  PreviewPolicyResponse,
  ResetSessionRequest,
  ResetSessionResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "../src/gen/memorysidecar/v1/summary.ts";
import { connect, keepLast, type MemorySidecar, makePolicy, preset } from "../src/index.ts";
import { type FakeServer, script, startFake } from "./fake-server.ts";

let server: FakeServer | undefined;
let client: MemorySidecar | undefined;

interface Type<T> {
  fromPartial(value: object): T;
}

/** Answers one rpc, and gives the newest request of it as a plain message. */
async function serve<Request, Response>(
  method: string,
  _request: Type<Request>,
  answer: Type<Response>,
  value: object = {},
): Promise<{ client: MemorySidecar; sent: () => Request }> {
  const handler = script<Request, Response>(answer.fromPartial(value));
  server = await startFake({ sessions: { [method]: handler } });
  client = connect(server.address, { namespace: "team" });
  const sent = (): Request => {
    const newest = handler.seen.at(-1);
    if (newest === undefined) throw new Error("nothing was sent");
    return newest.request;
  };
  return { client, sent };
}

afterEach(() => {
  client?.close();
  server?.stop();
});

describe("the new fields of calls", () => {
  test("append says how the turn went", async () => {
    const { client, sent } = await serve(
      "appendMessages",
      AppendMessagesRequest,
      AppendMessagesResponse,
    );
    const toolOutcomes = [{ tool: "a" }, { tool: "b", error: true }];
    await client.append("s", [], { turnEnd: true, modelInputTokens: 0, toolOutcomes });
    expect(sent()).toMatchObject({
      messages: [],
      turnEnd: true,
      modelInputTokens: 0,
      toolOutcomes: [
        { tool: "a", error: false },
        { tool: "b", error: true },
      ],
    });
    await client.append("s", "hello");
    expect(sent()).toMatchObject({ turnEnd: false, modelInputTokens: undefined });
  });

  test("reset and window take their options", async () => {
    const reset = await serve("resetSession", ResetSessionRequest, ResetSessionResponse);
    await reset.client.resetSession("s", { keepFirstSystemMessage: true, keepSummary: true });
    expect(reset.sent()).toMatchObject({
      keepSystemMessages: false,
      keepFirstSystemMessage: true,
      keepSummary: true,
    });
    reset.client.close();
    const window = await serve("getWindow", rpc.GetWindowRequest, rpc.GetWindowResponse);
    await window.client.window("s", { newest: 2 });
    expect(window.sent().newest).toBe(2);
    await window.client.window("s");
    expect(window.sent().newest).toBeUndefined();
  });
});

describe("policies", () => {
  test("one or several are looked through", async () => {
    const { client, sent } = await serve(
      "previewPolicy",
      PreviewPolicyRequest,
      PreviewPolicyResponse,
    );
    await client.previewPolicy("s");
    expect(sent()).toMatchObject({ namespace: "team", sessionId: "s", policies: [] });
    await client.previewPolicy("s", preset("managed"), {
      occasions: ["turn-end", "read"],
      source: "log",
      modelInputTokens: 0,
      toolOutcomes: [{ tool: "a" }],
    });
    expect(sent()).toMatchObject({
      policies: [{ choice: { $case: "preset", value: { name: "managed" } } }],
      occasions: [StageOn.TURN_END, StageOn.READ],
      source: PreviewSource.LOG,
      modelInputTokens: 0,
      toolOutcomes: [{ tool: "a", error: false }],
    });
    await client.previewPolicy("s", [preset("managed"), makePolicy([keepLast("a", 1)])]);
    expect(sent().policies).toHaveLength(2);
  });

  test("presets are given as a list", async () => {
    const presets = await serve(
      "listPolicyPresets",
      ListPolicyPresetsRequest,
      ListPolicyPresetsResponse,
      { presets: [{ name: "one" }] },
    );
    expect((await presets.client.listPolicyPresets()).map(({ name }) => name)).toEqual(["one"]);
    presets.client.close();
  });
});

describe("the stored window", () => {
  test.each([
    [{ maxTokens: 0 }, { $case: "maxTokens", value: 0 }],
    [{ maxMessages: 3 }, { $case: "maxMessages", value: 3 }],
    [{ keepRecent: 2 }, { $case: "keepRecent", value: 2 }],
    [{ runPolicy: true }, { $case: "runPolicy", value: {} }],
  ] as const)("is trimmed to %j", async (target, expected) => {
    const { client, sent } = await serve(
      "trimSession",
      rpc.TrimSessionRequest,
      rpc.TrimSessionResponse,
    );
    await client.trimSession("s", target);
    expect(sent()).toMatchObject({
      target: expected,
      unit: WindowUnit.UNSPECIFIED,
      discard: false,
    });
    await client.trimSession("s", target, { unit: "turn", discard: true, etag: "e" });
    expect(sent()).toMatchObject({ unit: WindowUnit.TURN, discard: true, etag: "e" });
    expect(sent().requestId).not.toBe("");
  });

  test("gets messages back", async () => {
    const { client, sent } = await serve(
      "restoreMessages",
      rpc.RestoreMessagesRequest,
      rpc.RestoreMessagesResponse,
    );
    await client.restoreMessages("s", ["a"], { seqRanges: [[1, 3]], requestId: "r" });
    expect(sent()).toMatchObject({
      messageIds: ["a"],
      seqRanges: [{ firstSeq: 1, lastSeq: 3 }],
      requestId: "r",
    });
  });

  test("gets summaries", async () => {
    const inputs = await serve(
      "listSummaryInputs",
      rpc.ListSummaryInputsRequest,
      rpc.ListSummaryInputsResponse,
    );
    await inputs.client.listSummaryInputs("s", { keepRecent: 0 });
    expect(inputs.sent().choice).toEqual({ $case: "keepRecent", value: 0 });
    await inputs.client.listSummaryInputs("s", { stage: "old" });
    expect(inputs.sent().choice).toEqual({ $case: "stage", value: "old" });
    inputs.client.close();
    const { client, sent } = await serve(
      "setSummary",
      rpc.SetSummaryRequest,
      rpc.SetSummaryResponse,
    );
    const replacedMessageIds = ["a", "b"];
    await client.setSummary("s", "text", { replacedMessageIds, inPlace: true, expectedVersion: 0 });
    expect(sent()).toMatchObject({
      text: "text",
      replacedMessageIds,
      placement: SummaryPlacement.IN_PLACE,
      expectedVersion: 0,
    });
    await client.setSummary("s", "");
    expect(sent()).toMatchObject({ replacedMessageIds: [], expectedVersion: undefined });
  });

  test("is filled", async () => {
    const { client, sent } = await serve(
      "fillToolResults",
      rpc.FillToolResultsRequest,
      rpc.FillToolResultsResponse,
    );
    await client.fillToolResults("s", { text: "gone", newestOnly: true });
    expect(sent()).toMatchObject({ namespace: "team", text: "gone", newestOnly: true });
  });
});
