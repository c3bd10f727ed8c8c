// Presets, and the small parts that their policies are made of.

import { LIMITS } from "../../kit/limits.ts";
import type { MemoryPolicy } from "./memory-policy.ts";
import {
  describeOptions,
  type OptionFault,
  type OptionInfo,
  type OptionReading,
  type OptionTable,
  readOptions,
} from "./options.ts";
import { DEFAULT_POLICY_PARTS, DEFAULT_STAGE, type Policy, type PolicyStage } from "./policy.ts";
import { BUILTIN_HOOK, MANUAL_HOOK } from "./summary-spec.ts";

/** A policy that can be had by name, as callers who list presets see it. */
export interface PresetInfo {
  readonly name: string;
  /** Its effect, in one or two sentences. */
  readonly description: string;
  readonly options: readonly OptionInfo[];
}

/** A preset with its options applied: a policy written out, or the faults of the options. */
export type ExpandedPreset =
  | {
      readonly policy: Policy;
      /** The memory policy of a session that brings none; undefined for none. */
      readonly memoryPolicy?: MemoryPolicy | undefined;
    }
  | { readonly faults: readonly OptionFault[] };

/** Options as a caller gave them: a plain JSON object. */
export interface PlainOptions {
  readonly [name: string]: unknown;
}

/** A preset with what makes its policy. */
export interface Preset extends PresetInfo {
  readonly expand: (options: PlainOptions) => ExpandedPreset;
}

/** Declaration of a preset with one table of options. */
export interface PresetDefinition<T extends OptionTable> {
  readonly name: string;
  readonly description: string;
  readonly table: T;
  /** The options as callers see them. Default: the table, in no group. */
  readonly options?: readonly OptionInfo[];
  /** Options that take effect only while another option is on, with its name. */
  readonly needs?: { readonly [K in keyof T]?: keyof T & string };
  /** Names what options do together that they may not. */
  readonly check?: (reading: OptionReading<T>) => readonly OptionFault[];
  /** Makes the policy of sound options, but for its name. */
  readonly build: (reading: OptionReading<T>) => PolicyParts;
  /** Makes the memory policy of sound options. Default: none. */
  readonly memory?: (reading: OptionReading<T>) => MemoryPolicy | undefined;
}

/** A policy without its name; what is left out has its default. */
export type PolicyParts = Partial<Omit<Policy, "name">> & Pick<Policy, "stages">;

/** Makes a preset of its definition. */
export function definePreset<T extends OptionTable>(definition: PresetDefinition<T>): Preset {
  const { name, description, table, needs = {}, check, build } = definition;
  return {
    name,
    description,
    options: definition.options ?? describeOptions(table),
    expand: (options) => {
      const reading = readOptions(table, options);
      const faults = [...reading.faults];
      if (faults.length === 0) faults.push(...idleFaults(table, needs, reading));
      if (faults.length === 0 && check !== undefined) faults.push(...check(reading));
      if (faults.length > 0) return { faults };
      const memoryPolicy = definition.memory?.(reading);
      const policy = namedPolicy(name, build(reading));
      return memoryPolicy === undefined ? { policy } : { policy, memoryPolicy };
    },
  };
}

/** The options of summaries that a hook has no use for. */
const UNUSED_BY_HOOK: Readonly<Record<string, readonly string[]>> = {
  [BUILTIN_HOOK]: ["instructions"],
  [MANUAL_HOOK]: ["instructions", "summary_max_tokens", "last_chars", "fan_in", "on_failure"],
};

/**
 * Names the options that have no effect because the one that they need is off. The default is not
 * held against a caller who writes everything out.
 */
function idleFaults<T extends OptionTable>(
  table: T,
  needs: NonNullable<PresetDefinition<T>["needs"]>,
  { values, given }: OptionReading<T>,
): readonly OptionFault[] {
  const isChanged = (field: string): boolean =>
    given.has(field) && values[field] !== table[field]?.initial;
  const ofNeeds = Object.entries<string | undefined>(needs).flatMap(([field, needed = field]) => {
    const isOff = values[needed] === undefined || values[needed] === false;
    return isOff && isChanged(field) ? [{ field, description: `${field} needs ${needed}` }] : [];
  });
  const { hook, token_rule, context_share } = values as { readonly [name: string]: unknown };
  const unused = (UNUSED_BY_HOOK[String(hook)] ?? []).filter(isChanged).map((field) => ({
    ...{ field, description: `${field} has no effect with the hook ${hook}` },
  }));
  const isCounted = token_rule === undefined || token_rule === "model";
  if (!isCounted && context_share === undefined && isChanged("model")) {
    unused.push({ field: "model", description: "model needs token_rule model, or none" });
  }
  return [...ofNeeds, ...unused];
}

/** Gives a policy of a preset: its parts, the defaults for the rest, and the preset's name. */
export function namedPolicy(name: string, parts: PolicyParts): Policy {
  return { ...DEFAULT_POLICY_PARTS, ...parts, name };
}

/** Gives a stage; what is left out has its default. */
export function stageOf(
  name: string,
  parts: Partial<PolicyStage> & Pick<PolicyStage, "select">,
): PolicyStage {
  return { ...DEFAULT_STAGE, ...parts, name };
}

/** A selection of the oldest units by count or by tokens. */
export function dropOldest(limits: {
  readonly maxMessages?: number;
  readonly maxTokens?: number;
  readonly maxAgeMs?: number;
}): PolicyStage["select"] {
  return { kind: "drop-oldest", ...limits, stopAtProtected: false, stopAtFree: false };
}

/** The ranges that options of presets share with the fields of a policy. */
export const RANGES = {
  messages: { min: 0, max: LIMITS.windowMessages },
  someMessages: { min: 1, max: LIMITS.windowMessages },
  tokens: { min: 0, max: LIMITS.policyTokens },
  someTokens: { min: 1, max: LIMITS.policyTokens },
  imageTokens: { min: 0, max: LIMITS.imageTokenCount },
  headroom: { min: 0, max: 1, belowMax: true },
  share: { min: 0, max: 1, aboveMin: true },
} as const;
