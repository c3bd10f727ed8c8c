// Asks a process that was started with --inspect for its memory and for a profile.

/** Memory of a process after a collection, in bytes. */
export interface LiveMemory {
  readonly rss: number;
  /** Objects, buffers and native memory that V8 accounts for. */
  readonly live: number;
}

/** A function of a profile, as called by another one. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

type Ask = (method: string, params?: object) => Promise<unknown>;

const ASK_MS = 30_000;
const SAMPLE_US = 250;

async function withInspector<T>(inspectUrl: string, use: (ask: Ask) => Promise<T>): Promise<T> {
  const socket = new WebSocket(inspectUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("no inspector")), { once: true });
  });
  let asked = 0;
  const ask: Ask = (method, params = {}) => {
    const id = ++asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), ASK_MS);
      const listen = (event: MessageEvent): void => {
        const answer = JSON.parse(String(event.data)) as { id?: number; result?: unknown };
        if (answer.id !== id) return;
        clearTimeout(timer);
        socket.removeEventListener("message", listen);
        resolve(answer.result);
      };
      socket.addEventListener("message", listen);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  try {
    return await use(ask);
  } finally {
    socket.close();
  }
}

/**
 * Collects garbage in a process, then reads its memory. Resident memory alone does not show what
 * uses a few megabytes.
 */
export function liveMemory(inspectUrl: string): Promise<LiveMemory> {
  return withInspector(inspectUrl, async (ask) => {
    await ask("HeapProfiler.collectGarbage");
    await ask("HeapProfiler.collectGarbage");
    const expression = "JSON.stringify(process.memoryUsage())";
    const answer = await ask("Runtime.evaluate", { expression, returnByValue: true });
    const text = (answer as { result: { value: string } }).result.value;
    const usage = JSON.parse(text) as NodeJS.MemoryUsage;
    return { rss: usage.rss, live: usage.heapUsed + usage.external };
  });
}

/** Profiles the main thread of a process during some work; times are in microseconds, by node. */
export function cpuProfile(
  inspectUrl: string,
  work: () => Promise<void>,
): Promise<{ readonly nodes: readonly ProfileNode[]; readonly times: Map<number, number> }> {
  return withInspector(inspectUrl, async (ask) => {
    await ask("Profiler.enable");
    await ask("Profiler.setSamplingInterval", { interval: SAMPLE_US });
    await ask("Profiler.start");
    await work();
    const { profile } = (await ask("Profiler.stop")) as {
      profile: { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[] };
    };
    const times = new Map<number, number>();
    for (const [at, id] of profile.samples.entries()) {
      times.set(id, (times.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0));
    }
    return { nodes: profile.nodes, times };
  });
}
