// Reads presets as requests name them, with options as a Struct.

import { type ExpandedPreset, expandPreset, type OptionFault, PRESETS } from "../compat/presets.ts";
import { Struct } from "../gen/google/protobuf/struct.ts";
import type { PolicyChoice, Preset } from "../gen/memorysidecar/v1/policy.ts";
import { structToJson } from "../grpc/struct.ts";
import type { MemoryPolicy } from "./policy/memory-policy.ts";
import type { PresetOrigin } from "./policy/policy.ts";

/** A preset written out, or its faults; `in` is the field that faults without one mean. */
export type ExpandedWirePreset =
  | Extract<ExpandedPreset, { readonly policy: unknown }>
  | { readonly in: "name" | "options"; readonly faults: readonly OptionFault[] };

/** Writes a preset out. Its options must be a sound Struct. */
export function expandWirePreset(preset: Preset): ExpandedWirePreset {
  if (!PRESETS.some(({ name }) => name === preset.name)) {
    const description = "is not the name of a preset; ListPolicyPresets gives them";
    return { in: "name", faults: [{ field: "", description }] };
  }
  const options = readOptions(preset.options);
  if (options === undefined) {
    const description = "holds a number that is not finite";
    return { in: "options", faults: [{ field: "", description }] };
  }
  const expanded = expandPreset(preset.name, options);
  return "policy" in expanded ? expanded : { in: "options", ...expanded };
}

/** The origin that a policy keeps of its preset, which must be sound. */
export function fromPreset({ name, options }: Preset): PresetOrigin {
  return { name, options: structToJson(options) };
}

/** The preset that a policy was made of. */
export function toPreset({ name, options }: PresetOrigin): Preset {
  const struct = Struct.wrap(JSON.parse(options));
  return { name, options: Buffer.from(Struct.encode(struct).finish()) };
}

/** The memory policy that a chosen preset brings; undefined when it brings none. */
export function presetMemoryPolicy(policy: PolicyChoice | undefined): MemoryPolicy | undefined {
  if (policy?.choice?.$case !== "preset") return undefined;
  const expanded = expandWirePreset(policy.choice.value);
  return "policy" in expanded ? expanded.memoryPolicy : undefined;
}

/** The options as plain values; undefined when they hold a number that JSON has no form for. */
function readOptions(struct: Uint8Array): { readonly [name: string]: unknown } | undefined {
  try {
    return JSON.parse(structToJson(struct)) as { readonly [name: string]: unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
