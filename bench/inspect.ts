// Reads the memory of a process through its inspector, after a full garbage collection. Resident
// memory alone does not show what uses a few megabytes.

/** Memory of a process after a collection, in bytes. */
export interface LiveMemory {
  readonly rss: number;
  /** Objects, buffers and native memory that V8 accounts for. */
  readonly live: number;
}

const ASK_MS = 30_000;

function ask(socket: WebSocket, id: number, method: string, params: object): Promise<unknown> {
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
}

/** Collects garbage in a process started with --inspect, then reads its memory. */
export async function liveMemory(inspectUrl: string): Promise<LiveMemory> {
  const socket = new WebSocket(inspectUrl);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("no inspector")), { once: true });
  });
  try {
    await ask(socket, 1, "HeapProfiler.collectGarbage", {});
    await ask(socket, 2, "HeapProfiler.collectGarbage", {});
    const expression = "JSON.stringify(process.memoryUsage())";
    const answer = await ask(socket, 3, "Runtime.evaluate", { expression, returnByValue: true });
    const text = (answer as { result: { value: string } }).result.value;
    const usage = JSON.parse(text) as NodeJS.MemoryUsage;
    return { rss: usage.rss, live: usage.heapUsed + usage.external };
  } finally {
    socket.close();
  }
}
