// Meaning of the status codes of a gRPC hook, as hook_handler_service.proto lists them. The status
// message is not repeated: it is the hook's text.

import {
  type CallOptions,
  type ChannelOptions,
  Client,
  status as Code,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { RetryInfo } from "../gen/google/rpc/error_details.ts";
import { Status } from "../gen/google/rpc/status.ts";
import {
  HookServiceService,
  SummarizeResponse,
} from "../gen/memorysidecar/hook/v1/hook_service.ts";
import { spliceField } from "../grpc/splice.ts";
import { fromDuration } from "../grpc/time.ts";
import type { TaskFailureReason } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SummaryOutput } from "../summary/rules/summary.ts";
import { checkedAddresses, type Resolve, type ResolvedAddress } from "./address-guard.ts";
import type { GrpcConfig } from "./config-types.ts";
import { callSemaphore, Deadline } from "./deadline.ts";
import { hostPort } from "./endpoint.ts";
import { type ClosableHook, modelOf } from "./openai.ts";
import {
  type AskWork,
  type DirectCall,
  type DirectWork,
  type Hook,
  type HookCall,
  HookFailure,
} from "./port.ts";
import type { SecretFile } from "./secret-file.ts";
import { embedderOf, encodeSummarizeInput, fromSummarizeOutput, workRow } from "./works.ts";

const REASONS: ReadonlyMap<Code, TaskFailureReason> = new Map([
  [Code.RESOURCE_EXHAUSTED, "busy"],
  [Code.UNAVAILABLE, "busy"],
  [Code.DEADLINE_EXCEEDED, "timeout"],
  [Code.INVALID_ARGUMENT, "refused"],
  [Code.PERMISSION_DENIED, "refused"],
  [Code.UNAUTHENTICATED, "refused"],
  [Code.UNIMPLEMENTED, "refused"],
  [Code.FAILED_PRECONDITION, "refused"],
]);

// The library reports an overlong answer or a lost connection as a status too. Only the message
// distinguishes these from a status that the hook sends.
const TOO_LONG = /^Received message (larger than max|that decompresses to a size larger than)/;
const BROKEN = /^Connection dropped|RST_STREAM|ECONNRESET|EPIPE|GOAWAY|^Call ended without/;

const RETRY_INFO = /(^|\/)google\.rpc\.RetryInfo$/;

/** The retry delay that a hook asks for, if any. */
function retryDelayMs(error: ServiceError): number | undefined {
  const [binary] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(binary)) return undefined;
  try {
    const detail = Status.decode(binary).details.find((any) => RETRY_INFO.test(any.typeUrl));
    const delay = detail === undefined ? undefined : RetryInfo.decode(detail.value).retryDelay;
    if (delay === undefined) return undefined;
    return Math.min(Math.max(fromDuration(delay), 0), LIMITS.retryDelayMsMax);
  } catch {
    // Unreadable details are ignored.
    return undefined;
  }
}

/** Converts a status to a failure. */
export function grpcFailure(error: ServiceError): HookFailure {
  const { code, details } = error;
  if (code === Code.RESOURCE_EXHAUSTED && TOO_LONG.test(details)) {
    return new HookFailure(
      "output-too-long",
      "The response is longer than max_response_bytes of the hook.",
    );
  }
  if (code === Code.UNAVAILABLE && BROKEN.test(details)) {
    return new HookFailure("hook-error", "The connection broke before the response was complete.");
  }
  const message = `The hook answered with the status ${Code[code] ?? "UNKNOWN"}.`;
  return new HookFailure(REASONS.get(code) ?? "hook-error", message, retryDelayMs(error));
}

// Connections to a gRPC hook. The library would resolve names itself. Instead, a name is resolved
// and checked first, and the channel is created for the addresses that passed.

