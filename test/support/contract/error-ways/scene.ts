// Scene for provoking the failures of the contract: a server over a store that can pretend to be
// full, and helpers that several failures share.

import { Role } from "../../../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { MemoryLookup } from "../../../../src/memory/rules/lookup.ts";
import type { SessionView, Store } from "../../../../src/store/store.ts";
import { hooksOf, pollHook } from "../../hooks/hooks.ts";
import { storeWith } from "../../services/services.ts";
import {
  type Failure,
  METHODS,
  startContractServer,
  type TestClient,
  type TestServer,
  type UnaryName,
} from "../client.ts";
import { message, SOUND, session } from "../samples.ts";
import { WORKERS } from "../summarizing.ts";
import { EXTRACTORS } from "./extractors.ts";

/** Scene in which failures are provoked. */
export interface ErrorScene extends AsyncDisposable {
  readonly server: TestServer;
  readonly client: TestClient;
  /** An unused name. */
  fresh(): string;
  /** Runs calls while every tier of every scope and every namespace is full. */
  whileMemoryIsFull<T>(act: () => Promise<T>): Promise<T>;
}

/** Provokes a failure of an rpc and returns it. */
export type Way = (scene: ErrorScene) => Promise<Failure | undefined>;

/** Ways to provoke failures, by `Rpc REASON`. */
export type Ways = Readonly<Record<string, Way>>;

/** A store that reports every tier as full of memories, and every namespace of collections. */
function fullStore(store: Store, isFull: () => boolean): Store {
  const filled = <V extends { readonly memories: MemoryLookup }>(view: V): V => {
    if (!isFull()) return view;
    const memories = new Proxy(view.memories, {
      get: (target, name) => {
        if (name === "count") return () => LIMITS.scopeMemories;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    return { ...view, memories };
  };
  const crowded = () => (isFull() ? { collectionCountWith: () => LIMITS.collections + 1 } : {});
  return storeWith(store, {
    changeDocuments: (change, decide) =>
      store.changeDocuments(change, (view) => {
        const collectionCount = isFull() ? LIMITS.collections : view.collectionCount;
        return decide({ ...view, collectionCount });
      }),
    changeRecords: (change, decide) =>
      store.changeRecords(change, (view) => decide({ ...view, ...crowded() })),
    changeSession: (change, decide) =>
      store.changeSession(change, (view) => {
        const records: SessionView["records"] = (asked) => ({
          ...view.records(asked),
          ...crowded(),
        });
        return decide({ ...filled(view), records });
      }),
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => decide(filled(view))),
  });
}

/**
 * Starts a server with the session `seed`, its message `first` and its summary, a hook for polling
 * workers, and extraction hooks.
 */
export async function startErrorScene(): Promise<ErrorScene> {
  let isFull = false;
  let count = 0;
  const server = await startContractServer({
    hooks: hooksOf([pollHook(WORKERS), ...EXTRACTORS]),
    wrapStore: (store) => fullStore(store, () => isFull),
  });
  const { client } = server;
  await client.call("createSession", { session: session({ sessionId: "seed" }) });
  const messages = [message({ messageId: "first", text: "Good morning." })];
  await client.call("appendMessages", { sessionId: "seed", messages });
  await client.call("setSummary", { sessionId: "seed", text: "They met." });
  return {
    server,
    client,
    fresh: () => `errors-${count++}`,
    whileMemoryIsFull: async (act) => {
      isFull = true;
      try {
        return await act();
      } finally {
        isFull = false;
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The name of an rpc in the contract. */
function rpcOf(method: UnaryName): string {
  return METHODS[method].path.split("/").at(-1) ?? "";
}

/** Provokes one failure of several rpcs: the valid request of each, with these fields. */
export function sameWay(reason: string, methods: readonly UnaryName[], fields: object): Ways {
  return Object.fromEntries(
    methods.map((method) => [
      `${rpcOf(method)} ${reason}`,
      ({ client }: ErrorScene) => client.fail(method, { ...SOUND[method], ...fields }),
    ]),
  );
}

/** Creates a session with messages of these texts, with ids m0, m1 and so on. */
export async function seeded(
  { client, fresh }: ErrorScene,
  texts: readonly string[] = [],
  fields: Parameters<typeof session>[0] = {},
): Promise<string> {
  const sessionId = fresh();
  await client.call("createSession", { session: session({ sessionId, ...fields }) });
  const messages = texts.map((text, index) => message({ messageId: `m${index}`, text }));
  if (messages.length > 0) await client.call("appendMessages", { sessionId, messages });
  return sessionId;
}

/** A message that stays in every window. */
export const pinned = (messageId: string, size: number) =>
  message({ messageId, role: Role.SYSTEM, text: "x".repeat(size) });

/** Creates a session whose window has no room for another message of this size. */
export async function atCeiling(scene: ErrorScene, size: number): Promise<string> {
  const sessionId = await seeded(scene);
  for (const id of ["a", "b", "c"]) {
    await scene.client.call("appendMessages", { sessionId, messages: [pinned(id, size)] });
  }
  return sessionId;
}
