// Many watchers of the event stream in one process. Each has its own connection, like watchers in
// separate processes. Reads one command per line from standard input.

import { createInterface } from "node:readline";
import { EventFilter, StreamPosition } from "../src/gen/memorysidecar/v1/event.ts";
import { WatchEventsRequest } from "../src/gen/memorysidecar/v1/event_service.ts";
import { make, sessionName } from "./bodies.ts";
import { grpcFrame, headerBlock, WireConnection } from "./wire.ts";

/** Commands to the watcher process. It answers with what all its watchers have received. */
export type WatchCommand =
  /** With a prefix, watcher i watches only session i; without one, all watch the namespace. */
  | {
      readonly kind: "open";
      readonly port: number;
      readonly count: number;
      readonly prefix?: string;
    }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "count" }
  | { readonly kind: "close" };

const PATH = "/memorysidecar.v1.EventService/WatchEvents";
const FIRST_ANSWER_MS = 10_000;
/** Initial flow-control window of a stock HTTP/2 client. */
const STOCK_WINDOW = 65_535;

let wires: WireConnection[] = [];
let failure = "";

/** Totals that the watchers of a process have received. */
export interface Received {
  readonly answers: number;
  readonly events: number;
}

function received(): Received {
  const sum = (count: (wire: WireConnection) => number): number =>
    wires.reduce((total, wire) => total + count(wire), 0);
  return { answers: sum((wire) => wire.messages()), events: sum((wire) => wire.items()) };
}

async function openAll(command: WatchCommand & { kind: "open" }): Promise<void> {
  const block = headerBlock(PATH, `127.0.0.1:${command.port}`);
  for (let i = 0; i < command.count; i++) {
    const wire = await WireConnection.open(command.port, block, {
      streamWindow: STOCK_WINDOW,
      countItems: true,
      onAnswer: () => {
        failure = "a stream ended";
      },
      onError: (error) => {
        failure = error.message;
      },
    });
    const filter =
      command.prefix === undefined
        ? undefined
        : make(EventFilter, { sessionId: sessionName(command.prefix, i) });
    const request = make(WatchEventsRequest, {
      start: { $case: "position", value: StreamPosition.NOW },
      filter,
    });
    wire.send(grpcFrame(WatchEventsRequest.encode(request).finish()));
    wire.flush();
    wires.push(wire);
  }
  const until = performance.now() + FIRST_ANSWER_MS;
  while (received().answers < command.count && performance.now() < until && failure === "") {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  if (received().answers < command.count) throw new Error("a watcher got no first answer");
}

async function obey(command: WatchCommand): Promise<Received> {
  if (command.kind === "open") await openAll(command);
  else if (command.kind === "pause") for (const wire of wires) wire.pause();
  else if (command.kind === "resume") for (const wire of wires) wire.resume();
  const count = received();
  if (command.kind === "close") {
    for (const wire of wires) wire.close();
    wires = [];
  } else if (failure !== "") {
    throw new Error(failure);
  }
  return count;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer: { result?: Received; error?: string };
  try {
    answer = { result: await obey(JSON.parse(line) as WatchCommand) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