/** Dependencies of the connections to a hook. */
export interface ChannelParts {
  readonly resolve: Resolve;
  readonly nowMs: () => number;
  /** Certificates in PEM; undefined means those of Node. */
  readonly ca: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16_384;

// Servers end connections that are pinged more often than every five minutes. A dead connection
// costs one call its deadline and is then dropped, as it is after a minute without calls.
const KEEPALIVE_MS = 310_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

function channelOptions(config: GrpcConfig): ChannelOptions {
  const { target } = config;
  const names =
    target.kind === "unix"
      ? { "grpc.default_authority": "localhost" }
      : {
          "grpc.default_authority": hostPort(target.host, target.port),
          ...(config.tls ? { "grpc.ssl_target_name_override": target.host } : {}),
        };
  return {
    ...names,
    "grpc.max_receive_message_length": config.maxResponseBytes,
    "grpc.max_send_message_length": -1,
    "grpc.max_metadata_size": HEADER_BYTES_MAX,
    "grpc.keepalive_time_ms": KEEPALIVE_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.client_idle_timeout_ms": IDLE_MS,
    // The server retries tasks itself and counts the attempts. Proxies of the environment are not
    // used: they must not see the content.
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.use_local_subchannel_pool": 1,
  };
}

/** Targets for the library, one for each address family, best first. */
function dialTexts(addresses: readonly ResolvedAddress[], port: number): string[] {
  const families = [...new Set(addresses.map(({ family }) => family))];
  return families.map((family) => {
    const own = addresses.filter((entry) => entry.family === family);
    return `ipv${family}:${own.map(({ address }) => hostPort(address, port)).join(",")}`;
  });
}

/** The connections of one hook. */
export class GrpcChannel {
  readonly #config: GrpcConfig;
  readonly #parts: ChannelParts;
  #current: { readonly dialed: string; readonly client: Client } | undefined;
  #closed = false;

