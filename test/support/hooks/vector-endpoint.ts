// Embedding and reranking endpoints for real servers: over HTTP in the OpenAI-compatible form, and
// over gRPC. The vectors represent concepts, so a query finds texts without a common word. Their
// behaviour can change while they run.

import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import {
  type EmbedTextsRequest,
  type EmbedTextsResponse,
  HookServiceService,
  type RerankTextsRequest,
  type RerankTextsResponse,
} from "../../../src/gen/memorysidecar/hook/v1/hook_service.ts";
import { EmbeddingPurpose } from "../../../src/gen/memorysidecar/v1/document.ts";
import { answerWith, noAnswer, type SeenRequest, startScriptedHttp } from "./scripted-http.ts";

/** Length of the vectors. */
export const CONCEPT_DIMENSIONS = 8;
/** Prefix of queries, by which an HTTP endpoint recognizes them. */
export const QUERY_PREFIX = "query: ";

const CONCEPTS: readonly string[] = [
  "puppy dog hound kennel",
  "car automobile vehicle garage",
  "doctor physician clinic nurse",
  "rain storm thunder cloud",
  "bread bakery loaf dough",
  "violin cello orchestra concert",
];

/** Behaviour of an endpoint on a call. */
export type Conduct =
  /** Correct answers. */
  | "well"
  /** Correct answers to queries, none to passages. */
  | "queries-only"
  /** No answers. */
  | "silent"
  /** Errors. */
  | "failing"
  /** Vectors or score lists of a wrong length. */
  | "wrong-length"
  /** Values that are not finite. */
  | "not-finite";

/** A running endpoint. */
export interface VectorEndpoint extends AsyncDisposable {
  /** Entry of the endpoint in a hooks file. */
  readonly fields: Readonly<Record<string, unknown>>;
  conduct: Conduct;
  /** Model of the vectors: those of two models are not comparable. */
  model: "one" | "two";
  /** Number of passages that it was asked to embed or rank so far. */
  readonly passages: number;
}

/** The vector of a text: one value per concept, at other positions for the other model. */
function conceptVector(text: string, model: "one" | "two"): number[] {
  const values = new Array<number>(CONCEPT_DIMENSIONS).fill(0);
  for (const [at, words] of CONCEPTS.entries()) {
    const count = words.split(" ").filter((word) => text.includes(word)).length;
    const place = (at + (model === "one" ? 0 : 1)) % CONCEPTS.length;
    values[place] = count;
  }
  // All texts share a little similarity.
  values[CONCEPT_DIMENSIONS - 1] = 0.1;
  return values;
}

class State {
  conduct: Conduct = "well";
  model: "one" | "two" = "one";
  passages = 0;

  /** Vectors of the answer; undefined for no answer. Throws to fail. */
  vectors(texts: readonly string[], isQuery: boolean): number[][] | undefined {
    if (!isQuery) this.passages += texts.length;
    if (this.conduct === "silent") return undefined;
    if (this.conduct === "queries-only" && !isQuery) return undefined;
    if (this.conduct === "failing") throw new Error("failing");
    const vectors = texts.map((text) => conceptVector(text, this.model));
    if (this.conduct === "wrong-length") return vectors.map((vector) => vector.slice(1));
    if (this.conduct === "not-finite")
      return vectors.map((vector) => [Number.NaN, ...vector.slice(1)]);
    return vectors;
  }

  /** Scores of the answer: shorter texts score higher. */
  scores(texts: readonly string[]): number[] | undefined {
    this.passages += texts.length;
    if (this.conduct === "silent") return undefined;
    if (this.conduct === "failing") throw new Error("failing");
    const scores = texts.map((text) => -text.length);
    if (this.conduct === "wrong-length") return scores.slice(1);
    return this.conduct === "not-finite" ? scores.map(() => Number.NaN) : scores;
  }
}

function endpoint(
  state: State,
  fields: Readonly<Record<string, unknown>>,
  stop: () => Promise<void>,
): VectorEndpoint {
  return Object.assign(state, { fields, [Symbol.asyncDispose]: stop });
}

/** Starts an endpoint over HTTP. */
export async function startHttpVectors(does: "embed" | "rerank"): Promise<VectorEndpoint> {
  const state = new State();
  const answerOf = ({ json }: SeenRequest): unknown => {
    if (does === "rerank") {
      const scores = state.scores(json["documents"] as string[]);
      const results = scores?.map((score, index) => ({ index, relevance_score: score }));
      return results && { results };
    }
    const texts = json["input"] as string[];
    const vectors = state.vectors(texts, texts[0]?.startsWith(QUERY_PREFIX) === true);
    return vectors && { data: vectors.map((embedding, index) => ({ index, embedding })) };
  };
  const http = await startScriptedHttp([
    (socket, request) => {
      try {
        const answer = answerOf(request);
        const act = answer === undefined ? noAnswer : answerWith(200, JSON.stringify(answer));
        act(socket, request);
      } catch {
        answerWith(500, "{}")(socket, request);
      }
    },
  ]);
  const more =
    does === "embed" ? { dimensions: CONCEPT_DIMENSIONS, query_prefix: QUERY_PREFIX } : {};
  const fields = { kind: "openai", does, url: http.url, model: "concepts", ...more };
  return endpoint(state, fields, async () => {
    await http[Symbol.asyncDispose]();
  });
}

/** Starts an endpoint over gRPC. */
export async function startGrpcVectors(does: "embed" | "rerank"): Promise<VectorEndpoint> {
  const state = new State();
  const server = new Server();
  const failed = { code: 13, details: "failing" };
  const { embedTexts, rerankTexts } = HookServiceService;
  server.addService(
    { embedTexts, rerankTexts },
    {
      embedTexts: (
        { request }: ServerUnaryCall<EmbedTextsRequest, EmbedTextsResponse>,
        reply: sendUnaryData<EmbedTextsResponse>,
      ) => {
        try {
          const isQuery = request.input?.purpose === EmbeddingPurpose.QUERY;
          const vectors = state.vectors(request.input?.texts ?? [], isQuery);
          if (vectors === undefined) return;
          reply(null, { output: { vectors: vectors.map((values) => ({ values })) } });
        } catch {
          reply(failed);
        }
      },
      rerankTexts: (
        { request }: ServerUnaryCall<RerankTextsRequest, RerankTextsResponse>,
        reply: sendUnaryData<RerankTextsResponse>,
      ) => {
        try {
          const scores = state.scores(request.input?.texts ?? []);
          if (scores !== undefined) reply(null, { output: { scores } });
        } catch {
          reply(failed);
        }
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  const more = does === "embed" ? { dimensions: CONCEPT_DIMENSIONS } : {};
  const fields = { kind: "grpc", does, target: `127.0.0.1:${port}`, ...more };
  return endpoint(state, fields, async () => server.forceShutdown());
}
