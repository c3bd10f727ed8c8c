// A namespace that takes all it can get keeps no other out: of uploads, watches, polls, exports
// and calls that run.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/kit/limits.ts";
import { requestBytes, TestClient } from "../support/contract/client.ts";
import { NOW } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const WATCHES = 40;
const WAIT = { seconds: 20n, nanos: 0 };

async function startServer(...args: readonly string[]): Promise<TestClient> {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const hooksFile = join(directory.path, "hooks.json");
  writeFileSync(hooksFile, JSON.stringify({ hooks: { agents: { kind: "poll" } } }));
  const flags = ["--hooks-file", hooksFile, "--max-streams", "2000", ...args];
  const server = await start({ dataDir: join(directory.path, "data"), args: flags });
  const client = new TestClient(server.address);
  onTestFinished(() => client.close());
  return client;
}

test("uploads of one namespace leave places to others", async () => {
  const client = await startServer();
  const begin = (namespace: string, index: number) => {
    const chunk = { header: undefined, messages: [], document: Buffer.from("[") };
    const upload = { format: "lauren", sessionId: `s${index}`, chunk, more: true };
    return client.raw("importSession", requestBytes("importSession", { namespace, ...upload }));
  };
  const floods = [];
  for (let index = 0; index < LIMITS.uploads + 1; index++) floods.push(await begin("flood", index));
  const refused = floods.flatMap((one) => ("failure" in one ? [one.failure] : []));
  expect(refused).toHaveLength(LIMITS.uploads + 1 - LIMITS.namespaceUploads);
  expect(refused[0]).toMatchObject({
    code: "UNAVAILABLE",
    reason: "UPLOAD_LIMIT_REACHED",
    metadata: { limit: String(LIMITS.namespaceUploads) },
  });
  expect(refused[0]?.retryAfterMs).toBeGreaterThan(0);
  expect(await begin("quiet", 0)).not.toHaveProperty("failure");
});

test("watches of one namespace leave places to others", async () => {
  const client = await startServer("--watch-streams", String(WATCHES));
  const open = async (namespace: string): Promise<string> => {
    const stream = client.stream(requestBytes("watchEvents", { namespace, start: NOW }));
    onTestFinished(() => stream.cancel());
    return await new Promise((resolve) => {
      stream.on("data", () => resolve("open"));
      stream.on("error", () => resolve("refused"));
    });
  };
  const floods = [];
  for (let count = 0; count < WATCHES; count++) floods.push(await open("flood"));
  expect(floods.filter((outcome) => outcome === "open")).toHaveLength(WATCHES * 0.75);
  expect(await open("quiet")).toBe("open");
});

test("polls of one namespace leave places to others", async () => {
  const client = await startServer();
  const poll = (namespace: string, seconds: bigint) =>
    client.raw(
      "pollTasks",
      requestBytes("pollTasks", { namespace, hooks: ["agents"], wait: { seconds, nanos: 0 } }),
    );
  let refused = 0;
  for (let count = 0; count < LIMITS.polls; count++) {
    void poll("flood", WAIT.seconds).then((outcome) => {
      if ("failure" in outcome) refused += 1;
    });
  }
  for (let waited = 0; waited < 10_000 && refused < 250; waited += 50) await sleep(50);
  expect(refused).toBe(LIMITS.polls - LIMITS.namespacePolls);
  expect(await poll("quiet", 1n)).not.toHaveProperty("failure");
});
