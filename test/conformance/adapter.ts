// The interface between the runner and the adapter of a source system: the system's operations over
// our contract, and their results in the system's own terms.

import type { Case } from "./cases.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Rpc } from "./rpc.ts";

/** One operation that was done, and what came of it: nothing, a value, or the server's refusal. */
export interface Step {
  readonly op: JsonObject;
  readonly value: unknown;
}

/** Input of an adapter. */
export interface Context {
  /** Calls the server in a namespace that nobody else uses. */
  readonly rpc: Rpc;
  readonly kase: Case;
  /** The operations so far, oldest first. */
  readonly steps: readonly Step[];
}

/** Does one operation; gives undefined when the system's operation gives nothing. */
export type Operation = (op: JsonObject) => Promise<unknown>;

/** Gives what a case's expectation is about. */
export type Observation = (expected: Json) => unknown;

/** A source system as a thin client of the contract would offer it. */
export interface Adapter {
  readonly operations: Readonly<Record<string, Operation>>;
  /** Understands operations that are written as calls; undefined for one that it does not know. */
  readonly parse?: (name: string) => Operation | undefined;
  readonly expectations: Readonly<Record<string, Observation>>;
}

/** Makes the adapter of a system for one case. */
export type OpenAdapter = (context: Context) => Adapter;

/** Functions of an adapter's state, by the names that cases use. */
export type Table<S, A> = Readonly<Record<string, (state: S, argument: A) => unknown>>;

/** Makes an adapter of a state and what can be done with it and seen of it. */
export function bindAdapter<S>(
  state: S,
  operations: Table<S, JsonObject>,
  expectations: Table<S, Json>,
): Adapter {
  return {
    operations: mapTable(operations, (act) => async (op: JsonObject) => act(state, op)),
    expectations: mapTable(expectations, (see) => (expected: Json) => see(state, expected)),
  };
}

function mapTable<F, G>(
  table: Readonly<Record<string, F>>,
  change: (entry: F) => G,
): Readonly<Record<string, G>> {
  return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, change(entry)]));
}
