// A small client for one endpoint over HTTP or HTTPS. It trusts the endpoint with nothing: the
// whole exchange has a deadline, answers are cut off at a size while they stream in, compressed
// ones and redirects are refused, and only addresses that were checked are connected to.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { HookFailure } from "../service/hook-port.ts";
import { checkedAddresses, codeOf, hostProblem, plainHost, type Resolve } from "./address-guard.ts";
import type { Deadline } from "./deadline.ts";

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

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** Of a failed request what fits into 64 KiB; empty when it was compressed. */
  readonly body: Buffer;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
const HEADER_BYTES_MAX = 16_384;
const ERROR_BODY_BYTES_MAX = 65_536;
const FREE_SOCKETS_MAX = 16;

/** What one request needs. */
export interface HttpPost {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
}

/** A client of one endpoint. */
export class HttpClient {
  private readonly endpoint: HttpEndpoint;
  private readonly secure: boolean;
  private readonly host: string;
  private readonly agent: HttpAgent;

  constructor(endpoint: HttpEndpoint) {
    this.endpoint = endpoint;
    this.secure = endpoint.url.protocol === "https:";
    this.host = plainHost(endpoint.url.hostname);
    const options = {
      keepAlive: true,
      maxFreeSockets: FREE_SOCKETS_MAX,
      timeout: IDLE_TIMEOUT_MS,
    };
    const ca = endpoint.ca === undefined ? {} : { ca: endpoint.ca };
    this.agent = this.secure ? new HttpsAgent({ ...options, ...ca }) : new HttpAgent(options);
  }

  /**
   * Sends a POST. Gives any answer but a redirect. Throws HookFailure: `unreachable`, `timeout`,
   * `refused` for a redirect, `output-too-long`, `invalid-output` for a compressed answer,
   * `hook-error` for an answer that breaks off.
   */
  async post(post: HttpPost): Promise<HttpAnswer> {
    const problem = hostProblem(this.destination());
    if (problem !== undefined) throw new HookFailure("unreachable", `Not connected: ${problem}.`);
    try {
      return await this.exchange(post);
    } catch (error) {
      // The endpoint closed an idle connection while the request was on its way: it saw nothing.
      if (!(error instanceof StaleConnection)) throw error;
      return await this.exchange(post, { fresh: true });
    }
  }

  /** Closes the connections. */
  close(): void {
    this.agent.destroy();
  }

  private destination() {
    return { host: this.host, allowPrivateAddress: this.endpoint.allowPrivateAddress };
  }

  private readonly lookup: LookupFunction = (_, options, callback) => {
    checkedAddresses(this.destination(), this.endpoint.resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: Error) => callback(error, ""),
    );
  };

  private exchange(post: HttpPost, options: { fresh?: boolean } = {}): Promise<HttpAnswer> {
    const { url } = this.endpoint;
    const request = (this.secure ? httpsRequest : httpRequest)({
      method: "POST",
      host: this.host,
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      agent: options.fresh === true ? false : this.agent,
      lookup: this.lookup,
      maxHeaderSize: HEADER_BYTES_MAX,
      ...(this.secure ? this.tls() : {}),
      headers: {
        ...post.headers,
        host: url.host,
        "accept-encoding": "identity",
        "content-length": String(post.body.length),
      },
    });
    return new Exchange(request, post, this.endpoint.maxResponseBytes).answer;
  }

  private tls() {
    const name = isIP(this.host) === 0 ? { servername: this.host } : {};
    return this.endpoint.ca === undefined ? name : { ...name, ca: this.endpoint.ca };
  }
}

/** A kept connection was gone before the answer began. */
class StaleConnection extends Error {
  override readonly name = "StaleConnection";
}

type ClientRequest = ReturnType<typeof httpRequest>;

