// Replays a scene on the LMDB engine, over a real connection, and gives every answer.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { type AppSettings, startApp } from "../../src/app.ts";
import { CODEC } from "../../src/edge/codec.ts";
import { WatchEventsResponse } from "../../src/gen/memorysidecar/v1/event_service.ts";
import { HookFailure, type Hooks } from "../../src/hooks/port.ts";
import { createLogs } from "../../src/log.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import type { Store } from "../../src/store/store.ts";
import { METHODS, type MethodName, SETTINGS } from "../support/contract/client.ts";
import { hooksOf } from "../support/hooks/hooks.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { storeWith } from "../support/services/services.ts";
import { digestRows, readRows } from "./rows.ts";
import {
  type Scene,
  type SceneHook,
  SceneWorld,
  STORE_IDS,
  type Step,
  type StepAnswer,
} from "./scene.ts";

/** Time limit of a call: one that waits for work that no replay does has no answer. */
const CALL_MS = 4_000;
/** Time that a call runs alone; one that takes longer waits for something. */
const ALONE_MS = 1_000;
/** The calls that are made to wait for something. */
const WAITING: ReadonlySet<MethodName> = new Set(["pollTasks", "compactSession", "watchEvents"]);
/** Time that a watch waits for its next event. */
const WATCH_MS = 2_000;

/** Upkeep goes by the real clock, so it finds nothing to do. */
const NO_UPKEEP: Partial<Store> = {
  expiredSessions: async () => [],
  expiredMemories: async () => [],
  maintain: async () => false,
};

const asIs = (bytes: Buffer): Buffer => bytes;

/** Result of a replay. */
export interface Replayed {
  /** One for each step; undefined where none came in time. */
  readonly answers: readonly (StepAnswer | undefined)[];
  /** Digest of the final records, see `digestRows`. */
  readonly stored: Readonly<Record<string, string>>;
}

/** Replays a scene on a new store. */
export async function replay(scene: Scene): Promise<Replayed> {
  await using directory = await makeTempDir();
  const world = new SceneWorld();
  const { tokens, ...settings } = scene.settings;
  const tokenFile = join(directory.path, "tokens");
  if (typeof tokens === "string") await writeFile(tokenFile, tokens, { mode: 0o600 });
  const data = join(directory.path, "data");
  const store = await openLmdbStore({
    directory: data,
    readFacts: CODEC.readFacts,
    floor: { bytes: 0 },
  });
  const path = join(directory.path, "s.sock");
  const app = await startApp({
    settings: {
      ...SETTINGS,
      ...(settings as Partial<AppSettings>),
      listen: [{ kind: "unix", path }],
      tokenFile: tokens === undefined ? undefined : tokenFile,
    },
    logs: createLogs("debug", { write: () => {} }),
    store: storeWith(store, { ...STORE_IDS, ...NO_UPKEEP, lineage: undefined }),
    hooks: hooksFor(scene),
    world,
  });
  const client = new Client(`unix:${path}`, credentials.createInsecure());
  let answers: readonly (StepAnswer | undefined)[];
  try {
    answers = await play(client, world, scene.steps);
  } finally {
    client.close();
    await app.stop();
  }
  return { answers, stored: digestRows(await readRows(data)) };
}

function hooksFor({ hooks, defaults }: Scene): Hooks {
  const made = hooks.map((hook: SceneHook) => ({
    ...hook,
    ...(hook.kind === "poll" ? {} : { summarize: refuse }),
  }));
  return { ...hooksOf(made), ...defaults };
}

async function refuse(): Promise<never> {
  throw new HookFailure("refused", "A replay has no hook.");
}

/** A call that runs. */
interface Running {
  readonly answer: Promise<StepAnswer | undefined>;
  /** Ends a watch once it has seen what it is to see. */
  readonly end?: () => void;
}

