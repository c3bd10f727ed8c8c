// Exports and imports of a server process: an import that is cut off by its end leaves nothing, and
// one that was answered is there.

import { expect, test } from "vitest";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import {
  bringSnapshot,
  comparable,
  failImport,
  importChunk,
  takeSnapshot,
} from "../support/contract/snapshots.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const FACTS = new URL("../../src/session/facts-wire.ts", import.meta.url);
const BATCHES = 12;

async function fill(client: TestClient, sessionId: string): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const messages = Array.from({ length: 1_000 }, (_, index) =>
      message({ messageId: `id ${batch} ${index}`, text: "x".repeat(1_000), tokenCount: 1 }),
    );
    await client.call("appendMessages", { sessionId, messages, createSession: true });
  }
}

test("an import goes on after nothing but its own end", async () => {
  await using directory = await makeTempDir();
  const first = await start({ dataDir: directory.path });
  const client = new TestClient(first.address);
  await fill(client, "source");
  const snapshot = await takeSnapshot(client, "source");
  expect(snapshot.messages.length).toBe(BATCHES * 1_000);

  const begun = await importChunk(client, {
    sessionId: "cut",
    header: snapshot.header,
    messages: snapshot.messages.slice(0, 3_000),
    more: true,
  });
  const made = await bringSnapshot(client, snapshot, { sessionId: "whole", chunk: 3_000 });
  client.close();
  await first.kill("SIGKILL");

  const second = await start({ dataDir: directory.path });
  const again = new TestClient(second.address);
  const next = {
    uploadId: begun.uploadId,
    chunkIndex: 1,
    messages: snapshot.messages.slice(3_000, 6_000),
  };
  expect((await failImport(again, next)).reason).toBe("UPLOAD_NOT_FOUND");
  expect((await again.fail("getSession", { sessionId: "cut" })).reason).toBe("SESSION_NOT_FOUND");
  const whole = await takeSnapshot(again, "whole");
  expect(whole.header.session).toEqual(made);
  expect(comparable(whole)).toEqual(comparable(snapshot));
  await bringSnapshot(again, snapshot, { sessionId: "cut", chunk: 3_000 });
  const fields = {
    sessionId: "source",
    format: "lauren",
    document: Buffer.from("[]"),
    more: true,
  };
  await importChunk(again, fields);
  again.close();
  // A stop gives up what is under way, and does not wait for it.
  expect(await second.stop()).toEqual({ code: 0, signal: null });
  const report = await verifyDirectory(directory.path, { factsModule: FACTS });
  expect(report.problems).toEqual([]);
  expect(report.totals).toMatchObject({ sessions: 3, messages: 3 * BATCHES * 1_000 });
});
