// Table of the kinds of hook work other than summaries. A row defines the request to each kind of
// endpoint and how its answer is read; the hooks file, endpoints, workers and ListHooks follow it.

import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import { HookServiceService } from "../gen/memorysidecar/hook/v1/hook_service.ts";
import { EmbeddingPurpose } from "../gen/memorysidecar/v1/document.ts";
import { ExtractionTarget as WireTarget } from "../gen/memorysidecar/v1/memory.ts";
import * as wire from "../gen/memorysidecar/v1/task.ts";
import type { CompleteTaskRequest } from "../gen/memorysidecar/v1/task_service.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { spliceMessages } from "../grpc/splice.ts";
import { fromTimestamp } from "../grpc/time.ts";
import type { JsonObject } from "../kit/text.ts";
import type { ExtractInput } from "../memory/rules/extracted.ts";
import type { SummaryOutput } from "../summary/rules/summary.ts";
import {
  checkedExtracted,
  checkedImportance,
  checkedResolution,
  checkedScores,
  checkedVectors,
} from "./answers.ts";
import type {
  AskWork,
  DirectWork,
  EmbedConfig,
  EmbedderHook,
  EmbedderModel,
  Hook,
  SummarizeInput,
  WorkTypes,
} from "./port.ts";
import type { ChatRequest } from "./prompts.ts";
import { extractRequest, resolveRequest, scoreRequest } from "./prompts-memories.ts";

type Input<W extends DirectWork> = WorkTypes[W]["input"];
type Result<W extends DirectWork> = WorkTypes[W]["result"];
/** The wire form of an answer. */
type Output<W extends DirectWork> = Extract<
  NonNullable<CompleteTaskRequest["output"]>,
  { readonly $case: W }
>["value"];

/** An endpoint that answers with one entry for each text. */
interface TextsEndpoint<W extends DirectWork> {
  readonly path: string;
  /** The fields that `texts` gives. */
  readonly textFields: readonly string[];
  /** Fields of the request that `extra_body` can change. */
  settings(embed: EmbedConfig | undefined, input: Input<W>): JsonObject;
  /** Fields of the request that it cannot change. */
  texts(embed: EmbedConfig | undefined, input: Input<W>): JsonObject;
  count(input: Input<W>): number;
  entries(answer: JsonObject): unknown;
  value(entry: JsonObject | undefined): unknown;
}

/** One kind of work. Methods take an input of that kind. */
interface Work<W extends DirectWork> {
  /** Purpose of the hook in the documentation of the hooks file. */
  readonly purpose: string;
  /** Rank of a task: lower ones go to workers first. */
  rank(input: Input<W>): number;
  /** All texts of an input, to measure it. */
  textsIn(input: Input<W>): readonly string[];
  /** Checks an answer; `model` is the name that a chat completion gives. */
  check(answer: unknown, input: Input<W>, model?: string): Result<W>;
  /** Request to an endpoint of the kind `openai`: a prompt, or a separate path. */
  readonly openai: TextsEndpoint<W> | ((input: Input<W>) => ChatRequest);
  readonly grpc: {
    readonly path: string;
    requestSerialize(head: { namespace: string; sessionId: string; input: undefined }): Buffer;
    responseDeserialize(bytes: Buffer): { readonly output?: Output<W> | undefined };
    /** Number of the field `input` of the request. */
    readonly inputField: number;
    /** Error message for an unreadable answer. */
    readonly unreadable: string;
  };
  /** Number of the field in LeasedTask. */
  readonly taskField: number;
  /** The wire form of an input. */
  encode(input: Input<W>): Uint8Array;
  /** The answer that `check` takes. */
  decode(output: Output<W> | undefined): unknown;
}

const UNREADABLE = "The response has a different type than the call.";

