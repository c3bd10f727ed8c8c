// A scene of the golden corpus: what one server of the contract suite was asked, in order. Its
// clock stands still but for a millisecond before each call, and its randomness is the same each
// time, so that the bytes of every answer are too.

import { createHash } from "node:crypto";
import type { HookKind, HookSettings, PolledWork } from "../../src/hooks/port.ts";
import type { World } from "../../src/kit/world.ts";
import type { MethodName } from "../support/contract/client.ts";

/** Start time of every scene. */
export const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** The ids of every store. Tokens and etags are made of them. */
export const STORE_IDS = {
  storeId: "00112233445566ff",
  historyId: "00112233445566ff",
  instanceId: "8899aabbccddeeff",
} as const;

/** One call. Bytes are strings with a character for each. */
export interface Step {
  readonly method: MethodName;
  /** Time of the call, in milliseconds after START_MS. */
  readonly atMs: number;
  readonly request: string;
  readonly token?: string;
  /** The earlier steps that had no answer yet when this one was sent. */
  readonly during?: readonly number[];
  /** The client did not wait for the answer; a replay leaves the call out. */
  readonly isLost?: boolean;
  /** Number of events that a watch sees before it ends. */
  readonly events?: number;
}

/** Outcome of a call. */
export interface StepAnswer {
  /** The answer, the chunks of an export, or the events of a watch. */
  readonly messages: readonly string[];
  /** Unset when the call succeeded. */
  readonly failure?: {
    readonly code: number;
    readonly message: string;
    /** The trailer `grpc-status-details-bin`. */
    readonly details: string;
    readonly pushbackMs: string;
  };
}

/** A hook of a scene; only workers that poll do its work. */
export interface SceneHook {
  readonly name: string;
  readonly kind: HookKind;
  readonly settings: HookSettings;
  readonly polled?: PolledWork;
}

/** Calls that one server received. */
export interface Scene {
  /** The file and the test that asked. */
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly hooks: readonly SceneHook[];
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Reason why it cannot be replayed unchanged: what the replay lacks. */
  readonly lacks: readonly string[];
  readonly steps: readonly Step[];
}

/** A world whose clock a scene sets. */
export class SceneWorld implements World {
  offsetMs = 0;
  readonly #draws = new Map<number, number>();

  readonly nowMs = (): number => START_MS + this.offsetMs;

  /** Draws of one length are a row of their own, so that jitter does not change ids. */
  readonly random = (length: number): Uint8Array => {
    const draw = (this.#draws.get(length) ?? 0) + 1;
    this.#draws.set(length, draw);
    const hash = createHash("shake256", { outputLength: length });
    return new Uint8Array(hash.update(`${length} ${draw}`).digest());
  };
}

const SERVICE_PATH = /^\/memorysidecar\.v1\.\w+\/(\w)(\w+)$/;

/** The method that a path names; undefined when it is none of the contract. */
export function methodOfPath(path: string): MethodName | undefined {
  const [, first, rest] = SERVICE_PATH.exec(path) ?? [];
  return first === undefined ? undefined : (`${first.toLowerCase()}${rest}` as MethodName);
}
