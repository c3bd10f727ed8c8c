// The source systems by the numbers and names that cases have for them.

import type { OpenAdapter } from "./adapter.ts";
import { openAlquimia } from "./alquimia.ts";
import { openDefinable } from "./definable.ts";
import { openLauren } from "./lauren.ts";
import { openMarsys } from "./marsys.ts";
import { openSelectools } from "./selectools.ts";
import { openSidecar } from "./sidecar.ts";

/** A source system. */
export interface System {
  readonly number: string;
  readonly names: readonly string[];
  readonly open: OpenAdapter;
}

/** The five source systems, and what this one does besides. */
export const SYSTEMS: readonly System[] = [
  { number: "000", names: ["selectools"], open: openSelectools },
  { number: "001", names: ["lauren", "lauren-ai", "lauren_ai"], open: openLauren },
  { number: "002", names: ["definable"], open: openDefinable },
  { number: "003", names: ["marsys", "MARSYS"], open: openMarsys },
  { number: "004", names: ["alquimia", "Alquimia"], open: openAlquimia },
  { number: "sidecar", names: [], open: openSidecar },
];

/** Gives a system by its number or name; undefined for what is none. */
export function systemOf(name: string): System | undefined {
  return SYSTEMS.find(({ number, names }) => number === name || names.includes(name));
}

/** Gives the system that a longer name speaks of, such as `000_selectools`. */
export function systemIn(name: string): System | undefined {
  const words = name.split(/[^A-Za-z0-9-]+/);
  return systemOf(name) ?? words.map(systemOf).find((system) => system !== undefined);
}