const WORKS: { readonly [W in DirectWork]: Work<W> } = {
  embed: {
    purpose: "vectors of texts",
    rank: ({ purpose }) => (purpose === "passage" ? 1 : 0),
    textsIn: ({ texts }) => texts,
    check: (answer, { texts, dimensions }) =>
      checkedVectors(answer as readonly unknown[], texts.length, dimensions),
    openai: {
      path: "/embeddings",
      textFields: ["input", "encoding_format"],
      settings: (embed) => (embed?.sendDimensions === true ? { dimensions: embed.dimensions } : {}),
      texts: (embed, { texts, purpose }) => {
        const prefix = (purpose === "query" ? embed?.queryPrefix : embed?.passagePrefix) ?? "";
        const written = prefix === "" ? texts : texts.map((text) => prefix + text);
        return { input: written, encoding_format: "float" };
      },
      count: ({ texts }) => texts.length,
      entries: (answer) => answer["data"],
      value: (entry) => entry?.["embedding"],
    },
    grpc: {
      ...HookServiceService.embedTexts,
      inputField: 2,
      unreadable: "The answer is not a EmbedTextsResponse.",
    },
    taskField: 4,
    encode: ({ texts, purpose, dimensions }) => {
      const isQuery = purpose === "query";
      return wire.EmbedInput.encode({
        texts: [...texts],
        purpose: isQuery ? EmbeddingPurpose.QUERY : EmbeddingPurpose.PASSAGE,
        dimensions,
      }).finish();
    },
    decode: (output) => (output?.vectors ?? []).map(({ values }) => values),
  },
  rerank: {
    purpose: "the order of results",
    rank: () => 0,
    textsIn: ({ query, texts }) => [query, ...texts],
    check: (answer, { texts }) => checkedScores(answer as readonly unknown[], texts.length),
    openai: {
      path: "/rerank",
      textFields: ["query", "documents"],
      settings: (_, { texts }) => ({ top_n: texts.length, return_documents: false }),
      texts: (_, { query, texts }) => ({ query, documents: texts }),
      count: ({ texts }) => texts.length,
      entries: (answer) => answer["results"] ?? answer["data"],
      value: (entry) => entry?.["relevance_score"] ?? entry?.["score"],
    },
    grpc: {
      ...HookServiceService.rerankTexts,
      inputField: 2,
      unreadable: "The answer is not a RerankTextsResponse.",
    },
    taskField: 5,
    encode: ({ query, texts }) => wire.RerankInput.encode({ query, texts: [...texts] }).finish(),
    decode: (output) => output?.scores ?? [],
  },
  extract: {
    purpose: "facts in messages (`extract`)",
    rank: () => 2,
    textsIn: ({ text, transcript, instructions, known }) => [
      text,
      transcript,
      instructions,
      ...known,
    ],
    check: (answer, input, model) => ({
      ...checkedExtracted(answer, input),
      ...(model === undefined ? {} : { model }),
    }),
    openai: extractRequest,
    grpc: { ...HookServiceService.extractFacts, inputField: 3, unreadable: UNREADABLE },
    taskField: 6,
    encode: extractInputBytes,
    decode: (output) => output && rawExtracted(output),
  },
  score: {
    purpose: "how important texts are (`score`)",
    rank: () => 2,
    textsIn: ({ texts }) => texts,
    check: (answer, { texts }) => checkedImportance(answer, texts.length),
    openai: ({ texts }) => scoreRequest(texts),
    grpc: { ...HookServiceService.scoreTexts, inputField: 2, unreadable: UNREADABLE },
    taskField: 7,
    encode: ({ texts }) => wire.ScoreInput.encode({ texts: [...texts] }).finish(),
    decode: (output) => output?.scores,
  },
  resolve: {
    purpose: "what becomes of memories that contradict a new one (`resolve`)",
    rank: () => 2,
    textsIn: ({ text, key, known }) => [text, key, ...known],
    check: checkedResolution,
    openai: resolveRequest,
    grpc: { ...HookServiceService.resolveConflict, inputField: 2, unreadable: UNREADABLE },
    taskField: 8,
    encode: ({ text, known, key }) =>
      wire.ResolveInput.encode({ text, known: [...known], key }).finish(),
    decode: (output) => output && { action: ACTIONS[output.action], text: output.text },
  },
};

/** The names of the works, in the order of the documentation. */
export const DIRECT_WORKS = Object.keys(WORKS) as readonly DirectWork[];

/** The row of a work. */
export function workRow<W extends DirectWork>(work: W): Work<W> {
  return WORKS[work];
}

/** Makes vectors by asking. */
export function embedderOf(ask: AskWork<"embed">, model: EmbedderModel): EmbedderHook {
  const { dimensions } = model;
  return { ...model, embed: (call, texts, purpose) => ask(call, { texts, purpose, dimensions }) };
}

/** Whether a hook does a work. */
export function isDoneBy(hook: Hook, work: DirectWork): boolean {
  return hook[work === "embed" ? "embedder" : work] !== undefined;
}

/** Whether endpoints of the kind `openai` do a work by chat completions. */
export function isChatWork(work: DirectWork): boolean {
  return typeof WORKS[work].openai === "function";
}

const TARGETS = numbersByWord(WireTarget);

// The field that is spliced in, of what is extracted from and what is summarized.
const MESSAGES_FIELD = 1;

/** The wire form of messages or a text to find facts in. */
export function extractInputBytes(input: ExtractInput): Uint8Array {
  const rest = wire.ExtractInput.encode({
    ...input,
    messages: [],
    targets: input.targets.map((target) => TARGETS[target]),
    known: [...input.known],
  });
  return spliceMessages(MESSAGES_FIELD, input.messages, rest.finish());
}

/** Found facts, in the form that checkExtracted reads. */
function rawExtracted(output: wire.ExtractOutput): unknown {
  return {
    model: output.model,
    facts: output.facts.map(({ isPreference, validFromTime, messageIds, ...fact }) => ({
      ...fact,
      is_preference: isPreference,
      valid_from_time: validFromTime === undefined ? undefined : isoOf(validFromTime),
      message_ids: messageIds,
    })),
    entities: output.entities.map(({ messageIds, ...entity }) => ({
      ...entity,
      message_ids: messageIds,
    })),
    relations: output.relations.map(({ messageIds, objectValue, ...relation }) => ({
      ...relation,
      object: objectValue,
      message_ids: messageIds,
    })),
  };
}

/** A time as text; undefined for one outside the range of dates. */
function isoOf(at: Timestamp): string | undefined {
  const time = new Date(fromTimestamp(at));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const ACTIONS: { readonly [action in wire.ResolveAction]?: string } = {
  [wire.ResolveAction.KEEP_BOTH]: "keep_both",
  [wire.ResolveAction.SUPERSEDE]: "supersede",
  [wire.ResolveAction.MERGE]: "merge",
  [wire.ResolveAction.DROP]: "drop",
};

// Summaries, which tasks ask for and no caller waits for.

/** The wire form of the content to summarize. */
export function encodeSummarizeInput(input: SummarizeInput): Uint8Array {
  const priorTexts = [...input.priorTexts];
  const rest = wire.SummarizeInput.encode({ ...input, messages: [], priorTexts });
  return spliceMessages(MESSAGES_FIELD, input.messages, rest.finish());
}

/** A hook's summary, unchecked. */
export function fromSummarizeOutput(output: wire.SummarizeOutput): SummaryOutput {
  return {
    ...output,
    inputTokens: Number(output.inputTokens),
    outputTokens: Number(output.outputTokens),
  };
}
