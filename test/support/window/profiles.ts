// Policies, faults and defaults of the profiles of the source systems.

import { expandPreset, type PlainOptions, PRESETS } from "../../../src/compat/presets.ts";
import type { Policy } from "../../../src/window/policy/policy.ts";

/** The policy of a profile with these options. */
export function policyOf(name: string, options: PlainOptions = {}): Policy {
  const expanded = expandPreset(name, options);
  if ("faults" in expanded) throw new Error(JSON.stringify(expanded.faults));
  return expanded.policy;
}

/** The faults that a profile finds in its options, by field. */
export function faultsOf(name: string, options: PlainOptions): readonly string[] {
  const expanded = expandPreset(name, options);
  return "faults" in expanded
    ? expanded.faults.map(({ field, description }) => `${field}: ${description}`)
    : [];
}

/** The defaults of the options of a group, by name. */
export function defaultsOf(name: string, group: string): object {
  const options = PRESETS.find((preset) => preset.name === name)?.options ?? [];
  const own = options.filter((option) => option.group === group);
  return Object.fromEntries(own.map((option) => [option.name, option.defaultValue]));
}

/** Protections of a policy, with nothing protected but what the fields say. */
export const protections = (fields: Partial<Policy["protections"]>): Policy["protections"] => ({
  system: "none",
  pinFirst: 0,
  pinIds: [],
  minMessages: 0,
  lastUser: false,
  ...fields,
});
