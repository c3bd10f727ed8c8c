// Kills the server between two sessions of one DeleteFoundMessages. The same call again deletes the
// rest, and nothing else.

import { expect, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";

const SESSIONS = 4;
const REQUEST = { messageIds: ["a", "b"], requestId: "delete" };

async function fill(dataDir: string): Promise<void> {
  const server = await startServer({ dataDir });
  const client = new TestClient(server.address);
  for (let at = 0; at < SESSIONS; at++) {
    const messages = ["a", "kept", "b"].map((messageId) => message({ messageId, text: "x" }));
    const request = { sessionId: `s${at}`, createSession: true, messages };
    await client.call("appendMessages", request);
  }
  client.close();
  await server.stop();
}

/** The ids that each session has left. */
async function left(client: TestClient): Promise<readonly string[]> {
  const messageIds = ["a", "b", "kept"];
  const { messages } = await client.call("findMessages", { messageIds, pageSize: 100 });
  return messages.map(({ sessionId, message: found }) => `${sessionId} ${found?.messageId}`);
}

const SORTED = ["s3", "s2", "s1", "s0"];

test.for(["before-commit", "after-commit"] as const)(
  "a kill %s of a session leaves whole sessions, and a repeat deletes the rest once",
  async (place) => {
    await using directory = await makeTempDir();
    const dataDir = directory.path;
    await fill(dataDir);
    const gone: number[] = [];
    // Each server dies in the second change that it makes.
    for (let lives = 0; ; lives++) {
      expect(lives).toBeLessThanOrEqual(SESSIONS);
      const server = await startServer({ dataDir, args: ["--failpoints", `${place}:2`] });
      const client = new TestClient(server.address);
      const isDone = await client.call("deleteFoundMessages", REQUEST).then(
        () => true,
        () => false,
      );
      client.close();
      await (isDone ? server.stop() : server.exited);
      const check = await startServer({ dataDir });
      const reader = new TestClient(check.address);
      const now = await left(reader);
      const whole = SORTED.filter((one) => now.includes(`${one} a`));
      gone.push(SESSIONS - whole.length);
      const expected = SORTED.flatMap((one) =>
        (whole.includes(one) ? ["a", "kept", "b"] : ["kept"]).map((id) => `${one} ${id}`),
      );
      expect(now).toEqual(expected);
      if (!isDone) {
        reader.close();
        await check.stop();
        continue;
      }
      const { events } = await reader.call("listEvents", { pageSize: 100 });
      const deletions = events.filter(({ detail }) => detail?.$case === "messageDeleted");
      // One for each message, and none twice.
      expect(deletions).toHaveLength(2 * SESSIONS);
      expect(await reader.call("deleteFoundMessages", REQUEST)).toMatchObject({
        nextPageToken: "",
      });
      reader.close();
      await check.stop();
      break;
    }
    expect(gone.at(-1)).toBe(SESSIONS);
    expect(gone.length).toBeGreaterThan(1);
  },
);
