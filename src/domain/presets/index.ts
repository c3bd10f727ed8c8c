// The policies that can be had by name.

import { alquimia } from "./alquimia.ts";
import { definable } from "./definable.ts";
import { GENERAL_PRESETS } from "./general.ts";
import { lauren } from "./lauren.ts";
import { marsys } from "./marsys.ts";
import type { ExpandedPreset, PlainOptions, Preset, PresetInfo } from "./preset.ts";
import { selectools } from "./selectools.ts";
import { SUMMARIZING_PRESETS } from "./summarizing.ts";

export type { Json, OptionFault, OptionInfo } from "./options.ts";
export type { ExpandedPreset, PlainOptions, PresetInfo } from "./preset.ts";

const ALL: readonly Preset[] = [
  ...GENERAL_PRESETS,
  ...SUMMARIZING_PRESETS,
  alquimia,
  definable,
  lauren,
  marsys,
  selectools,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME: ReadonlyMap<string, Preset> = new Map(ALL.map((preset) => [preset.name, preset]));

/** Lists the presets, by name. */
export const PRESETS: readonly PresetInfo[] = ALL;

/**
 * Writes a preset out with the options given, or says what is wrong with them. The field of a fault
 * is empty when no preset has that name.
 */
export function expandPreset(name: string, options: PlainOptions): ExpandedPreset {
  const preset = BY_NAME.get(name);
  if (preset !== undefined) return preset.expand(options);
  return { faults: [{ field: "", description: "is not the name of a preset" }] };
}
