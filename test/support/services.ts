// The services over a store in memory, with a clock that a test moves.

import type { Event } from "../../src/domain/event.ts";
import type { StageRun, Totals, Trim } from "../../src/domain/window/types.ts";
import type { AppendInput, Call, ServiceSettings, Services } from "../../src/service/api.ts";
import { createServices } from "../../src/service/services.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import type { Store } from "../../src/storage/store.ts";
import { draftOf, fromBytes, type JsonMessage, jsonCodec, toBytes } from "./json-codec.ts";

/** What an append answers in tests. */
export interface AppendAnswer {
  readonly messages: readonly { messageId: string; seq: number; tokenCount: number }[];
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
  readonly lastSeq: number;
  readonly runs: readonly StageRun[];
  readonly overLimit: boolean;
}

/** Services for a test. */
export interface TestServices extends Services {
  readonly store: Store;
  /** Moves the clock. */
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

/** Starts services for a test. */
export async function startTestServices(
  settings: Partial<ServiceSettings> = {},
  options: { readonly wrapStore?: (store: Store) => Store } = {},
): Promise<TestServices> {
  const memory = await openMemoryStore({ readFacts: jsonCodec.readFacts });
  const store = options.wrapStore?.(memory) ?? memory;
  let nowMs = 1_700_000_000_000;
  let fill = 0;
  const services = createServices({
    store,
    codec: jsonCodec,
    world: {
      nowMs: () => nowMs,
      random: (length) => Uint8Array.from({ length }, () => (fill = (fill * 31 + 7) % 251)),
    },
    settings: { ...SETTINGS, ...settings },
    onBackgroundError: (error) => {
      throw error;
    },
  });
  const call = (method: string, requestId = "", digest = "same"): Call => ({
    method,
    requestId,
    digest: toBytes(digest),
    writer: "local",
    signal: new AbortController().signal,
  });
  return {
    ...services,
    store,
    call,
    advance: (ms) => {
      nowMs += ms;
    },
    append: async (sessionId, messages, options = {}) => {
      const { requestId, ...rest } = options;
      const bytes = await services.sessions.appendMessages(call("AppendMessages", requestId), {
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
      const window = await services.sessions.getWindow(call("GetWindow"), {
        namespace: "default",
        sessionId,
      });
      return window.messages.map((bytes) => fromBytes<{ text: string }>(bytes).text);
    },
    allEvents: async (namespace = "default") => {
      const page = await services.events.listEvents(call("ListEvents"), {
        namespace,
        after: undefined,
        filter: {},
        limit: 10_000,
      });
      return page.events.map((event) => fromBytes<Event>(event.body));
    },
  };
}
