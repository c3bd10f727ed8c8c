// Provokes the failures of the rpcs on events and consumers.

import { once } from "node:events";
import { LIMITS } from "../../../../src/kit/limits.ts";
import {
  type Failure,
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestClient,
} from "../client.ts";
import { afterToken, NOW } from "../watch.ts";
import { type ErrorScene, sameWay, type Way, type Ways } from "./scene.ts";

type Start = NonNullable<RequestOf<"createConsumer">["start"]>;
type Ask = (client: TestClient, start: Start) => Promise<Failure>;

const watch = (client: TestClient, start: RequestOf<"watchEvents">["start"]) =>
  client.failStream(requestBytes("watchEvents", { start }));

/** Rpcs that read events from a position. */
const READERS: Readonly<Record<string, Ask>> = {
  WatchEvents: watch,
  ListEvents: (client, start) => client.fail("listEvents", { start } as object),
  CreateConsumer: (client, start) => client.fail("createConsumer", { consumerId: "new", start }),
};

/** A token of another namespace. */
async function foreignToken({ client }: ErrorScene): Promise<string> {
  return (await client.call("listEvents", { namespace: "other" })).resumeToken;
}

/** Reads from the start of a namespace whose first events were dropped. */
async function afterDropped(ask: Ask): Promise<Failure> {
  await using server = await startContractServer();
  for (let index = 0; index < 5; index++) await server.client.call("createSession");
  const kept = { eventCountMax: 2, eventAgeMsMax: 1e12, replyAgeMsMax: 1e12, usageHourMin: 0 };
  while (await server.store.maintain({ ...kept, nowMs: Date.now() })) {
    // Each call drops a batch.
  }
  return await ask(server.client, { $case: "afterRevision", value: 0n });
}

function readerWays(reason: string, way: (ask: Ask) => Way): Ways {
  return Object.fromEntries(
    Object.entries(READERS).map(([rpc, ask]) => [`${rpc} ${reason}`, way(ask)]),
  );
}

/** The failures of events, by rpc. */
export const EVENT_WAYS: Ways = {
  ...readerWays(
    "RESUME_TOKEN_INVALID",
    (ask) =>
      ({ client }) =>
        ask(client, afterToken("x")),
  ),
  ...readerWays(
    "RESUME_TOKEN_FOREIGN",
    (ask) => async (scene) => ask(scene.client, afterToken(await foreignToken(scene))),
  ),
  ...readerWays("RESUME_TOKEN_EXPIRED", (ask) => () => afterDropped(ask)),
  ...readerWays(
    "REVISION_NOT_REACHED",
    (ask) =>
      ({ client }) =>
        ask(client, { $case: "afterRevision", value: 1_000_000n }),
  ),
  "WatchEvents CONSUMER_NOT_FOUND": ({ client }) =>
    watch(client, { $case: "consumerId", value: "gone" }),
  "WatchEvents STREAM_LIMIT_REACHED": async () => {
    await using server = await startContractServer({ settings: { watchStreamsMax: 1 } });
    const open = server.client.stream(requestBytes("watchEvents", { start: NOW }));
    open.on("error", () => {});
    await once(open, "data");
    const failure = await watch(server.client, NOW);
    open.cancel();
    return failure;
  },
  ...sameWay("PAGE_TOKEN_INVALID", ["listEvents", "listConsumers", "listHooks", "listNamespaces"], {
    pageToken: "x",
  }),
  ...sameWay("CONSUMER_NOT_FOUND", ["getConsumer", "deleteConsumer"], {
    ...{ consumerId: "gone", allowMissing: false },
  }),
  "CreateConsumer CONSUMER_ALREADY_EXISTS": async ({ client, fresh }) => {
    const consumerId = fresh();
    await client.call("createConsumer", { consumerId });
    return await client.fail("createConsumer", { consumerId });
  },
  "CreateConsumer CONSUMER_LIMIT_REACHED": async ({ client, fresh }) => {
    const namespace = fresh();
    const create = (index: number) =>
      client.call("createConsumer", { namespace, consumerId: `c${index}` });
    const indexes = Array.from({ length: LIMITS.consumers }, (_, index) => index);
    for (let at = 0; at < LIMITS.consumers; at += 100) {
      await Promise.all(indexes.slice(at, at + 100).map(create));
    }
    return await client.fail("createConsumer", { namespace, consumerId: "more" });
  },
  "AckEvents CONSUMER_NOT_FOUND": async ({ client }) => {
    const { resumeToken } = await client.call("listEvents");
    return await client.fail("ackEvents", { consumerId: "gone", resumeToken });
  },
  "AckEvents RESUME_TOKEN_INVALID": (scene) => ack(scene, "x"),
  "AckEvents RESUME_TOKEN_FOREIGN": async (scene) => ack(scene, await foreignToken(scene)),
};

async function ack({ client, fresh }: ErrorScene, resumeToken: string): Promise<Failure> {
  const consumerId = fresh();
  await client.call("createConsumer", { consumerId });
  return await client.fail("ackEvents", { consumerId, resumeToken });
}
