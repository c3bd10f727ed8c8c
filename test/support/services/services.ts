// The services over a store in memory, with a clock that a test moves.

import type { ServiceSettings } from "../../../src/core/context.ts";
import type { Services } from "../../../src/edge/services-api.ts";
import type { ListEventsInput } from "../../../src/events/api.ts";
import type { Event } from "../../../src/events/rules/event.ts";
import type { HookNews } from "../../../src/hooks/hook-state.ts";
import type { Hooks } from "../../../src/hooks/port.ts";
import type { Call } from "../../../src/kit/call.ts";
import type { World } from "../../../src/kit/world.ts";
import { createLocalIndex } from "../../../src/recall/index/local.ts";
import type { RecallIndex } from "../../../src/recall/index/port.ts";
import { type IndexFileSettings, IndexFiles } from "../../../src/recall/saved/index-files.ts";
import { createServices } from "../../../src/services.ts";
import type { AppendInput } from "../../../src/session/api.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StageRun, Totals, Trim } from "../../../src/window/rules/types.ts";
import { openMemoryStore } from "../../model/store.ts";
import { MANUAL_HOOKS } from "../hooks/hooks.ts";
import { jsonRecallCodec } from "../recall/json-recall.ts";
import { draftOf, fromBytes, type JsonMessage, jsonCodec, toBytes } from "./json-codec.ts";

/** Answer of an append in tests. */
export interface AppendAnswer {
  readonly messages: readonly { messageId: string; seq: number; tokenCount: number }[];
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
  readonly lastSeq: number;
  readonly runs: readonly StageRun[];
  readonly overLimit: boolean;
  readonly given?: {
    readonly episodeId: string;
    readonly promotedIds: readonly string[];
    readonly evictedIds: readonly string[];
  };
}

/** Services for a test. */
export interface TestServices extends Services {
  readonly store: Store;
  /** Present time of the clock. */
  nowMs(): number;
  /** Moves the clock. Timers of tasks that are due by then are called on the way. */
  advance(ms: number): void;
  call(method: string, requestId?: string, digest?: string): Call;
  append(
    sessionId: string,
    messages: readonly JsonMessage[],
    options?: Partial<AppendInput> & { readonly requestId?: string },
  ): Promise<AppendAnswer>;
  /** The texts of the window. */
  windowTexts(sessionId: string): Promise<string[]>;
  /** Every event kept, decoded. */
  allEvents(namespace?: string): Promise<Event[]>;
}

const SETTINGS: ServiceSettings = {
  idempotencyWindowMs: 86_400_000,
  eventAgeMsMax: 604_800_000,
  eventCountMax: 1_000_000,
};

