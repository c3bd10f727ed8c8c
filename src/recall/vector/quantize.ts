// Vectors as signed bytes: a code for each value and one scale for all of them. A second byte for
// each value, the residual, holds what the first rounds off, so that both are worth about 16 bits.

import { DIMENSIONS_AT_MOST } from "./arena.ts";

/** The largest code. */
const CODE_LIMIT = 127;
/** Steps of a residual in one step of a code: a residual is at most half a step, of 127. */
const RESIDUAL_STEPS = 2 * CODE_LIMIT;
/** The largest value of a query in 16 bits. */
const QUERY_LIMIT = 32_767;
/** The largest sum in 32 bits. */
const SUM_LIMIT = 2_147_483_647;

/** Gives how many codes a record has: the dimensions, up to a multiple of eight. */
export function paddedDimensions(dimensions: number): number {
  return (dimensions + 7) & ~7;
}

/**
 * Tells what is wrong with a vector, or gives undefined.
 *
 * @param dimensions - How many values it must have.
 */
export function vectorProblem(values: ArrayLike<number>, dimensions: number): string | undefined {
  if (values.length !== dimensions) {
    return `the vector has ${values.length} values, but ${dimensions} are needed`;
  }
  for (let index = 0; index < dimensions; index++) {
    if (!Number.isFinite(values[index])) return `value ${index} of the vector is not finite`;
  }
  return undefined;
}

/** Tells what is wrong with a number of dimensions, or gives undefined. */
export function dimensionsProblem(dimensions: number): string | undefined {
  const fine = Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= DIMENSIONS_AT_MOST;
  return fine ? undefined : `a vector has 1 to ${DIMENSIONS_AT_MOST} dimensions, not ${dimensions}`;
}

/**
 * Gives the vector of length 1 in the same direction, or undefined when all its values are 0.
 *
 * @throws RangeError when a value is not finite or there are not as many as dimensions.
 */
export function normalized(
  values: ArrayLike<number>,
  dimensions: number,
): Float64Array<ArrayBuffer> | undefined {
  // A value that is not finite makes the check NaN; only then is it worth finding which it was.
  let largest = 0;
  let check = 0;
  for (let index = 0; index < dimensions; index++) {
    const value = Math.abs(values[index] ?? Number.NaN);
    if (value > largest) largest = value;
    check += value * 0;
  }
  const problem =
    check === 0 && values.length === dimensions ? undefined : vectorProblem(values, dimensions);
  if (problem !== undefined) throw new RangeError(problem);
  if (largest === 0) return undefined;
  const unit = new Float64Array(dimensions);
  // Divided by the largest first, so that neither huge nor tiny values lose their squares.
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const value = (values[index] ?? 0) / largest;
    unit[index] = value;
    squares += value * value;
  }
  const factor = 1 / Math.sqrt(squares);
  for (let index = 0; index < dimensions; index++) unit[index] = (unit[index] ?? 0) * factor;
  return unit;
}

/** Destination of a vector's codes. */
export interface CodePlace {
  readonly bytes: Int8Array;
  readonly at: number;
}

/** Writes the codes of a unit vector, and gives their scale. */
export function writeCodes(unit: Float64Array, { bytes, at }: CodePlace): number {
  // The scale is kept in 32 bits: what is stored and what is computed with must be the same.
  const scale = Math.fround(largestOf(unit) / CODE_LIMIT);
  const perScale = 1 / scale;
  for (let index = 0; index < unit.length; index++) {
    bytes[at + index] = nearestCode((unit[index] ?? 0) * perScale);
  }
  return scale;
}

/** Writes the residuals of a unit vector whose codes have this scale. */
export function writeResiduals(unit: Float64Array, scale: number, { bytes, at }: CodePlace): void {
  const perScale = 1 / scale;
  for (let index = 0; index < unit.length; index++) {
    const steps = (unit[index] ?? 0) * perScale;
    bytes[at + index] = nearestCode((steps - nearestCode(steps)) * RESIDUAL_STEPS);
  }
}

/** Gives the nearest whole number of one from -127 to 127, faster than `Math.round`. */
function nearestCode(value: number): number {
  return ((value + CODE_LIMIT + 1.5) | 0) - CODE_LIMIT - 1;
}

/** Gives the dot product of a vector and stored codes, and residuals if there are any. */
export function dotCodes(
  vector: Float64Array,
  codes: CodePlace & { readonly scale: number },
  residuals?: CodePlace,
): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    sum += (vector[index] ?? 0) * (codes.bytes[codes.at + index] ?? 0);
  }
  if (residuals === undefined) return sum * codes.scale;
  let rest = 0;
  for (let index = 0; index < vector.length; index++) {
    rest += (vector[index] ?? 0) * (residuals.bytes[residuals.at + index] ?? 0);
  }
  return (sum + rest / RESIDUAL_STEPS) * codes.scale;
}

/** Adds a stored vector, times a factor, to a sum. */
export function addCodes(
  sum: Float64Array,
  codes: CodePlace & { readonly scale: number },
  residuals?: CodePlace,
): void {
  for (let index = 0; index < sum.length; index++) {
    const rest = residuals === undefined ? 0 : (residuals.bytes[residuals.at + index] ?? 0);
    const code = (codes.bytes[codes.at + index] ?? 0) + rest / RESIDUAL_STEPS;
    sum[index] = (sum[index] ?? 0) + code * codes.scale;
  }
}

/**
 * Writes a unit vector as a query of 16-bit values, with zeros up to `padded`. They are made as
 * large as no sum of products with codes can leave 32 bits.
 */
export function writeQuery(unit: Float64Array, target: Int16Array, padded: number): void {
  const limit = Math.min(QUERY_LIMIT, Math.floor(SUM_LIMIT / (CODE_LIMIT * unit.length)));
  const factor = limit / largestOf(unit);
  for (let index = 0; index < padded; index++) {
    target[index] = index < unit.length ? Math.round((unit[index] ?? 0) * factor) : 0;
  }
}

function largestOf(values: Float64Array): number {
  let largest = 0;
  for (let index = 0; index < values.length; index++) {
    const value = Math.abs(values[index] ?? 0);
    if (value > largest) largest = value;
  }
  return largest;
}
