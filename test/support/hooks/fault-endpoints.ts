// Hook endpoints that fail in one way until they are mended, for the kinds `openai` and `grpc`.
// Their failures and their answers contain a canary.

import { gzipSync } from "node:zlib";
import { RetryInfo } from "../../../src/gen/google/rpc/error_details.ts";
import { Status } from "../../../src/gen/google/rpc/status.ts";
import { reservedPort } from "../kit/port.ts";
import { coverOf } from "../process/cover.ts";
import {
  answerFrame,
  answerStatus,
  beginAnswer,
  outputBytes,
  prefixOf,
  type RawAct,
  resetConnection,
  startRawGrpc,
} from "./raw-grpc.ts";
import {
  answerWith,
  complete,
  drip,
  flood,
  type HttpAct,
  noAnswer,
  resetInBody,
  startScriptedHttp,
} from "./scripted-http.ts";

/** Marker in every secret or private text of these tests. */
export const CANARY = "canary";

/** An endpoint that is broken until it is mended. */
export interface FaultEndpoint extends AsyncDisposable {
  readonly port: number;
  /** Number of completely received requests. */
  readonly calls: number;
  /** Ends the fault. */
  mend(): Promise<void>;
}

/** Ports and callbacks that faults use. */
export interface FaultScene {
  /** A port to which connections are forbidden. */
  readonly forbiddenPort: number;
  /** Reports the bytes sent of an endless answer when its connection ends. */
  readonly onFlood: (sentBytes: number) => void;
}

/** A way to fail. */
export interface Fault<Act> {
  readonly name: string;
  /** Reason as in TaskFailureReason. */
  readonly reason: string;
  /** Whether the port is closed. */
  readonly isDown?: boolean;
  /** Whether the task is given up at once. */
  readonly isFinal?: boolean;
  /** Retry delay that the hook requests. */
  readonly retryMs?: number;
  readonly act: (scene: FaultScene) => Act;
}

/** Size of the endless answers. */
export const FLOOD_BYTES = 1_000_000_000;
/** Retry delay that a busy hook requests. */
export const BUSY_MS = 3_000;
const DRIP_MS = 1_000;
const SECRET = `${CANARY} of an answer`;

/** A gzip file that unpacks to 512 MiB, in concatenated members. */
let bomb: Buffer | undefined;
function bombBytes(): Buffer {
  const part = gzipSync(Buffer.alloc(64 * 1_048_576));
  bomb ??= Buffer.concat(Array.from({ length: 8 }, () => part));
  return bomb;
}

const goodChat: HttpAct = (socket, request) => {
  const prompt = JSON.stringify(request.json["messages"]);
  complete(`${coverOf(prompt)} ${SECRET}`)(socket, request);
};

const json = JSON.stringify;

/** The faults of a chat endpoint. */
export const HTTP_FAULTS: readonly Fault<HttpAct>[] = [
  { name: "no answer", reason: "TIMEOUT", act: () => noAnswer },
  { name: "refused", reason: "UNREACHABLE", isDown: true, act: () => noAnswer },
  { name: "reset", reason: "HOOK_ERROR", act: () => resetInBody },
  { name: "drip", reason: "TIMEOUT", act: () => drip(DRIP_MS) },
  {
    name: "flood",
    reason: "OUTPUT_TOO_LONG",
    act: ({ onFlood }) => flood(FLOOD_BYTES, onFlood),
  },
  {
    name: "busy",
    reason: "BUSY",
    retryMs: BUSY_MS,
    act: () => answerWith(429, json({ error: SECRET }), { "retry-after": `${BUSY_MS / 1_000}` }),
  },
  { name: "error", reason: "HOOK_ERROR", act: () => answerWith(500, json({ error: SECRET })) },
  {
    name: "broken form",
    reason: "INVALID_OUTPUT",
    act: () => answerWith(200, `{"choices": ["${SECRET}`),
  },
  {
    name: "wrong schema",
    reason: "INVALID_OUTPUT",
    act: () => answerWith(200, json({ choices: [{ message: { content: { text: SECRET } } }] })),
  },
  { name: "empty", reason: "EMPTY_OUTPUT", act: () => complete(" \n ") },
  {
    name: "bomb",
    reason: "INVALID_OUTPUT",
    act: () => answerWith(200, bombBytes(), { "content-encoding": "gzip" }),
  },
  {
    name: "redirect",
    reason: "REFUSED",
    isFinal: true,
    act: ({ forbiddenPort }) =>
      answerWith(307, SECRET, { location: `http://127.0.0.1:${forbiddenPort}/v1` }),
  },
];

const goodFrame: RawAct = (stream, request) => {
  const { input } = request;
  const prior = input?.replacesPrior === true ? input.priorTexts : [];
  const text = `${coverOf(...prior, input?.transcript ?? "")} ${SECRET}`;
  answerFrame(outputBytes({ text, model: "raw" }))(stream, request);
};

