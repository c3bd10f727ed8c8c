// Does tasks of a hook in every way, and meets the errors that a worker can cause.
//
//   node tasks.ts ADDRESS HOOK
//
// HOOK is a hook of the kind `poll` in the server's configuration. Works in a namespace of its own
// and deletes what it made.

import { randomBytes } from "node:crypto";
import {
  connect,
  dropOldest,
  type ErrorReason,
  HookKind,
  isMemorySidecarError,
  type LeasedTask,
  type MemorySidecar,
  makePolicy,
  runWorker,
  summarize,
  summaryView,
  TaskState,
} from "../src/index.ts";

const [address = "", hook = ""] = process.argv.slice(2);
const namespace = `tasks-${randomBytes(4).toString("hex")}`;
const client: MemorySidecar = connect(address, { namespace });

/** Awaits a failure of a kind and shows it. */
async function expectError(reason: keyof typeof ErrorReason, call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error(`${reason} did not come`),
    (cause: unknown) => cause,
  );
  if (!isMemorySidecarError(error) || error.reason !== reason) throw error;
  console.log(`   ${error.reason} (${error.code}): ${error.message}`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Takes the one task that is there. */
async function take(): Promise<LeasedTask> {
  const [task] = await client.pollTasks(hook, { waitMs: 5_000, leaseMs: 30_000, workerId: "ts" });
  if (task?.task === undefined) throw new Error("no task came");
  return task;
}

function taskId(leased: LeasedTask): string {
  return leased.task?.taskId ?? "";
}

/** Begins a conversation whose window overflows into the hook at once. */
async function start(sessionId: string): Promise<void> {
  const options = summarize({ hook, keep: "append", leave: "at-once", onFailure: "drop" });
  const stage = dropOldest(
    "oldest",
    { maxMessages: 2 },
    { unit: "message", over: { messages: 4 }, summarize: options },
  );
  const policy = makePolicy([stage], { summaryView: summaryView({ prefix: "So far: " }) });
  await client.createSession({ sessionId, policy });
  await client.append(
    sessionId,
    [0, 1, 2, 3, 4].map((number) => `Note ${number} of Ana.`),
  );
}

for (const { name, kind } of await client.listHooks())
  console.log(`${name}${kind === HookKind.POLL ? ": workers" : ""}`);
await expectError("HOOK_NOT_CONFIGURED", client.pollTasks("nobody"));

console.log("\n== A task by hand");
await start("by-hand");
const first = await take();
if (first.input?.$case === "summarize") {
  console.log(`${taskId(first)}: ${JSON.stringify(first.input.value.transcript)}`);
}
console.log(`kept until ${(await client.extendLease(first, { leaseMs: 60_000 })).toISOString()}`);
const { state } = await client.getTask(taskId(first));
const leased = await all(client.listTasks({ state: "leased" }));
console.log(`leased: ${state === TaskState.LEASED}, one of ${leased.length}`);
await expectError("TASK_RESULT_INVALID", client.completeTask(first, ""));
await client.retryTask(taskId(first));
const again = await take();
await expectError("LEASE_LOST", client.completeTask({ ...again, leaseToken: "another" }, "No."));
const done = await client.completeTask(again, { text: "Ana takes notes.", model: "by hand" });
await expectError("TASK_NOT_FOUND", client.failTask(again));
for await (const { text, version } of client.listSummaries("by-hand")) {
  const sources = await all(client.listSummarySources("by-hand", version));
  console.log(`${done.summaryVersion}: ${text} ${sources.map((message) => message.seq)}`);
}
await expectError("SUMMARY_NOT_FOUND", all(client.listSummarySources("by-hand", 99)));
console.log((await client.window("by-hand")).messages.map((message) => message.text));

console.log("\n== Summaries on request");
const plans = (from: number) => [0, 1, 2, 3, 4, 5].map((number) => `Plan ${from + number}.`);
await client.append("asked", plans(0), { createSession: true });
const request = { summarize: summarize({ hook }) };
await client.compactSession("asked", { keepRecent: 2 }, request);
const stale = await take();
await client.trimSession("asked", { keepRecent: 1 });
await expectError("TASK_SUPERSEDED", client.completeTask(stale, "Plans."));

await client.append("asked", plans(6));
await client.compactSession("asked", { keepRecent: 2 }, request);
const poison = await take();
const failed = await client.failTask(poison, { message: "not this one", permanent: true });
console.log(`dead: ${failed.state === TaskState.DEAD}`);
await client.retryTask(taskId(poison));
await client.deleteTask(taskId(poison));
await client.deleteTask(taskId(poison), { allowMissing: true });

console.log("\n== Two workers share the load");
const workers = ["first", "second"].map((workerId) =>
  runWorker(client, {
    hooks: hook,
    workerId,
    maxTasks: 2,
    summarize: ({ messages }) => `${messages.length} notes.`,
  }),
);
for (const number of [0, 1, 2, 3]) await start(`load-${number}`);
console.log(`done: ${await Promise.all(workers)}`);
for (const number of [0, 1, 2, 3]) {
  const [summary] = await all(client.listSummaries(`load-${number}`, { currentOnly: true }));
  console.log(`load-${number}: ${summary?.text} by ${summary?.hook}`);
}

for await (const { sessionId } of client.listSessions()) await client.deleteSession(sessionId);
client.close();
console.log("Done.");