/** A timer of the world of a test. */
interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** The timer that is due first, if it is due by a time. */
function nextTimer(timers: ReadonlySet<Timer>, byMs: number): Timer | undefined {
  let next: Timer | undefined;
  for (const timer of timers) {
    if (timer.atMs <= byMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
  }
  return next;
}

/** A store some of whose methods are others. */
export function storeWith(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** So many random bytes an id takes. */
const ID_BYTES = 10;

/** A world whose time goes on only when a test says so. */
export interface TestWorld extends World {
  readonly advance: (ms: number) => void;
}

/** Makes a world whose clock says this first. */
export function testWorld(startMs: number): TestWorld {
  let nowMs = startMs;
  let fill = 0;
  let draws = 0;
  const timers = new Set<Timer>();
  return {
    nowMs: () => nowMs,
    random: (length) => {
      draws += 1;
      const bytes = Uint8Array.from({ length }, () => {
        fill = (fill * 4_099 + 7) % 65_521;
        return fill & 255;
      });
      // The row begins again after a while; ids must not.
      if (length >= ID_BYTES) new DataView(bytes.buffer).setUint32(0, draws);
      return bytes;
    },
    later: (callback, ms) => {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const endMs = nowMs + ms;
      for (let timer = nextTimer(timers, endMs); timer; timer = nextTimer(timers, endMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.atMs);
        timer.callback();
      }
      nowMs = endMs;
    },
  };
}

/** Options of the services under test. */
export interface TestServicesOptions {
  readonly wrapStore?: (store: Store) => Store;
  /** Default: summaries are made by hand. */
  readonly hooks?: Hooks;
  /** Default: nobody hears of it. */
  readonly onHookNews?: (news: HookNews) => void;
  /** Default: a new one in memory. */
  readonly store?: Store;
  /** Default: throws, so that the test fails. */
  readonly onBackgroundError?: (error: unknown) => void;
  /** Default: one in this thread, without vectors. */
  readonly index?: RecallIndex;
  /** The memory of the index. */
  readonly memoryBytes?: number;
  /** Default: indexes are not kept for the next start. */
  readonly indexFiles?: IndexFileSettings & { readonly code?: string };
  /** Initial time of the clock. */
  readonly startMs?: number;
}

function rethrow(error: unknown): never {
  throw error;
}

function savedOf({ indexFiles, onBackgroundError = rethrow }: TestServicesOptions) {
  if (indexFiles === undefined) return {};
  const files = new IndexFiles(indexFiles, onBackgroundError);
  return { saved: { files, code: indexFiles.code ?? "test" } };
}

/** Starts services for a test. */
export async function startTestServices(
  settings: Partial<ServiceSettings> = {},
  options: TestServicesOptions = {},
): Promise<TestServices> {
  const opened = options.store ?? (await openMemoryStore({ readFacts: jsonCodec.readFacts }));
  const store = options.wrapStore?.(opened) ?? opened;
  const { onBackgroundError = rethrow } = options;
  const { advance, ...world } = testWorld(options.startMs ?? 1_700_000_000_000);
  const services = createServices({
    store,
    codec: jsonCodec,
    world,
    settings: { ...SETTINGS, ...settings },
    hooks: options.hooks ?? MANUAL_HOOKS,
    ...(options.onHookNews === undefined ? {} : { onHookNews: options.onHookNews }),
    recall: {
      index: options.index ?? createLocalIndex({ codec: jsonRecallCodec }),
      codec: jsonRecallCodec,
      ...(options.memoryBytes === undefined ? {} : { memoryBytes: options.memoryBytes }),
      ...savedOf(options),
    },
    onBackgroundError,
  });
  return { ...services, ...shortcuts(services), store, nowMs: world.nowMs, advance };
}

function callOf(method: string, requestId = "", digest = "same"): Call {
  const signal = new AbortController().signal;
  return { method, requestId, digest, writer: "local", signal };
}

/** Shorthands for the calls that most tests make. */
function shortcuts({
  sessions,
  events,
}: Services): Pick<TestServices, "call" | "append" | "windowTexts" | "allEvents"> {
  return {
    call: callOf,
    append: async (sessionId, messages, options = {}) => {
      const { requestId, ...rest } = options;
      const bytes = await sessions.appendMessages(callOf("AppendMessages", requestId), {
        namespace: "default",
        sessionId,
        drafts: messages.map(draftOf),
        createSession: true,
        turnEnd: false,
        toolOutcomes: [],
        recordOperations: [],
        onExisting: "fail",
        encode: toBytes,
        ...rest,
      });
      return fromBytes<AppendAnswer>(bytes);
    },
    windowTexts: async (sessionId) => {
      const ref = { namespace: "default", sessionId };
      const window = await sessions.getWindow(callOf("GetWindow"), ref);
      return window.messages.map((bytes) => fromBytes<{ text: string }>(bytes).text);
    },
    allEvents: async (namespace = "default") => {
      const query: ListEventsInput = {
        namespace,
        start: { kind: "oldest" },
        filter: {},
        limit: 10_000,
      };
      const page = await events.listEvents(callOf("ListEvents"), query);
      return page.events.map((event) => fromBytes<Event>(event.body));
    },
  };
}
