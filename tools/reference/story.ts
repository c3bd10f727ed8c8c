// Reads the story of examples.yaml, which says itself how it is written.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parse } from "yaml";
import { mapValues } from "./contract.ts";

/** A call of the story. */
export interface Step {
  /** The name of the rpc, without its service: no two have the same. */
  readonly rpc: string;
  /** The request as JSON. Answers of earlier steps may stand in it: see `withAnswers`. */
  readonly request: JsonObject;
  /** Whether the reference shows it; other steps only lead to those. */
  readonly isShown: boolean;
  /** How many answers to read of a stream that does not end. */
  readonly answerCount: number;
}

/** A part of the story, with a server of its own. */
export interface Act {
  /** The hooks file of the server. `HOOK` stands for where the example hook listens. */
  readonly hooks: JsonObject;
  /** What the example hook answers, by rpc. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly steps: readonly Step[];
}

/** An rpc as it was called, and what came back: one answer, or those of a stream. */
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

/** Puts the answers of earlier steps where `${Rpc path.in.the.answer}` stands. */
export function withAnswers(value: JsonValue, past: Past): JsonValue {
  if (typeof value === "string") {
    const [, rpc = "", path = ""] = REFERENCE.exec(value) ?? [];
    return rpc === "" ? value : answerAt(past.get(rpc) ?? [], path, rpc);
  }
  if (Array.isArray(value)) return value.map((inner) => withAnswers(inner, past));
  if (typeof value !== "object" || value === null) return value;
  return mapValues(value, (inner) => withAnswers(inner, past));
}

/** Looks into the answers of an rpc: those of a stream as one, in which later fields win. */
function answerAt(answers: readonly JsonValue[], path: string, rpc: string): JsonValue {
  let found: JsonValue | undefined = Object.assign({}, ...answers) as JsonObject;
  for (const key of path.split(".")) found = (found as JsonObject | undefined)?.[key];
  if (found === undefined) throw new Error(`no earlier answer of ${rpc} has ${path}`);
  return found;
}
