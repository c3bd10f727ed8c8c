// Every rpc, and every error that a user will meet, once.
//
//   node clients/typescript/examples/walkthrough.ts [ADDRESS]
//
// In a program of your own import from "@memory-sidecar/client".

import { randomUUID } from "node:crypto";
import { Metadata } from "@grpc/grpc-js";
import {
  connect,
  dropOldest,
  EventType,
  isMemorySidecarError,
  type KnownErrorReason,
  keepLast,
  Role,
  Status,
  toDate,
} from "../src/index.ts";

const run = randomUUID().slice(0, 8);
const namespace = `walk-${run}`;
const client = connect(process.argv[2] ?? "127.0.0.1:50151", { namespace, timeoutMs: 10_000 });

function title(text: string): void {
  console.log(`\n== ${text}`);
}

/** Shows an error that is meant to happen. */
async function refused(reason: KnownErrorReason, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!isMemorySidecarError(error, reason)) throw new Error(`${reason} was expected`);
  console.log(`   ${error.reason} (${Status[error.code]}): ${error.message}`);
}

async function sessions(): Promise<void> {
  title("Sessions");
  const created = await client.createSession({
    sessionId: "chat",
    userId: "ada",
    agentId: "botanist",
    labels: { topic: "trees" },
    metadata: { plan: "free", seats: 3 },
    ttlMs: 86_400_000,
    policy: { stages: [dropOldest("fit", { maxTokens: 500 }, { over: { tokens: 600 } })] },
  });
  console.log(`created ${created.sessionId}, gone at ${toDate(created.expireTime)?.toISOString()}`);
  await refused("SESSION_ALREADY_EXISTS", client.createSession({ sessionId: "chat" }));
  await refused("SESSION_NOT_FOUND", client.getSession("nobody"));
  const { etag } = await client.getSession("chat");
  const changed = await client.updateSession({ sessionId: "chat", userId: "grace", etag });
  console.log(`now of ${changed.session?.userId}`);
  await refused("ETAG_MISMATCH", client.updateSession({ sessionId: "chat", agentId: "x", etag }));
  await client.updateSession({ sessionId: "chat" }, { updateMask: ["ttl", "agent_id"] });
  for await (const session of client.listSessions({ labels: { topic: "trees" } })) {
    console.log(`listed ${session.sessionId}, last seq ${session.lastSeq}`);
  }
}

async function messages(): Promise<void> {
  title("Messages");
  await client.append("chat", { role: "system", text: "You are a botanist." });
  const asked = await client.append("chat", [
    { role: "user", messageId: "question", text: "What flowers in March?" },
    {
      role: "assistant",
      toolCalls: [{ toolCallId: "c1", name: "calendar", arguments: '{"month":3}' }],
    },
    { role: "tool", toolCallId: "c1", text: "hazel, alder" },
    { role: "assistant", parts: ["Hazel and alder.", { data: { month: 3 } }] },
  ]);
  console.log(`seqs ${asked.messages.map((message) => message.seq).join(" ")}`);
  await refused(
    "MESSAGE_ALREADY_EXISTS",
    client.append("chat", { role: "user", messageId: "question" }),
  );
  await refused("LAST_SEQ_MISMATCH", client.append("chat", "late", { expectedLastSeq: 1 }));
  await refused("REQUEST_INVALID", client.append("chat", { role: "user", toolCallId: "c1" }));
  const requestId = `first-${run}`;
  const first = await client.append("chat", "only once", { requestId });
  const again = await client.append("chat", "only once", { requestId });
  console.log(`the same append twice: seq ${first.lastSeq} and seq ${again.lastSeq}`);
  await refused("REQUEST_ID_REUSED", client.append("chat", "other", { requestId }));
  await client.append("new", "hello", { createSession: true });
  await client.updateMessage("chat", { messageId: "question", text: "What flowers in April?" });
  const { message, inWindow } = await client.getMessage("chat", "question");
  console.log(`"${message?.text}" is ${inWindow ? "in" : "outside"} the window`);
  await refused("MESSAGE_NOT_FOUND", client.getMessage("chat", "nothing"));
  for await (const item of client.listMessages("chat", {
    roles: ["user"],
    order: "newest-first",
  })) {
    console.log(`user said, at ${item.seq}: ${item.text}`);
  }
  await client.deleteMessage("chat", "question");
  await client.deleteMessage("chat", "question", { allowMissing: true });
  await refused("MESSAGE_NOT_FOUND", client.deleteMessage("chat", "question"));
}

