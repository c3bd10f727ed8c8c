// The presets of policies by name.

import { GENERAL_PRESETS } from "../window/policy/general.ts";
import type {
  ExpandedPreset,
  PlainOptions,
  Preset,
  PresetInfo,
} from "../window/policy/preset-kind.ts";
import { SUMMARIZING_PRESETS } from "../window/policy/summarizing.ts";
import { alquimia } from "./alquimia/preset.ts";
import { definable } from "./definable/preset.ts";
import { lauren } from "./lauren/preset.ts";
import { marsys } from "./marsys/preset.ts";
import { selectools } from "./selectools/preset.ts";

export type { Json, OptionFault, OptionInfo } from "../window/policy/options.ts";
export type { ExpandedPreset, PlainOptions, PresetInfo } from "../window/policy/preset-kind.ts";

const SYSTEMS: readonly Preset[] = [alquimia, definable, lauren, marsys, selectools];

const ALL: readonly Preset[] = [...GENERAL_PRESETS, ...SUMMARIZING_PRESETS, ...SYSTEMS].sort(
  (a, b) => (a.name < b.name ? -1 : 1),
);

const BY_NAME: ReadonlyMap<string, Preset> = new Map(ALL.map((preset) => [preset.name, preset]));

/** Lists the presets, by name. */
export const PRESETS: readonly PresetInfo[] = ALL;

/** Whether a preset stands for another system and shows texts as that system does. */
export function isSystemPreset(name: string): boolean {
  return SYSTEMS.some((preset) => preset.name === name);
}

/**
 * Writes a preset out with the options given, or says what is wrong with them. The field of a fault
 * is empty when no preset has that name.
 */
export function expandPreset(name: string, options: PlainOptions): ExpandedPreset {
  const preset = BY_NAME.get(name);
  if (preset !== undefined) return preset.expand(options);
  return { faults: [{ field: "", description: "is not the name of a preset" }] };
}
