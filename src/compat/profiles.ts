// The profiles of contexts by name.

import { DEFAULT_PROFILE } from "../context/rules/profiles.ts";
import type { ContextProfile } from "../context/rules/types.ts";
import { definable } from "./definable/context.ts";
import { lauren } from "./lauren/context.ts";
import { selectools } from "./selectools/context.ts";

export const CONTEXT_PROFILES: readonly ContextProfile[] = [
  DEFAULT_PROFILE,
  selectools,
  lauren,
  definable,
];

/** The profile of a name, the default one for an empty name; undefined for an unknown one. */
export function contextProfile(name: string): ContextProfile | undefined {
  return name === "" ? DEFAULT_PROFILE : CONTEXT_PROFILES.find((one) => one.name === name);
}
