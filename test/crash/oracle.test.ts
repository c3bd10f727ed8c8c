// The oracle must find what it is there for: each case takes a true account of a store and breaks
// it in one way. The last one runs a real server with a client that counts a write as acknowledged
// when it is sent, as a server would that answers before its commit.

import { expect, test } from "vitest";
import { randomFrom } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { type Content, Journal } from "./journal.ts";
import { observe } from "./observe.ts";
import { check, type Seen, type SeenEvent, type SeenSession } from "./oracle.ts";
import { plainClient } from "./writers.ts";

function content(text: string): Content {
  return { role: "user", text, payload: undefined, toolCallId: "", toolCallIds: [] };
}

/** Three acknowledged appends, one refused, one deletion, and what an honest server shows. */
function honest(): { journal: Journal; seen: Seen; session: SeenSession } {
  const journal = new Journal(["s"]);
  const messages: SeenSession["messages"][number][] = [];
  const event = { sessionId: "s", requestId: "", messageIds: [], firstSeq: 0, wasInWindow: false };
  const events: SeenEvent[] = [{ ...event, revision: 1, index: 0, type: "created" }];
  for (let seq = 1; seq <= 3; seq++) {
    const messageId = `m${seq}`;
    const one = content(`text ${seq}`);
    const operation = journal.intendAppend("s", [{ messageId, content: one }]);
    journal.acknowledge(operation, { revision: seq + 1, seqs: [seq] });
    messages.push({ messageId, seq, tokenCount: 2, content: one });
    const { requestId } = operation;
    const named = { ...event, requestId, messageIds: [messageId], firstSeq: seq };
    events.push({ ...named, revision: seq + 1, index: 0, type: "appended" });
  }
  journal.refuse(journal.intendAppend("s", [{ messageId: "refused", content: content("no") }]));
  events.push({ ...event, revision: 4, index: 1, type: "trimmed", messageIds: ["m1"] });
  const session = {
    sessionId: "s",
    lastSeq: 3,
    logCount: 3,
    logTokens: 6,
    messages,
    window: ["m2", "m3"],
  };
  return { journal, seen: { sessions: [session], events, otherRevisions: [] }, session };
}

function broken(change: (session: SeenSession, seen: Seen) => Partial<SeenSession>): string[] {
  const { journal, seen, session } = honest();
  return check(journal, { ...seen, sessions: [{ ...session, ...change(session, seen) }] });
}

test("the oracle accepts an honest account", () => {
  const { journal, seen } = honest();
  expect(check(journal, seen)).toEqual([]);
});

test("the oracle finds a lost, a changed, a doubled and a refused message", () => {
  expect(broken(({ messages }) => ({ messages: messages.slice(0, 2) })).join()).toContain(
    "LOST m3",
  );
  const changed = broken(({ messages }) => ({
    messages: messages.map((one) => ({ ...one, content: content(`${one.content.text}.`) })),
  }));
  expect(changed.join()).toContain("LOST content");
  const doubled = broken(({ messages }) => ({
    messages: messages.flatMap((one) => [one, { ...one, seq: one.seq + 3 }]),
    lastSeq: 6,
  }));
  expect(doubled.join()).toContain("m1 is there twice");
  const refused = broken(({ messages }) => ({
    messages: [
      ...messages,
      { messageId: "refused", seq: 4, tokenCount: 1, content: content("no") },
    ],
    lastSeq: 4,
  }));
  expect(refused.join()).toContain("refused was refused and is stored");
});

test("the oracle finds a hole, wrong totals and a wrong window", () => {
  expect(broken(() => ({ lastSeq: 4 })).join()).toContain("HOLE at seq 4");
  expect(broken(() => ({ logCount: 4 })).join()).toContain("totals");
  expect(broken(() => ({ window: ["m1", "m2", "m3"] })).join()).toContain("appended minus trimmed");
});

test("the oracle finds every single event that is dropped", () => {
  const { journal, seen } = honest();
  for (let at = 0; at < seen.events.length; at++) {
    const events = seen.events.filter((_, i) => i !== at);
    expect(check(journal, { ...seen, events })).not.toEqual([]);
  }
});

test("the oracle finds a write done twice and an event that vanished", () => {
  const { journal, seen } = honest();
  const last = seen.events.at(-2);
  if (last === undefined) throw new Error("no event");
  const again = { ...last, revision: 5, index: 0, firstSeq: 4 };
  const twice = check(journal, { ...seen, events: [...seen.events, again] });
  expect(twice.join()).toContain("DUPLICATE");
  journal.seenEvents.add("9.0 appended r-9 m9");
  expect(check(journal, seen).join()).toContain("LOST event that a watcher saw");
});

test("the oracle finds writes that were acknowledged before they were durable", async () => {
  await using directory = await makeTempDir();
  const random = randomFrom(7);
  const server = await startServer({ dataDir: directory.path });
  const client = plainClient(server.address);
  await client.createSession({ sessionId: "s" });
  const journal = new Journal(["s"]);
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < 3_000; i++) {
    const messageId = `early-${i}`;
    const text = "x".repeat(random.int(1, 300));
    const operation = journal.intendAppend("s", [{ messageId, content: content(text) }]);
    // The fault: nobody waits for the answer.
    operation.outcome = "yes";
    const { requestId } = operation;
    const append = client.append("s", [{ messageId, role: "user", text }], { requestId });
    sent.push(append.catch(() => {}));
  }
  await sent[0];
  await server.kill();
  await Promise.all(sent);
  client.close();
  const again = await startServer({ dataDir: directory.path });
  const reader = plainClient(again.address);
  const wrong = check(journal, await observe(reader, ["s"]));
  reader.close();
  await again.kill();
  expect(wrong.length).toBeGreaterThan(0);
  expect(wrong.find((line) => line.startsWith("LOST early-"))).toBeDefined();
});