function busyDetails(): string {
  const info = RetryInfo.encode({
    retryDelay: { seconds: BigInt(BUSY_MS / 1_000), nanos: 0 },
  }).finish();
  const value = Buffer.from(info);
  const details = [{ typeUrl: "type.googleapis.com/google.rpc.RetryInfo", value }];
  const bytes = Status.encode({ code: 8, message: SECRET, details }).finish();
  return Buffer.from(bytes).toString("base64");
}

const half: RawAct = (stream) => {
  const bytes = outputBytes({ text: SECRET });
  beginAnswer(stream);
  stream.write(Buffer.concat([prefixOf(bytes.length), bytes.subarray(0, bytes.length / 2)]), () => {
    setTimeout(() => resetConnection(stream), 20);
  });
};

const dripFrame: RawAct = (stream) => {
  beginAnswer(stream);
  stream.write(prefixOf(4_000));
  const timer = setInterval(() => stream.write(" "), DRIP_MS);
  stream.on("close", () => clearInterval(timer));
};

function floodFrame(onClose: (sentBytes: number) => void): RawAct {
  const piece = Buffer.alloc(65_536, " ");
  return (stream) => {
    let sent = 0;
    const push = (): void => {
      while (sent < FLOOD_BYTES && !stream.destroyed) {
        sent += piece.length;
        if (!stream.write(piece)) return;
      }
    };
    beginAnswer(stream);
    stream.write(prefixOf(FLOOD_BYTES));
    stream.on("drain", push);
    stream.on("close", () => onClose(sent));
    push();
  };
}

const bombFrame: RawAct = (stream) => {
  const bytes = bombBytes();
  beginAnswer(stream, { "grpc-encoding": "gzip" });
  stream.end(Buffer.concat([prefixOf(bytes.length, true), bytes]));
};

const INTERNAL = 13;
const RESOURCE_EXHAUSTED = 8;

/** The faults of a gRPC hook. */
export const GRPC_FAULTS: readonly Fault<RawAct>[] = [
  { name: "no answer", reason: "TIMEOUT", act: () => () => {} },
  { name: "refused", reason: "UNREACHABLE", isDown: true, act: () => () => {} },
  { name: "reset", reason: "HOOK_ERROR", act: () => half },
  { name: "drip", reason: "TIMEOUT", act: () => dripFrame },
  { name: "flood", reason: "OUTPUT_TOO_LONG", act: ({ onFlood }) => floodFrame(onFlood) },
  {
    name: "busy",
    reason: "BUSY",
    retryMs: BUSY_MS,
    act: () =>
      answerStatus(RESOURCE_EXHAUSTED, {
        "grpc-message": SECRET,
        "grpc-status-details-bin": busyDetails(),
      }),
  },
  {
    name: "error",
    reason: "HOOK_ERROR",
    act: () => answerStatus(INTERNAL, { "grpc-message": SECRET }),
  },
  {
    name: "broken form",
    reason: "INVALID_OUTPUT",
    act: () => answerFrame(Buffer.from(`\u000a\u007f${SECRET}`)),
  },
  {
    // An output with more facts than fit.
    name: "wrong schema",
    reason: "INVALID_OUTPUT",
    act: () => answerFrame(outputBytes({ text: SECRET, facts: Array(65).fill(SECRET) })),
  },
  { name: "empty", reason: "EMPTY_OUTPUT", act: () => answerFrame(outputBytes({ text: " \n " })) },
  { name: "bomb", reason: "OUTPUT_TOO_LONG", act: () => bombFrame },
  {
    name: "redirect",
    reason: "HOOK_ERROR",
    act:
      ({ forbiddenPort }) =>
      (stream) =>
        stream.respond(
          { ":status": 302, location: `http://127.0.0.1:${forbiddenPort}/`, "x-said": SECRET },
          { endStream: true },
        ),
  },
];

/** Starts a chat endpoint with a fault. */
export async function startHttpFault(
  fault: Fault<HttpAct>,
  scene: FaultScene,
): Promise<FaultEndpoint> {
  const port = await reservedPort();
  let endpoint = await startScriptedHttp([fault.act(scene)], { port });
  if (fault.isDown === true) await endpoint[Symbol.asyncDispose]();
  return {
    port,
    get calls() {
      return endpoint.requests.length;
    },
    mend: async () => {
      if (fault.isDown === true) endpoint = await startScriptedHttp([goodChat], { port });
      else endpoint.script(goodChat);
    },
    [Symbol.asyncDispose]: async () => {
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

/** Starts a gRPC hook with a fault. */
export async function startGrpcFault(
  fault: Fault<RawAct>,
  scene: FaultScene,
): Promise<FaultEndpoint> {
  const endpoint = await startRawGrpc(fault.act(scene));
  if (fault.isDown === true) await endpoint.down();
  return {
    port: endpoint.port,
    get calls() {
      return endpoint.calls;
    },
    mend: async () => {
      endpoint.script(goodFrame);
      if (fault.isDown === true) await endpoint.up();
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}