async function windows(): Promise<void> {
  title("Windows");
  const window = await client.window("chat");
  const { window: inside, outside } = window;
  console.log(`${inside?.messageCount} in, ${outside?.messageCount} out`);
  const stages = [keepLast("last", 1, { unit: "message" })];
  const view = await client.window("chat", { policy: { stages } });
  console.log(`through another policy: ${view.messages.map((message) => message.seq).join(" ")}`);
  const past = await client.window("chat", { asOfSeq: 1 });
  console.log(`at seq 1: ${past.messages.length} message`);
  await refused("SEQ_OUT_OF_RANGE", client.window("chat", { asOfSeq: 999 }));
  const policy = { stages: [dropOldest("few", { maxMessages: 2 }, { unit: "message" })] };
  const { trims } = await client.updateSession({ sessionId: "chat", policy });
  for (const trim of trims)
    console.log(`stage ${trim.stage} removed ${trim.removed?.messageCount}`);
}

async function copies(): Promise<void> {
  title("Copies and endings");
  const copy = await client.forkSession("chat", { atSeq: 3, sessionId: "copy" });
  console.log(`${copy.sessionId} comes from ${copy.forkedFrom?.sessionId}`);
  await refused("SEQ_OUT_OF_RANGE", client.forkSession("chat", { atSeq: 999 }));
  const reset = await client.resetSession("copy", { keepSystemMessages: true });
  console.log(`reset deleted ${reset.deleted?.messageCount}`);
  await client.deleteSession("copy");
  await client.deleteSession("copy", { allowMissing: true });
  await refused("SESSION_NOT_FOUND", client.deleteSession("copy"));
}

async function events(): Promise<void> {
  title("Events");
  const stream = client.watch({
    filter: { sessionId: "chat", types: [EventType.MESSAGES_APPENDED] },
  });
  await stream.ready;
  await client.append("chat", "are you there?");
  const { value } = await stream.next();
  console.log(`saw revision ${value?.event.revision} as it happened`);
  await stream.return();
  let listed = 0;
  for await (const _event of client.listEvents()) listed++;
  console.log(`${listed} events are kept`);
  const token = value?.resumeToken ?? "";
  const broken = client.watch({ from: { resumeToken: "not a token" } });
  await refused("RESUME_TOKEN_INVALID", broken.next());
  const elsewhere = client.watch({ from: { resumeToken: token }, namespace: "elsewhere" });
  await refused("RESUME_TOKEN_FOREIGN", elsewhere.next());

  await client.createConsumer("worker", { from: "oldest" });
  await refused("CONSUMER_ALREADY_EXISTS", client.createConsumer("worker"));
  const work = client.watch({ from: { consumerId: "worker" } });
  for await (const { event, resumeToken } of work) {
    await client.ackEvents("worker", resumeToken);
    if (event.revision === value?.event.revision) break;
  }
  const { lag } = await client.getConsumer("worker");
  console.log(`worker is ${lag} revisions behind`);
  for await (const { consumerId } of client.listConsumers()) console.log(`consumer ${consumerId}`);
  await client.deleteConsumer("worker");
  await refused("CONSUMER_NOT_FOUND", client.getConsumer("worker"));
}

async function rest(): Promise<void> {
  title("The server, cancellation, and the generated clients");
  const info = await client.serverInfo();
  const limit = info.limits.find(({ name }) => name === "append_messages");
  console.log(`version ${info.version}, ${limit?.value} messages in one append`);
  const reason = new Error("no longer needed");
  const signal = AbortSignal.abort(reason);
  await client
    .window("chat", { signal })
    .catch((error) => console.log(`cancelled: ${error.message}`));
  const request = { namespace, sessionId: "chat" };
  const { session } = await new Promise<{ session?: { lastSeq: bigint } | undefined }>(
    (resolve, reject) => {
      client.raw.sessions.getSession(request, new Metadata(), (error, response) =>
        error ? reject(error) : resolve(response),
      );
    },
  );
  console.log(`the generated client says ${session?.lastSeq}`);
  const invalid = client.raw.sessions.listSessions.bind(client.raw.sessions);
  await new Promise<void>((resolve) => {
    const page = { namespace, order: 0, pageSize: 1, pageToken: "broken" } as const;
    invalid({ ...page, filter: undefined }, (error) => {
      console.log(`   a plain grpc error: ${Status[error?.code ?? 0]}: ${error?.details}`);
      resolve();
    });
  });
  console.log(`roles are numbers: user is ${Role.USER}`);
}

for (const part of [sessions, messages, windows, copies, events, rest]) await part();
for await (const { sessionId } of client.listSessions()) await client.deleteSession(sessionId);
client.close();
console.log("\nDone.");
