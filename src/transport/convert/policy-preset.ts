// Presets as ListPolicyPresets shows them.

import { expandPreset, type OptionInfo, type PresetInfo } from "../../domain/presets/index.ts";
import type { PolicyPreset, PresetOption } from "../../gen/memorysidecar/v1/policy.ts";
import { toPolicy } from "./policy.ts";

/** Gives a preset with its options and, when none is required, the policy of their defaults. */
export function toPolicyPreset(preset: PresetInfo): PolicyPreset {
  const expanded = expandPreset(preset.name, {});
  return {
    name: preset.name,
    description: preset.description,
    options: preset.options.map(toPresetOption),
    policy: "policy" in expanded ? toPolicy(expanded.policy) : undefined,
  };
}

function toPresetOption(option: OptionInfo): PresetOption {
  const { name, description, defaultValue, group, required } = option;
  return { name, description, defaultValue, group, required };
}
