// A client for one endpoint over HTTP or HTTPS. It does not trust the endpoint: the whole exchange
// has a deadline, answers are cut off at a size while they stream in, compressed answers and
// redirects are refused, and only checked addresses are connected to.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { checkedAddresses, codeOf, hostProblem, plainHost, type Resolve } from "./address-guard.ts";
import type { Deadline } from "./deadline.ts";
import { HookFailure } from "./port.ts";

/** An endpoint. */
export interface HttpEndpoint {
  readonly url: URL;
  readonly allowPrivateAddress: boolean;
  /** Certificates in PEM; undefined means those of Node. */
  readonly ca: string | undefined;
  /** The longest body that is read. */
  readonly maxResponseBytes: number;
  readonly resolve: Resolve;
}

/** Body, headers and deadline of a request. */
export interface HttpPost {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
}

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** At most 64 KiB of the body of a failed request; empty when it was compressed. */
  readonly body: Buffer;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
const HEADER_BYTES_MAX = 16_384;
const ERROR_BODY_BYTES_MAX = 65_536;
const FREE_SOCKETS_MAX = 16;

/** A reused connection closed before the answer began. */
class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

/** A client of one endpoint. */
export class HttpClient {
  readonly #endpoint: HttpEndpoint;
  readonly #secure: boolean;
  readonly #host: string;
  readonly #agent: HttpAgent;

  constructor(endpoint: HttpEndpoint) {
    this.#endpoint = endpoint;
    this.#secure = endpoint.url.protocol === "https:";
    this.#host = plainHost(endpoint.url.hostname);
    this.#agent = new (this.#secure ? HttpsAgent : HttpAgent)({
      keepAlive: true,
      maxFreeSockets: FREE_SOCKETS_MAX,
      timeout: IDLE_TIMEOUT_MS,
    });
  }

  /**
   * Sends a POST. Returns any answer but a redirect. Throws HookFailure: `unreachable`, `timeout`,
   * `refused` for a redirect, `output-too-long`, `invalid-output` for a compressed answer,
   * `hook-error` for an answer that breaks off.
   */
  async post(post: HttpPost): Promise<HttpAnswer> {
    const problem = hostProblem(this.#destination());
    if (problem !== undefined) throw new HookFailure("unreachable", `Not connected: ${problem}.`);
    try {
      return await this.#exchange(post, this.#agent);
    } catch (error) {
      // The endpoint closed an idle connection while the request was on its way: it saw nothing.
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#exchange(post, false);
    }
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  #destination() {
    return { host: this.#host, allowPrivateAddress: this.#endpoint.allowPrivateAddress };
  }

  readonly #lookup: LookupFunction = (_, options, callback) => {
    checkedAddresses(this.#destination(), this.#endpoint.resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: Error) => callback(error, ""),
    );
  };

  #request({ body, headers }: HttpPost, agent: HttpAgent | false) {
    const { url, ca } = this.#endpoint;
    return (this.#secure ? httpsRequest : httpRequest)({
      method: "POST",
      host: this.#host,
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      agent,
      lookup: this.#lookup,
      maxHeaderSize: HEADER_BYTES_MAX,
      ...(this.#secure && isIP(this.#host) === 0 ? { servername: this.#host } : {}),
      ...(this.#secure && ca !== undefined ? { ca } : {}),
      headers: {
        ...headers,
        host: url.host,
        "accept-encoding": "identity",
        "content-length": String(body.length),
      },
    });
  }

  async #exchange(post: HttpPost, agent: HttpAgent | false): Promise<HttpAnswer> {
    const { deadline, body } = post;
    if (deadline.failure !== undefined) throw deadline.failure;
    const request = this.#request(post, agent);
    const answering = Promise.withResolvers<IncomingMessage>();
    const failing = Promise.withResolvers<never>();
    let connectTimer: NodeJS.Timeout | undefined;
    const seen = { connected: false, answering: false, read: false };
    request.on("error", failing.reject);
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      failing.reject(new HookFailure("refused", "The endpoint upgrades."));
    });
    request.on("response", (response) => {
      seen.answering = true;
      answering.resolve(response);
    });
    request.on("socket", (socket) => {
      const onConnect = (): void => {
        seen.connected = true;
        clearTimeout(connectTimer);
      };
      if (!socket.connecting) return onConnect();
      socket.once(this.#secure ? "secureConnect" : "connect", onConnect);
      const failure = new HookFailure("unreachable", "The endpoint refuses connections.");
      connectTimer = setTimeout(() => failing.reject(failure), CONNECT_TIMEOUT_MS);
    });
    const undo = deadline.onEnd(failing.reject);
    request.end(body);
    const read = async (): Promise<HttpAnswer> => {
      const { isWhole, ...answer } = await readAnswer(
        await answering.promise,
        this.#endpoint.maxResponseBytes,
      );
      seen.read = isWhole;
      return answer;
    };
    try {
      return await Promise.race([read(), failing.promise]);
    } catch (error) {
      if (error instanceof HookFailure) throw error;
      if (request.reusedSocket && !seen.answering) throw new StaleConnection();
      throw seen.connected
        ? new HookFailure("hook-error", `The response broke off (${codeOf(error)}).`)
        : new HookFailure("unreachable", `The endpoint is unreachable (${codeOf(error)}).`);
    } finally {
      undo();
      clearTimeout(connectTimer);
      if (!seen.read) request.destroy();
    }
  }
}

/** Reads an answer; `isWhole` when its connection can be used again. */
async function readAnswer(
  response: IncomingMessage,
  bytesMax: number,
): Promise<HttpAnswer & { readonly isWhole: boolean }> {
  const { headers, statusCode: status = 0 } = response;
  // The connection may break after the last piece was read.
  response.on("error", () => {});
  const isGood = status >= 200 && status < 300;
  if (status >= 300 && status < 400) {
    throw new HookFailure("refused", "The endpoint redirects; redirects are not followed.");
  }
  const pieces: Buffer[] = [];
  const answer = (isWhole: boolean) => ({ status, headers, body: Buffer.concat(pieces), isWhole });
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    if (isGood) throw new HookFailure("invalid-output", "The response is compressed.");
    return answer(false);
  }
  const max = isGood ? bytesMax : Math.min(bytesMax, ERROR_BODY_BYTES_MAX);
  const cut = () => {
    if (!isGood) return answer(false);
    throw new HookFailure("output-too-long", `The response is longer than ${max} bytes.`);
  };
  if (Number(headers["content-length"] ?? 0) > max) return cut();
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > max) return cut();
    pieces.push(piece);
  }
  if (!response.complete) throw new Error("broken off");
  return answer(true);
}

const SECONDS = /^\d{1,9}$/;
// Dates in the HTTP format: Date.parse alone would accept almost anything.
const DATE = /^[A-Z][a-z]{2,8},? .+ GMT$/;

/**
 * Parses the header Retry-After: seconds or a date. Returns 0 to `maxMs` milliseconds, or undefined
 * when the header is missing or invalid.
 */
export function retryAfterMs(
  header: string | undefined,
  nowMs: number,
  maxMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (!SECONDS.test(text) && !DATE.test(text)) return undefined;
  const ms = SECONDS.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxMs) : undefined;
}
