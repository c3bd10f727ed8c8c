// Says how an answer differs from the recorded one, field by field.

import { createFileRegistry, fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import { METHODS } from "../support/contract/client.ts";
import type { Step, StepAnswer } from "./scene.ts";

const LINES_MAX = 12;
const VALUE_CHARS = 120;
const registry = createFileRegistry(loadDescriptors());

/** A message of a type of the contract as one line for each value. */
function linesOf(typeName: string, bytes: string, prefix = ""): string[] {
  const type = registry.getMessage(typeName);
  if (type === undefined) return [`${prefix}${typeName}: ${JSON.stringify(bytes)}`];
  const message = fromBinary(type, Buffer.from(bytes, "latin1"));
  return flatten(prefix, toJson(type, message, { registry }));
}

function flatten(path: string, value: JsonValue): string[] {
  if (typeof value !== "object" || value === null) return [`${path}: ${JSON.stringify(value)}`];
  const parts = Object.entries(value).flatMap(([key, inner]) => {
    const name = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return flatten(name, inner);
  });
  return parts.length === 0 ? [`${path}: {}`] : parts;
}

function methodOf({ method }: Step) {
  const [, service = "", name = ""] = METHODS[method].path.split("/");
  const types = registry.getService(service)?.methods.find((one) => one.name === name);
  return { name, input: types?.input.typeName ?? "", output: types?.output.typeName ?? "" };
}

/** The request of a call, as lines. */
export function requestLines(step: Step): string[] {
  try {
    return linesOf(methodOf(step).input, step.request);
  } catch {
    return [`no message: ${JSON.stringify(step.request)}`];
  }
}

/** An answer, as lines. */
export function answerLines(step: Step, { messages, failure }: StepAnswer): string[] {
  const { output } = methodOf(step);
  const lines = messages.flatMap((bytes, index) =>
    linesOf(output, bytes, messages.length === 1 ? "" : `[${index}]`),
  );
  if (failure === undefined) return lines;
  const { details, ...rest } = failure;
  return [...lines, ...flatten("failure", { ...rest }), `failure.details: ${printable(details)}`];
}

function printable(bytes: string): string {
  return bytes.replace(/[^ -~]+/g, " ");
}

/** Difference of an answer: the rpc, then one line for each changed value. */
export function difference(step: Step, was: StepAnswer, is: StepAnswer | undefined): string[] {
  const { name } = methodOf(step);
  if (is === undefined) return [`${name}: no answer in time`];
  const before = answerLines(step, was);
  const after = answerLines(step, is);
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  const lines = [...gone, ...come].map((line) => line.slice(0, VALUE_CHARS));
  if (lines.length === 0) return [`${name}: the same values in other bytes or another order`];
  const more = lines.length > LINES_MAX ? [`... and ${lines.length - LINES_MAX} more`] : [];
  return [name, ...lines.slice(0, LINES_MAX).map((line) => `  ${line}`), ...more];
}
