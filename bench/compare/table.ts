// The tables of the comparison: figures, each with its ratio to ours.

import { median, round3 } from "../stats.ts";
import type { Failure } from "./jobs.ts";

/**
 * One index in a table: its title with the figures of its rounds, or the reason for having none.
 */
export interface Row<F> {
  readonly title: string;
  readonly rounds: readonly (F | Failure)[];
}

/** A column: its value from the figures of a round; undefined where there is none. */
export interface Column<F> {
  readonly title: string;
  readonly of: (figures: F) => number | undefined;
  /** Omits the ratio to ours. */
  readonly isPlain?: boolean;
}

function isFailure(figures: object): figures is Failure {
  return "failure" in figures;
}

function measured<F extends object>({ rounds }: Row<F>): F[] {
  return rounds.filter((figures): figures is F => !isFailure(figures));
}

/** The median of the rounds. */
function figureOf<F extends object>(row: Row<F>, { of }: Column<F>): number | undefined {
  const values = measured(row).flatMap((figures) => of(figures) ?? []);
  return values.length === 0 ? undefined : median(values);
}

/** The median of the ratios to ours, each taken within a round. */
function ratioOf<F extends object>(row: Row<F>, ours: Row<F>, { of }: Column<F>) {
  const ratios = row.rounds.flatMap((figures, round) => {
    const base = ours.rounds[round];
    if (isFailure(figures) || base === undefined || isFailure(base)) return [];
    const value = of(figures);
    const own = of(base);
    return value === undefined || own === undefined || own <= 0 ? [] : [value / own];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

function short(ratio: number): string {
  if (ratio < 0.995) return ratio.toFixed(2);
  return ratio < 9.95 ? ratio.toFixed(1) : Math.round(ratio).toString();
}

function cellOf<F extends object>(row: Row<F>, ours: Row<F>, column: Column<F>): string {
  const value = figureOf(row, column);
  if (value === undefined) return "-";
  if (column.isPlain === true) return value.toFixed(3);
  const ratio = row === ours ? undefined : ratioOf(row, ours, column);
  return `${round3(value)}${ratio === undefined ? "" : ` (${short(ratio)})`}`;
}

/** Writes a table; the first row is ours. */
export function tableOf<F extends object>(
  rows: readonly Row<F>[],
  columns: readonly Column<F>[],
): string {
  const [ours] = rows;
  if (ours === undefined) return "";
  const lines = [
    ["index", ...columns.map(({ title }) => title)],
    ["---", ...columns.map(() => "---")],
    ...rows.map((row) => {
      const [failure] = row.rounds.filter(isFailure);
      if (measured(row).length === 0) return [row.title, failure?.failure ?? "not measured"];
      return [row.title, ...columns.map((column) => cellOf(row, ours, column))];
    }),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
