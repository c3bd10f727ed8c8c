// A server with the maximum number of waiting polls.

import { setTimeout as wait } from "node:timers/promises";
import { credentials } from "@grpc/grpc-js";
import { LIMITS } from "../../../../src/kit/limits.ts";
import { hooksOf, pollHook } from "../../hooks/hooks.ts";
import { type Failure, requestBytes, startContractServer, TestClient } from "../client.ts";
import { lines, makeScene, span, summarizingPolicy, WORKERS } from "../summarizing.ts";

/** Acts on a server with the session `s` while the maximum number of polls wait. */
export async function whilePollsAreFull(
  act: (client: TestClient) => Promise<Failure>,
): Promise<Failure> {
  await using server = await startContractServer({
    hooks: hooksOf([pollHook(WORKERS), pollHook("idle")]),
  });
  const policy = summarizingPolicy({ hook: "manual" });
  await makeScene(server, "s", { policy, messages: lines(2) });
  // A connection allows 1,000 concurrent calls, so the waiting polls get a separate one.
  const waiting = new TestClient(server.address, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
  });
  const poll = (ms: number) => requestBytes("pollTasks", { hooks: ["idle"], wait: span(ms) });
  try {
    for (let count = 0; count < LIMITS.polls; count++) waiting.start("pollTasks", poll(60_000));
    while (!("failure" in (await server.client.raw("pollTasks", poll(1))))) await wait(10);
    return await act(server.client);
  } finally {
    waiting.close();
  }
}