  constructor(config: GrpcConfig, parts: ChannelParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /**
   * Returns a connected client. Throws HookFailure `unreachable` when there is no connection, or
   * the failure of the deadline.
   */
  async connected(deadline: Deadline): Promise<Client> {
    const texts = await deadline.race(this.#dialTexts());
    for (const text of texts) {
      if (this.#closed) break;
      const client = this.#clientFor(text);
      if (await deadline.race(this.#isReady(client))) return client;
      this.drop(client);
    }
    throw new HookFailure("unreachable", "The hook refuses connections.");
  }

  /** Drops a connection: the next call makes a new one. Calls in progress continue. */
  drop(client: Client): void {
    if (this.#current?.client === client) this.#current = undefined;
    client.close();
  }

  /** Ends the connections. */
  close(): void {
    this.#closed = true;
    this.#current?.client.close();
    this.#current = undefined;
  }

  async #dialTexts(): Promise<readonly string[]> {
    const { target, allowPrivateAddress } = this.#config;
    if (target.kind === "unix") return [`unix:${target.path}`];
    const destination = { host: target.host, allowPrivateAddress };
    const addresses = await checkedAddresses(destination, this.#parts.resolve);
    const texts = dialTexts(addresses, target.port);
    // While the name still resolves to it, the open connection is as good as a new one.
    const standing = texts.find((text) => text === this.#current?.dialed);
    return standing === undefined ? texts : [standing, ...texts.filter((t) => t !== standing)];
  }

  #clientFor(dialed: string): Client {
    if (this.#current?.dialed === dialed) return this.#current.client;
    this.#current?.client.close();
    const { ca } = this.#parts;
    const roots = ca === undefined ? null : Buffer.from(ca);
    const security = this.#config.tls ? credentials.createSsl(roots) : credentials.createInsecure();
    const client = new Client(dialed, security, channelOptions(this.#config));
    this.#current = { dialed, client };
    return client;
  }

  /** Waits until a client is connected; false when it cannot be. */
  #isReady(client: Client): Promise<boolean> {
    const channel = client.getChannel();
    const until = this.#parts.nowMs() + CONNECT_TIMEOUT_MS;
    return new Promise((resolve) => {
      const look = (error?: Error): void => {
        try {
          const state = channel.getConnectivityState(true);
          if (state === connectivityState.READY) resolve(true);
          else if (error !== undefined || state === connectivityState.TRANSIENT_FAILURE) {
            resolve(false);
          } else channel.watchConnectivityState(state, until, look);
        } catch {
          // The channel was closed meanwhile.
          resolve(false);
        }
      };
      look();
    });
  }
}

// Hooks of the kind `grpc`: external servers that implement HookService.

/** Dependencies of a gRPC hook. */
export interface GrpcParts extends ChannelParts {
  /** Undefined when the hook needs no token. */
  readonly token: SecretFile | undefined;
}

// The field of SummarizeRequest that is spliced in.
const INPUT_FIELD = 3;
const NOTHING = new Uint8Array(0);

/** The wire form of a request: its names, and the input behind them. */
function requestBytes(head: Uint8Array, field: number, input: Uint8Array): Buffer {
  return Buffer.concat([head, spliceField(field, [input], NOTHING)]);
}

function readAnswer(bytes: Buffer): SummaryOutput {
  const unreadable = "The answer is not a SummarizeResponse.";
  const { output } = decoded(SummarizeResponse.decode, bytes, unreadable);
  if (output === undefined) throw new HookFailure("invalid-output", "The answer holds no output.");
  if (output.text.trim() === "") throw new HookFailure("empty-output", "The text is empty.");
  return fromSummarizeOutput(output);
}

function metadataOf(call: HookCall | DirectCall, token: SecretFile | undefined): Metadata {
  const metadata = new Metadata();
  if ("taskId" in call) {
    metadata.set("memory-sidecar-task-id", call.taskId);
    metadata.set("memory-sidecar-attempt", String(call.attempt));
  }
  metadata.set("memory-sidecar-namespace", call.namespace);
  if (token !== undefined) metadata.set("authorization", `Bearer ${token.current()}`);
  return metadata;
}

/** One unary call with bytes in and out. Throws the failure of the deadline or a ServiceError. */
function invoke(
  client: Client,
  request: {
    readonly path: string;
    readonly bytes: Buffer;
    readonly metadata: Metadata;
    readonly options: CallOptions;
  },
  deadline: Deadline,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let undo = (): void => {};
    const running = client.makeUnaryRequest(
      request.path,
      (value: Buffer) => value,
      (value: Buffer) => value,
      request.bytes,
      request.metadata,
      request.options,
      (error: ServiceError | null, value?: Buffer) => {
        undo();
        if (error !== null) reject(error);
        else resolve(value ?? Buffer.alloc(0));
      },
    );
    undo = deadline.onEnd((failure) => {
      running.cancel();
      reject(failure);
    });
  });
}

function decoded<T>(decode: (bytes: Buffer) => T, bytes: Buffer, unreadable: string): T {
  try {
    return decode(bytes);
  } catch {
    throw new HookFailure("invalid-output", unreadable);
  }
}

type Ask = (call: HookCall | DirectCall, path: string, bytes: Buffer) => Promise<Buffer>;

/** Makes a hook of the kind `grpc` for its work. */
export function createGrpcHook(config: GrpcConfig, parts: GrpcParts): ClosableHook {
  const channel = new GrpcChannel(config, parts);
  const { timeoutMs, concurrency } = config.settings;
  const turns = callSemaphore(concurrency);

  const send = async (
    call: HookCall | DirectCall,
    deadline: Deadline,
    message: { readonly path: string; readonly bytes: Buffer },
  ): Promise<Buffer> => {
    // The hook sees its timeout in the request; the deadline ends the call.
    const options = { deadline: new Date(parts.nowMs() + timeoutMs) };
    const client = await channel.connected(deadline);
    const request = { ...message, metadata: metadataOf(call, parts.token), options };
    try {
      return await invoke(client, request, deadline);
    } catch (error) {
      const failure = error instanceof HookFailure ? error : grpcFailure(error as ServiceError);
      // A connection that does not answer may be dead.
      if (failure.reason === "timeout") channel.drop(client);
      throw failure;
    }
  };

  const ask: Ask = async (call, path, bytes) => {
    using deadline = new Deadline(timeoutMs, call.signal);
    const message = { path, bytes };
    // Tasks are counted where they are taken.
    if ("taskId" in call) return await send(call, deadline, message);
    return await turns.run(deadline.signal, () => send(call, deadline, message));
  };

  return {
    name: config.name,
    kind: "grpc",
    settings: config.settings,
    ...workOf(config, ask),
    close: async () => channel.close(),
  };
}

function workOf(config: GrpcConfig, ask: Ask): Partial<Hook> {
  const { does, embed } = config;
  if (does === "summarize") {
    return {
      summarize: async (call, input) => {
        const { path, requestSerialize } = HookServiceService.summarize;
        const { namespace, sessionId } = call;
        const head = requestSerialize({ namespace, sessionId, input: undefined });
        const bytes = requestBytes(head, INPUT_FIELD, encodeSummarizeInput(input));
        return readAnswer(await ask(call, path, bytes));
      },
    };
  }
  if (embed === undefined) return { [does]: asker(does, ask) };
  return { embedder: embedderOf(asker("embed", ask), modelOf(config.name, embed)) };
}

/** Calls the server for work that a caller waits for. */
function asker<W extends DirectWork>(does: W, ask: Ask): AskWork<W> {
  const { grpc, encode, decode, check } = workRow(does);
  return async (call, input) => {
    const { namespace, sessionId = "" } = call;
    const head = grpc.requestSerialize({ namespace, sessionId, input: undefined });
    const request = requestBytes(head, grpc.inputField, encode(input));
    const bytes = await ask(call, grpc.path, request);
    const { output } = decoded(grpc.responseDeserialize, bytes, grpc.unreadable);
    return check(decode(output), input);
  };
}
