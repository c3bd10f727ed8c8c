// The scene of the conformance suite: a store of the engine under test, short ways
// to do things to it, and a clock that goes on by a millisecond with every action.

import { test } from "vitest";
import type { Session, SessionRef } from "../../src/session/rules/session.ts";
import type { MessageQuery, Store, StoredEvent } from "../../src/store/store.ts";
import { ROLE } from "../../src/window/rules/types.ts";
import type {
  ActionResult,
  Draft,
  FieldParts,
  SessionAction,
} from "../support/store/action-types.ts";
import { act } from "../support/store/actions.ts";
import { type ForkAction, fork } from "../support/store/fork.ts";
import { START_MS, textOf } from "../support/store/plans.ts";
import { allEvents, allMessages, allSessions } from "../support/store/read-all.ts";
import { oldestOf } from "../support/store/revisions.ts";

/** An engine under test, with a store that is open. */
export interface Engine extends AsyncDisposable {
  /** The store; another object after `reopen`. */
  readonly store: Store;
  /** Closes the store and opens it again on what it left. */
  reopen(): Promise<void>;
  /** Opens what a killed process would have left. Unset when there is no such thing. */
  readonly crash?: () => Promise<void>;
}

/** Opens an engine on an empty store. */
export type OpenEngine = () => Promise<Engine>;

/** A session id of the namespace `default`, or a full reference. */
export type Ref = string | SessionRef;

type Parts<K extends SessionAction["kind"]> = Omit<
  Extract<SessionAction, { readonly kind: K }>,
  "kind" | "namespace" | "sessionId" | "nowMs"
> & { readonly nowMs?: number };

/** Short ways to use the store under test. */
export interface Scene {
  readonly engine: Engine;
  readonly store: Store;
  /** Does an action of a session. */
  run<K extends SessionAction["kind"]>(kind: K, ref: Ref, parts: Parts<K>): Promise<ActionResult>;
  create(ref: Ref, fields?: FieldParts, nowMs?: number): Promise<ActionResult>;
  /** Appends messages: as many as said, with the texts given, or as drafts. Creates the session. */
  append(
    ref: Ref,
    messages: number | readonly (string | Partial<Draft>)[],
    parts?: Partial<Parts<"append">>,
  ): Promise<ActionResult>;
  fork(ref: Ref, target: string, parts?: Partial<ForkAction>): Promise<ActionResult>;
  /** The seqs of the stored window. */
  window(ref: Ref): Promise<readonly number[] | undefined>;
  /** The seqs of the window of the past; undefined when the seq is out of range. */
  windowAt(ref: Ref, seq: number): Promise<readonly number[] | undefined>;
  /** The texts of the log by seq. */
  texts(ref: Ref): Promise<readonly string[] | undefined>;
  messages(ref: Ref, query?: Partial<MessageQuery>): ReturnType<typeof allMessages>;
  sessions(namespace?: string): Promise<readonly Session[]>;
  events(namespace?: string): Promise<readonly StoredEvent[]>;
}

/** The full reference of a session. */
export function refOf(ref: Ref): SessionRef {
  return typeof ref === "string" ? { namespace: "default", sessionId: ref } : ref;
}

function draftOf(message: string | Partial<Draft>): Draft {
  const parts = typeof message === "string" ? { text: message } : message;
  return { messageId: "", role: ROLE.user, tokenCount: 10, text: "text", ...parts };
}

function draftsOf(messages: number | readonly (string | Partial<Draft>)[]): readonly Draft[] {
  if (typeof messages !== "number") return messages.map(draftOf);
  return Array.from({ length: messages }, (_, index) => draftOf(`text ${index}`));
}

/** Makes the scene of a test. */
export function sceneOf(engine: Engine): Scene {
  let nowMs = START_MS;
  const tick = () => {
    nowMs += 1;
    return nowMs;
  };
  const run = <K extends SessionAction["kind"]>(kind: K, ref: Ref, parts: Parts<K>) =>
    act(engine.store, { nowMs: tick(), ...parts, ...refOf(ref), kind } as SessionAction);
  const all = { firstSeq: 0, lastSeq: Number.MAX_SAFE_INTEGER, order: "asc", limit: 7 } as const;
  const messages = (ref: Ref, query: Partial<MessageQuery> = {}) =>
    allMessages(engine.store, refOf(ref), { ...all, ...query });
  return {
    engine,
    get store() {
      return engine.store;
    },
    run,
    create: (ref, fields = {}, at) =>
      run("create", ref, { fields, ...(at === undefined ? {} : { nowMs: at }) }),
    append: (ref, drafts, parts = {}) =>
      run("append", ref, {
        looks: false,
        createSession: true,
        ...parts,
        drafts: draftsOf(drafts),
      }),
    fork: (ref, target, parts = {}) =>
      fork(engine.store, { kind: "fork", nowMs: tick(), ...parts, ...refOf(ref), target }),
    window: async (ref) =>
      (await engine.store.readWindow(refOf(ref)))?.window.map(({ seq }) => seq),
    windowAt: async (ref, seq) =>
      (await engine.store.readWindowAt(refOf(ref), seq))?.window?.map((entry) => entry.seq),
    messages,
    texts: async (ref) => (await messages(ref))?.map(({ bytes }) => textOf(bytes)),
    sessions: (namespace = "default") =>
      allSessions(engine.store, { namespace, order: "asc", limit: 7, nowMs: START_MS }),
    events: async (namespace = "default") => {
      const after = await oldestOf(engine.store, namespace);
      const page = { limit: 7, maxBytes: 1_000_000 };
      return (await allEvents(engine.store, { namespace, after, ...page })).events;
    },
  };
}

/** Makes the function that declares the tests of a suite, each on an empty store of its own. */
export function testsOn(open: OpenEngine): (name: string, body: (scene: Scene) => unknown) => void {
  return (name, body) => {
    test(name, async () => {
      await using engine = await open();
      await body(sceneOf(engine));
    });
  };
}