async function play(client: Client, world: SceneWorld, steps: readonly Step[]) {
  const all: Running[] = [];
  const running = new Set<number>();
  const endAllBut = async (during: readonly number[]): Promise<void> => {
    for (const index of [...running]) {
      if (during.includes(index)) continue;
      running.delete(index);
      all[index]?.end?.();
      await all[index]?.answer;
    }
  };
  for (const [index, step] of steps.entries()) {
    await endAllBut(step.during ?? []);
    world.offsetMs = step.atMs;
    running.add(index);
    const call = begin(client, step);
    all.push(call);
    // Calls that were sent side by side go one after the other, which has only one outcome.
    if (!WAITING.has(step.method))
      await Promise.race([call.answer, sleep(ALONE_MS, undefined, { ref: false })]);
  }
  await endAllBut([]);
  return await Promise.all(all.map(({ answer }) => answer));
}

function begin(client: Client, step: Step): Running {
  if (step.method === "watchEvents") return watch(client, step);
  if (step.method === "exportSession") return { answer: exported(client, step) };
  return { answer: unary(client, step) };
}

function metadataOf({ token }: Step): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", token);
  return metadata;
}

function unary(client: Client, step: Step): Promise<StepAnswer | undefined> {
  const { path } = METHODS[step.method];
  return new Promise((resolve) => {
    const request = Buffer.from(step.request, "latin1");
    const deadline = Date.now() + CALL_MS;
    const options = { deadline };
    client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      request,
      metadataOf(step),
      options,
      (error, value) => {
        if (error?.code === status.DEADLINE_EXCEEDED) resolve(undefined);
        else if (error !== null) resolve({ messages: [], failure: failureOf(error) });
        else resolve({ messages: [value?.toString("latin1") ?? ""] });
      },
    );
  });
}

function streamOf(client: Client, step: Step) {
  const { path } = METHODS[step.method];
  const request = Buffer.from(step.request, "latin1");
  return client.makeServerStreamRequest(path, asIs, asIs, request, metadataOf(step));
}

function exported(client: Client, step: Step): Promise<StepAnswer> {
  const stream = streamOf(client, step);
  const messages: string[] = [];
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => messages.push(chunk.toString("latin1")));
    stream.on("error", (error) => {
      resolve({ messages, failure: failureOf(error as ServiceError) });
    });
    stream.on("end", () => resolve({ messages }));
  });
}

/** As many events as the watch saw. */
function watch(client: Client, step: Step): Running {
  const stream = streamOf(client, step);
  const wanted = step.events ?? 0;
  const messages: string[] = [];
  const { promise, resolve } = Promise.withResolvers<StepAnswer>();
  let isAnswered = false;
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;
  const done = (answer: StepAnswer): void => {
    clearTimeout(timer);
    resolve(answer);
    stream.cancel();
  };
  stream.on("data", (bytes: Buffer) => {
    // The first answer has no event and says that the watch was taken.
    isAnswered = true;
    for (const event of WatchEventsResponse.decode(bytes).events) {
      const encoded = WatchEventsResponse.encode({ events: [event], resumeToken: "" }).finish();
      if (messages.length < wanted) messages.push(Buffer.from(encoded).toString("latin1"));
    }
    if (isEnding && messages.length >= wanted) done({ messages });
  });
  stream.on("error", (error) => done({ messages, failure: failureOf(error as ServiceError) }));
  const end = (): void => {
    isEnding = true;
    timer = setTimeout(() => done({ messages }), WATCH_MS);
    if (isAnswered && messages.length >= wanted) done({ messages });
  };
  return { answer: promise, end };
}

function failureOf(error: ServiceError): NonNullable<StepAnswer["failure"]> {
  const [details] = error.metadata.get("grpc-status-details-bin");
  const [pushback] = error.metadata.get("grpc-retry-pushback-ms");
  return {
    code: error.code,
    message: error.details,
    details: details instanceof Buffer ? details.toString("latin1") : "",
    pushbackMs: pushback?.toString() ?? "",
  };
}
