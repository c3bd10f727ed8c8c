// The example workers, one in Python and one in TypeScript, share the tasks of a hook. The Python
// one is killed in the middle of a task: nothing is lost, and nothing takes effect twice.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import {
  connect,
  dropOldest,
  type MemorySidecar,
  makePolicy,
  type SummarizeOptions,
  summarize,
  summaryView,
  TaskFailureReason,
  TaskState,
} from "../../clients/typescript/src/index.ts";
import { writeHooks } from "../support/hooks/cover-hook.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { numbered, numbersIn } from "../support/process/cover.ts";
import { checkAccount, seqsOf } from "../support/process/summary-account.ts";
import {
  collect,
  drained,
  eventsOf,
  eventually,
  readAccount,
} from "../support/process/summary-reader.ts";
import { start } from "./start.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples/hooks");
const VENV = join(ROOT, "clients/python/.venv/bin/python");
const HOOK = "agents";
const LEASE_SECONDS = 2;

/** Runs the example as it is, with a model that takes its time and a lease that is short. */
const SLOW_PYTHON = `
import runpy, sys, time, memorysidecar
Worker = memorysidecar.Worker
def slow(memory, hook, summarize, **options):
    def answer(task):
        time.sleep(0.3)
        return summarize(task)
    return Worker(memory, hook, answer, lease=${LEASE_SECONDS}, **options)
memorysidecar.Worker = slow
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
`;

/** Not hierarchical: the stand-ins for models do not make short texts shorter. */
const SESSIONS: Readonly<Record<string, SummarizeOptions>> = {
  append: { keep: "append", lastChars: 16_000 },
  "append-at-once": { keep: "append", leave: "at-once", lastChars: 16_000 },
  "replace-at-once": { keep: "replace", leave: "at-once" },
  "in-place": { keep: "in-place" },
};

function startWorker(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function openSession(client: MemorySidecar, sessionId: string): Promise<void> {
  const options = { ...SESSIONS[sessionId], hook: HOOK, maxTokens: 2_000 };
  const stage = dropOldest(
    "shrink",
    { maxMessages: 4 },
    { unit: "message", over: { messages: 10 }, summarize: summarize(options) },
  );
  const policy = makePolicy([stage], { summaryView: summaryView({ show: "none" }) });
  await client.createSession({ sessionId, policy });
}

/** Kills the worker while it has a task; gives the task. */
async function killInTheMiddle(client: MemorySidecar, worker: ChildProcess): Promise<string> {
  const name = `python-${worker.pid}`;
  const held = async (): Promise<string | undefined> => {
    const tasks = await collect(client.listTasks({ hook: HOOK, state: "leased" }));
    return tasks.find(({ workerId }) => workerId === name)?.taskId;
  };
  return await eventually("a task in the hands of the worker", 60_000, async () => {
    if ((await held()) === undefined) return undefined;
    // It might finish between the look and the kill: it is held still for a second look.
    worker.kill("SIGSTOP");
    await sleep(50);
    const taskId = await held();
    worker.kill(taskId === undefined ? "SIGCONT" : "SIGKILL");
    return taskId;
  });
}

test("two workers share the load, and one that is killed loses nothing", async () => {
  const python = existsSync(VENV) ? VENV : "python3";
  await using directory = await makeTempDir();
  const hooks = await writeHooks(directory.path, { [HOOK]: { kind: "poll" } });
  const server = await start({
    dataDir: join(directory.path, "data"),
    args: ["--hooks-file", hooks],
  });
  const client = connect(server.address, { timeoutMs: 60_000 });
  onTestFinished(() => client.close());
  const sessionIds = Object.keys(SESSIONS);
  for (const sessionId of sessionIds) await openSession(client, sessionId);
  const script = join(EXAMPLES, "worker.py");
  const victim = startWorker(python, ["-c", SLOW_PYTHON, script, server.address, HOOK]);
  startWorker(process.execPath, [join(EXAMPLES, "worker.ts"), server.address, HOOK]);

  let isSpeaking = true;
  let sent = 0;
  const speaking = (async () => {
    while (isSpeaking) {
      const texts = [1, 2].map((index) => numbered(sent + index));
      await Promise.all(sessionIds.map((sessionId) => client.append(sessionId, texts)));
      sent += texts.length;
      await sleep(60);
    }
  })();
  onTestFinished(async () => {
    isSpeaking = false;
    await speaking.catch(() => {});
  });
  const taskId = await killInTheMiddle(client, victim);
  const killed = await client.getTask(taskId);
  expect(killed.state).toBe(TaskState.LEASED);
  await sleep(LEASE_SECONDS * 1_000);
  isSpeaking = false;
  await speaking;
  for (const sessionId of sessionIds) await drained(client, sessionId);

  let summaries = 0;
  for (const sessionId of sessionIds) {
    const account = await readAccount(client, sessionId);
    expect(checkAccount(account, { settled: true })).toEqual([]);
    expect(account.lastSeq).toBe(sent);
    expect(account.summaries.length).toBeGreaterThan(1);
    summaries += account.summaries.length;
    if (SESSIONS[sessionId]?.keep !== "append") continue;
    // The examples keep the beginning of each line, where a message says its number.
    for (const { text, runs } of account.summaries) expect(numbersIn(text)).toEqual(seqsOf(runs));
  }
  // The lease of the killed worker ended; the other one did the task, once.
  const events = await eventsOf(client, killed.sessionId);
  const fate = events.flatMap(({ detail }) => {
    if (detail?.$case === "summaryFailed" && detail.value.taskId === taskId) {
      return [`failed ${detail.value.reason}`];
    }
    if (detail?.$case === "summarySet" && detail.value.taskId === taskId) {
      return [`set after ${detail.value.callCount} calls`];
    }
    return [];
  });
  expect(fate).toEqual([`failed ${TaskFailureReason.TIMEOUT}`, "set after 2 calls"]);
  console.log(`workers: ${sent} messages in each of ${sessionIds.length}, ${summaries} summaries`);
});
