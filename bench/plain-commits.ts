// The store against one that writes the rows of the index in each commit, without the journal and
// the table in memory that docs/adr/0003 describes, and without the redo log of docs/adr/0067. By
// turns in one run, on a fresh store and on one of 1,000,000 messages in 100,000 sessions, whose
// ids rise or come at random.
//
//   node bench/plain-commits.ts [--sessions 100000] [--rounds 3] [--ms 3000] [--no-pin]
//
// The plain store is a copy of the server with patched sources. It exists for this measurement
// only.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Measured, measure, type Running, startTree, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { type Patch, patchedTree } from "./unchecked.ts";
import { append, inDirectory } from "./workloads.ts";

const SERVER_CORE = 0;
const LOADER_CORE = 1;
const FRESH_SESSIONS = 1_000;
const MESSAGES = 10;

const WRITER = "src/store/engine/writer.ts";
const PLAIN: readonly Patch[] = [
  // Each group is a transaction of LMDB.
  {
    file: "src/store/lmdb/store.ts",
    from: "env, log: redoLog, memtable, start",
    to: "env, log: undefined, memtable, start",
  },
  // The journal keeps the counters alone.
  {
    file: WRITER,
    from: "const changes = memtable.seal();",
    to: "const changes = memtable.seal();\n    Object.assign(group, { direct: changes });",
  },
  {
    file: WRITER,
    from: "encodeJournal(firstJournalNo, changes, {",
    to: "encodeJournal(firstJournalNo, [], {",
  },
  // The rows go into the index with the messages and events of their group, by rising keys.
  {
    file: "src/store/engine/flight.ts",
    from: "  for (const { key, value } of group.messagePuts) {",
    to: `  const { direct = [] } = group as { direct?: { key: string; value: Buffer | null }[] };
  for (const { key, value } of direct.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (value === null) env.index.remove(key);
    else env.index.put(key, value);
  }
  for (const { key, value } of group.messagePuts) {`,
  },
  // The table in memory forgets them as soon as they are durable, and there is nothing to flush.
  {
    file: WRITER,
    from: "const chunk = this.isDiskFull || !hasSpace ? [] : memtable.takeChunk(isUrgent);",
    to: "const chunk: never[] = [];",
  },
  {
    file: WRITER,
    from: "    this.#parts.memtable.commit(firstJournalNo);",
    to: `    const { memtable } = this.#parts;
    memtable.commit(firstJournalNo);
    for (let done = memtable.takeChunk(true); done.length > 0; done = memtable.takeChunk(true)) {
      memtable.flushed(done);
    }`,
  },
];

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    ms: { type: "string", default: "3000" },
    "no-pin": { type: "boolean", default: false },
  },
});
const pin = !values["no-pin"];
const sessions = Number(values.sessions);
const measureMs = Number(values.ms);
const core = pin ? SERVER_CORE : undefined;

/** The loads of one store: rising ids take the sessions in turn. */
function jobsOf(count: number) {
  return [1, 32].flatMap((inFlight) =>
    [false, true].map((random) => ({
      name: `${random ? "random" : "rising"} ids, ${inFlight} in flight`,
      job: { ...append("s", count, inFlight), random },
    })),
  );
}

/** Bytes that a process has written to files so far. */
function writtenBytes({ pid }: Running): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}

/** Figures of both stores in one round: the time and the written bytes of a call, and its CPU. */
interface Round {
  readonly ours: Measured & { readonly bytes: number };
  readonly plain: Measured & { readonly bytes: number };
}

function say(title: string, rounds: readonly Round[]): void {
  const ratio = (of: (one: Round["ours"]) => number): string =>
    median(rounds.map(({ ours, plain }) => of(ours) / of(plain))).toFixed(2);
  console.log(
    `${title}: ours to plain: calls a second ${ratio(({ perSecond }) => perSecond)}, ` +
      `p50 ${ratio(({ p50Ms }) => p50Ms)}, CPU a call ${ratio(({ cpuUs }) => cpuUs)}, ` +
      `bytes a call ${ratio(({ bytes }) => bytes)}`,
  );
}

async function compare(trees: readonly string[], directory: string, count: number): Promise<void> {
  const servers: Running[] = [];
  const loader = new Worker(`${import.meta.dirname}/loader.ts`, pin ? LOADER_CORE : undefined);
  try {
    for (const [at, tree] of trees.entries()) {
      servers.push(await startTree(tree, join(directory, String(at)), core));
    }
    const what = { prefix: "s", sessions: count, messages: MESSAGES };
    await Promise.all(servers.map(({ port }) => seed(port, what)));
    for (const { name, job } of jobsOf(count)) {
      const rounds: Round[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        const found: Round["ours"][] = [];
        for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const server = servers[at] as Running;
          const before = writtenBytes(server);
          const one = await measure(loader, server, { ...job, warmMs: measureMs / 4, measureMs });
          if (one.failed > 0) throw new Error(`${name}: ${one.failed} calls failed`);
          found[at] = { ...one, bytes: (writtenBytes(server) - before) / one.callsTotal };
        }
        const [ours, plain] = found;
        if (ours !== undefined && plain !== undefined) rounds.push({ ours, plain });
      }
      say(`${count} sessions, ${name}`, rounds);
    }
  } finally {
    for (const server of servers) await server.stop();
    loader.stop();
  }
}

await inDirectory(async (directory) => {
  const ours = resolve(import.meta.dirname, "..");
  const trees = [ours, patchedTree(join(directory, "plain"), PLAIN)];
  await compare(trees, join(directory, "fresh"), FRESH_SESSIONS);
  await compare(trees, join(directory, "large"), sessions);
});