/** One request and its answer. */
class Exchange {
  readonly answer: Promise<HttpAnswer>;
  private readonly request: ClientRequest;
  private readonly bytesMax: number;
  private readonly resolve: (answer: HttpAnswer) => void;
  private readonly reject: (error: Error) => void;
  private undo: () => void = () => {};
  private connectTimer: NodeJS.Timeout | undefined;
  private connected = false;
  private answering = false;
  private settled = false;

  constructor(request: ClientRequest, post: HttpPost, bytesMax: number) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    this.answer = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.request = request;
    this.bytesMax = bytesMax;
    request.on("socket", (socket) => this.onSocket(socket));
    request.on("response", (response) => this.onResponse(response));
    request.on("upgrade", () => this.fail(new HookFailure("refused", "The endpoint upgrades.")));
    request.on("error", (error) => this.onError(error));
    // An answer that ends with its connection is closed before it is read to its end.
    request.on("close", () => {
      if (!this.answering) this.onError(new Error("closed"));
    });
    this.undo = post.deadline.onEnd((failure) => this.fail(failure));
    if (!this.settled) request.end(post.body);
  }

  private onSocket(socket: Socket): void {
    if (!socket.connecting) {
      this.connected = true;
      return;
    }
    this.connectTimer = setTimeout(
      () => this.fail(new HookFailure("unreachable", "The endpoint does not take connections.")),
      CONNECT_TIMEOUT_MS,
    );
    const event = "encrypted" in socket ? "secureConnect" : "connect";
    socket.once(event, () => {
      this.connected = true;
      clearTimeout(this.connectTimer);
    });
  }

  private onResponse(response: IncomingMessage): void {
    this.answering = true;
    const status = response.statusCode ?? 0;
    const good = status >= 200 && status < 300;
    response.on("error", (error) => this.onError(error));
    response.on("close", () => this.onError(new Error("closed")));
    if (status >= 300 && status < 400) {
      this.fail(new HookFailure("refused", "The endpoint redirects, which is not followed."));
      return;
    }
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      if (good) this.fail(new HookFailure("invalid-output", "The answer is compressed."));
      else this.finish({ status, headers: response.headers, body: Buffer.alloc(0) }, true);
      return;
    }
    this.readBody(response, { status, good });
  }

  private readBody(response: IncomingMessage, kind: { status: number; good: boolean }): void {
    const max = kind.good ? this.bytesMax : Math.min(this.bytesMax, ERROR_BODY_BYTES_MAX);
    const pieces: Buffer[] = [];
    let bytes = 0;
    const answer = () => ({
      status: kind.status,
      headers: response.headers,
      body: Buffer.concat(pieces),
    });
    const tooLong = (): void => {
      if (!kind.good) this.finish(answer(), true);
      else this.fail(new HookFailure("output-too-long", `The answer is longer than ${max} bytes.`));
    };
    if (Number(response.headers["content-length"] ?? 0) > max) {
      tooLong();
      return;
    }
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > max) tooLong();
      else pieces.push(piece);
    });
    response.on("end", () => {
      if (response.complete) this.finish(answer(), false);
      else this.onError(new Error("broken off"));
    });
  }

  private onError(error: Error): void {
    if (error instanceof HookFailure) this.fail(error);
    else if (this.request.reusedSocket && !this.answering) this.fail(new StaleConnection());
    else if (!this.connected) {
      this.fail(new HookFailure("unreachable", `The endpoint is not reached (${codeOf(error)}).`));
    } else {
      this.fail(new HookFailure("hook-error", `The answer is broken off (${codeOf(error)}).`));
    }
  }

  private fail(error: Error): void {
    if (this.settled) return;
    this.settle();
    this.request.destroy();
    this.reject(error);
  }

  private finish(answer: HttpAnswer, destroy: boolean): void {
    if (this.settled) return;
    this.settle();
    if (destroy) this.request.destroy();
    this.resolve(answer);
  }

  private settle(): void {
    this.settled = true;
    clearTimeout(this.connectTimer);
    this.undo();
  }
}
