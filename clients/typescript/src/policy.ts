// Short ways to write a policy.

import {
  type DeepPartial,
  type Policy,
  type PolicyStage,
  StageOn,
  type Trigger,
  Unit,
} from "./gen/memorysidecar/v1/policy.ts";

/** A policy as it is given: everything may be left out. */
export type PolicyInput = DeepPartial<Policy>;

/** The names of the units. */
export type UnitName = "message" | "assistant-round" | "interaction";

/** What every stage takes. */
export interface StageOptions {
  /** What is kept or removed together. Default `interaction`. */
  readonly unit?: UnitName;
  /** When the stage runs: with every change, or on reads only. Default `append`. */
  readonly on?: "append" | "read";
  /** What makes the stage act, any one of them. Default: always. */
  readonly over?: { readonly messages?: number; readonly tokens?: number };
}

/** The limits of a stage that drops the oldest units. At least one is needed. */
export interface Limits {
  readonly maxMessages?: number;
  readonly maxTokens?: number;
}

const UNITS = {
  message: Unit.MESSAGE,
  "assistant-round": Unit.ASSISTANT_ROUND,
  interaction: Unit.INTERACTION,
} as const;

function stage(name: string, options: StageOptions): DeepPartial<PolicyStage> {
  const { unit = "interaction", on = "append", over = {} } = options;
  const anyOf: DeepPartial<Trigger>[] = [];
  if (over.messages !== undefined) {
    anyOf.push({ condition: { $case: "messageCountOver", value: over.messages } });
  }
  if (over.tokens !== undefined) {
    anyOf.push({ condition: { $case: "tokenCountOver", value: BigInt(over.tokens) } });
  }
  return { name, unit: UNITS[unit], on: on === "read" ? StageOn.READ : StageOn.APPEND, anyOf };
}

/** Makes a stage that removes the oldest units until the limits hold. */
export function dropOldest(
  name: string,
  limits: Limits,
  options: StageOptions = {},
): DeepPartial<PolicyStage> {
  const value: { maxMessages?: number; maxTokens?: bigint } = {};
  if (limits.maxMessages !== undefined) value.maxMessages = limits.maxMessages;
  if (limits.maxTokens !== undefined) value.maxTokens = BigInt(limits.maxTokens);
  return { ...stage(name, options), select: { $case: "dropOldest", value } };
}

/** Makes a stage that keeps the newest units. */
export function keepLast(
  name: string,
  unitCount: number,
  options: StageOptions = {},
): DeepPartial<PolicyStage> {
  return { ...stage(name, options), select: { $case: "keepLast", value: { unitCount } } };
}
