// Shows which part of the program the main thread spends its time in: for each load, the processor
// time of a call, shared out by a profile of V8. The echo has the size of the call beside it.
//
//   node bench/profile.ts [SECONDS]

import { join } from "node:path";
import { cpuProfile, type ProfileNode } from "./inspect.ts";
import type { Job } from "./loader.ts";
import { measure, type Running, startEcho, startReal, threadUs, Worker } from "./processes.ts";
import { seed } from "./seed.ts";
import { median } from "./stats.ts";
import { append, echo, inDirectory, sized, window } from "./workloads.ts";

const LOADER_CORE = 1;
const SESSIONS = 1_000;
const WINDOW = 20;

type Load = Omit<Job, "port" | "warmMs" | "measureMs">;

/** The parts of the program, by the addresses of their code. */
const PARTS = [
  ["grpc-js and HTTP/2", /@grpc\/grpc-js|^node:/],
  ["contract", /\/(gen|grpc|edge)\/|\/routes\.js|(wire|rpc|checks)\.js|@bufbuild|bench\/echo/],
  ["store", /\/dist-\w+\/store\//],
  ["lmdb", /\/lmdb\//],
  ["rules and use cases", /\/dist-\w+\//],
] as const;
const GARBAGE = "garbage";
const NATIVE = "native code";
const IDLE = "(idle)";
const OUTSIDE: Readonly<Record<string, string>> = {
  "(garbage collector)": GARBAGE,
  "(program)": NATIVE,
  "(root)": NATIVE,
};

const COLUMNS = [...PARTS.map(([name]) => name), GARBAGE, NATIVE];
const ROUNDS = 5;

/** The part of a function; undefined for one that works for its caller. */
function partOf({ callFrame: { functionName, url } }: ProfileNode, isInPart: boolean) {
  const outside = url === "" ? OUTSIDE[functionName] : undefined;
  if (outside !== undefined) return outside;
  // Node and the helpers of the server work for the code that calls them.
  const helps =
    url === "" || /\/dist-\w+\/kit\//.test(url) || (isInPart && url.startsWith("node:"));
  if (helps) return undefined;
  return PARTS.find(([, pattern]) => pattern.test(url))?.[0];
}

/** Shares of the time that is not idle, by part. */
function sharesOf(nodes: readonly ProfileNode[], times: ReadonlyMap<number, number>) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sums = new Map<string, number>();
  let busy = 0;
  const visit = (node: ProfileNode, above: string | undefined): void => {
    const part = partOf(node, above !== undefined && above !== NATIVE) ?? above ?? NATIVE;
    const own = node.callFrame.functionName === IDLE ? 0 : (times.get(node.id) ?? 0);
    busy += own;
    sums.set(part, (sums.get(part) ?? 0) + own);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, part);
    }
  };
  if (nodes[0] !== undefined) visit(nodes[0], undefined);
  return new Map([...sums].map(([part, sum]) => [part, sum / busy]));
}

/** Microseconds of the main thread a call: in all, and of each column. */
async function partsOf(
  loader: Worker,
  { server, load }: { readonly server: Running; readonly load: Load },
  seconds: number,
): Promise<readonly number[]> {
  await measure(loader, server, { ...load, warmMs: 500, measureMs: 200 });
  const mainUs = () => threadUs(server.pid).get("MainThread") ?? 0;
  const before = mainUs();
  let calls = 0;
  const { nodes, times } = await cpuProfile(server.inspectUrl, async () => {
    const job = { ...load, warmMs: 0, measureMs: seconds * 1_000 };
    calls = (await measure(loader, server, job)).callsTotal;
  });
  const us = (mainUs() - before) / calls;
  const shares = sharesOf(nodes, times);
  return [us, ...COLUMNS.map((name) => (shares.get(name) ?? 0) * us)];
}

const seconds = Number(process.argv[2] ?? "2");
await inDirectory(async (directory) => {
  const real = await startReal(join(directory, "data"), { core: undefined, inspect: true });
  const bare = await startEcho(undefined, { inspect: true });
  const loader = new Worker("bench/loader.ts", LOADER_CORE);
  try {
    await seed(real.port, { prefix: "a", sessions: SESSIONS, messages: WINDOW });
    const first = { ...window("a", 1, 1), warmMs: 0, measureMs: 0, calls: 1 };
    const { answerBytes } = await measure(loader, real, first);
    const body = { kind: "append", count: 1, prefix: "a" } as const;
    const loads = [1, 32].flatMap((inFlight) => [
      { name: `echo of an append, ${inFlight}`, server: bare, load: echo(body, inFlight) },
      { name: `append, ${inFlight}`, server: real, load: append("a", SESSIONS, inFlight) },
      { name: `echo of a window, ${inFlight}`, server: bare, load: sized(answerBytes, inFlight) },
      { name: `window, ${inFlight}`, server: real, load: window("a", SESSIONS, inFlight) },
    ]);
    // By turns, and medians: a slow moment of the machine meets all.
    const rounds: (readonly (readonly number[])[])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const found: (readonly number[])[] = [];
      for (const one of loads) found.push(await partsOf(loader, one, seconds));
      rounds.push(found);
    }
    const rows = loads.map(({ name }, at) => {
      const parts = ["main thread", ...COLUMNS].map((column, i) => {
        return [column, median(rounds.map((found) => found[at]?.[i] ?? 0)).toFixed(0)];
      });
      return [name, Object.fromEntries(parts)];
    });
    console.log("microseconds of the main thread a call, by part");
    console.table(Object.fromEntries(rows));
  } finally {
    loader.stop();
    await Promise.all([real.stop(), bare.stop()]);
  }
});
process.exit(0);
