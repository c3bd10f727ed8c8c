// Reads the story in examples.yaml, which documents its own format.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parse } from "yaml";
import { mapValues } from "./contract.ts";

/** A call of the story. */
export interface Step {
  /** Name of the rpc, without its service: names are unique. */
  readonly rpc: string;
  /** The request as JSON, with references to earlier answers: see `withAnswers`. */
  readonly request: JsonObject;
  /** Whether the reference shows it; the other steps only prepare. */
  readonly isShown: boolean;
  /** Number of answers to read of an endless stream. */
  readonly answerCount: number;
}

/** A part of the story, with its own server. */
export interface Act {
  /** The server's hooks file. `HOOK` stands for the address of the example hook. */
  readonly hooks: JsonObject;
  /** Answers of the example hook, by rpc. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly steps: readonly Step[];
}

/** A call of an rpc and its result: one answer, or those of a stream. */
export interface Example {
  readonly request: JsonValue;
  readonly answers: readonly JsonValue[];
}

/** The answers of earlier steps, by rpc; the last call of an rpc counts. */
export type Past = ReadonlyMap<string, readonly JsonValue[]>;

interface WrittenStep {
  readonly call?: string;
  readonly setup?: string;
  readonly request?: JsonObject;
  readonly answers?: number;
}

interface WrittenAct {
  readonly hooks?: JsonObject;
  readonly answers?: Record<string, JsonObject>;
  readonly steps: readonly WrittenStep[];
}

/** Reads every act. */
export function readStory(): Act[] {
  const text = readFileSync(join(import.meta.dirname, "examples.yaml"), "utf8");
  return (parse(text) as WrittenAct[]).map(({ hooks = {}, answers = {}, steps }) => ({
    hooks,
    answers,
    steps: steps.map(({ call, setup, request = {}, answers: answerCount = 1 }) => ({
      rpc: call ?? setup ?? "",
      request,
      isShown: call !== undefined,
      answerCount,
    })),
  }));
}

const REFERENCE = /^\$\{(\w+) ([\w.]+)\}$/;

/** Replaces each `${Rpc path.in.the.answer}` with the value from an earlier answer. */
export function withAnswers(value: JsonValue, past: Past): JsonValue {
  if (typeof value === "string") {
    const [, rpc = "", path = ""] = REFERENCE.exec(value) ?? [];
    return rpc === "" ? value : answerAt(past.get(rpc) ?? [], path, rpc);
  }
  if (Array.isArray(value)) return value.map((inner) => withAnswers(inner, past));
  if (typeof value !== "object" || value === null) return value;
  return mapValues(value, (inner) => withAnswers(inner, past));
}

/**
 * Finds a value in the answers of an rpc. The answers of a stream are merged, and later fields win.
 */
function answerAt(answers: readonly JsonValue[], path: string, rpc: string): JsonValue {
  let found: JsonValue | undefined = Object.assign({}, ...answers) as JsonObject;
  for (const key of path.split(".")) found = (found as JsonObject | undefined)?.[key];
  if (found === undefined) throw new Error(`no earlier answer of ${rpc} has ${path}`);
  return found;
}
