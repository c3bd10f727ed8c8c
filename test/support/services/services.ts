// The services over a store in memory, with a clock that a test moves.

import type { Event } from "../../src/domain/event.ts";
import type { StageRun, Totals, Trim } from "../../src/domain/window/types.ts";
import { createLocalIndex } from "../../src/recall/local.ts";
import type { RecallIndex } from "../../src/recall/port.ts";
import type {
  AppendInput,
  Call,
  ListEventsInput,
  ServiceSettings,
  Services,
  World,
} from "../../src/service/api.ts";
import type { Hooks } from "../../src/service/hook-port.ts";
import { createServices } from "../../src/service/services.ts";
import type { HookNews } from "../../src/service/tasks/hook-state.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import type { Store } from "../../src/storage/store.ts";
import { MANUAL_HOOKS } from "./hooks.ts";
import { draftOf, fromBytes, type JsonMessage, jsonCodec, toBytes } from "./json-codec.ts";
import { jsonRecallCodec } from "./json-recall.ts";

/** What an append answers in tests. */
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
  /** What the clock says. */
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
      const own: unknown = Reflect.get(methods, name);
      if (own !== undefined) return own;
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

/** What a test may say of its services. */
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
  /** What the clock says first. */
  readonly startMs?: number;
}

function rethrow(error: unknown): never {
  throw error;
}

/** Starts services for a test. */
export async function startTestServices(
  settings: Partial<ServiceSettings> = {},
  options: TestServicesOptions = {},
): Promise<TestServices> {
  const opened = options.store ?? (await openMemoryStore({ readFacts: jsonCodec.readFacts }));
  const store = options.wrapStore?.(opened) ?? opened;
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
    },
    onBackgroundError: options.onBackgroundError ?? rethrow,
  });
  return { ...services, ...shortcuts(services), store, nowMs: world.nowMs, advance };
}

function callOf(method: string, requestId = "", digest = "same"): Call {
  const signal = new AbortController().signal;
  return { method, requestId, digest: toBytes(digest), writer: "local", signal };
}

/** What most tests ask of services, in fewer words. */
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
