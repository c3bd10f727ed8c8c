// Connection of a client: address, credentials, channel, and the generated clients on it.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type ChannelCredentials,
  type ClientOptions,
  credentials,
  InterceptingCall,
  type Interceptor,
} from "@grpc/grpc-js";
import { AdminServiceClient } from "./gen/memorysidecar/v1/admin_service.ts";
import { EventServiceClient } from "./gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceClient } from "./gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceClient } from "./gen/memorysidecar/v1/recall_service.ts";
import { RecordServiceClient } from "./gen/memorysidecar/v1/record_service.ts";
import { SessionServiceClient } from "./gen/memorysidecar/v1/session_service.ts";
import { TaskServiceClient } from "./gen/memorysidecar/v1/task_service.ts";

/** Certificates, as PEM bytes or as the path of a PEM file. */
export interface TlsOptions {
  /** The authorities to trust. Default: those of the system. */
  readonly ca?: Buffer | string;
  /** The client's own key, for a server that asks for it. Needs `cert`. */
  readonly key?: Buffer | string;
  /** The client's own certificate chain. Needs `key`. */
  readonly cert?: Buffer | string;
  /** The name in the server's certificate, if it is not that of the address. */
  readonly serverName?: string;
}

/** Settings of a channel. */
export interface ChannelSettings {
  /** Sent with every call as `authorization: Bearer TOKEN`. Default: none. */
  readonly token?: string | undefined;
  /**
   * Encrypts the connection. Default: no TLS, and a `token` for another host is refused. `false`
   * sends it unencrypted, for networks that you trust.
   */
  readonly tls?: boolean | TlsOptions | undefined;
}

/** The generated clients, all on one connection, with the client's token but without retries. */
export interface RawClients {
  readonly sessions: SessionServiceClient;
  readonly events: EventServiceClient;
  readonly tasks: TaskServiceClient;
  readonly recalls: RecallServiceClient;
  readonly memories: MemoryServiceClient;
  readonly records: RecordServiceClient;
  readonly admin: AdminServiceClient;
}

const CHANNEL_OPTIONS: ClientOptions = {
  // A sidecar is local: a proxy from the environment would only get in the way.
  "grpc.enable_http_proxy": 0,
  // A restarted server is found again at once; grpc's own wait would be up to two minutes.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  // Half-open connections are noticed, also while only a watch is open.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  "grpc.enable_channelz": 0,
};

/** Targets on this host. */
const LOCAL = /^(unix:|localhost:|127(\.\d{1,3}){3}:|\[::1\]:)/;

/**
 * Turns an address into the target of a channel: `host:port`, `unix:/path` or a path.
 *
 * Throws a TypeError for anything else.
 */
export function toTarget(address: string): string {
  if (address.startsWith("unix:")) return `unix:${resolve(address.slice("unix:".length))}`;
  if (/^\.{0,2}\//.test(address)) return `unix:${resolve(address)}`;
  if (/^(\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):\d{1,5}$/.test(address)) return address;
  throw new TypeError(`the address must be host:port, unix:/path or a path, not "${address}"`);
}

function pem(value: Buffer | string | undefined): Buffer | null {
  if (value === undefined) return null;
  return typeof value === "string" ? readFileSync(value) : value;
}

function toCredentials(tls: boolean | TlsOptions | undefined): ChannelCredentials {
  if (tls === undefined || tls === false) return credentials.createInsecure();
  if (tls === true) return credentials.createSsl();
  return credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert));
}

/** Adds the token to every call. */
function withToken(token: string): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, listener, next) => {
        metadata.set("authorization", `Bearer ${token}`);
        next(metadata, listener);
      },
    });
}

/** Opens the generated clients; the connection itself is made by the first call. */
export function openChannel(address: string, settings: ChannelSettings): RawClients {
  const { token, tls } = settings;
  const target = toTarget(address);
  if (token !== undefined && tls === undefined && !LOCAL.test(target)) {
    throw new TypeError(
      `the token would travel unencrypted to ${address}: pass tls: true, or tls: false if you` +
        " trust the network",
    );
  }
  const serverName = typeof tls === "object" ? tls.serverName : undefined;
  const options: ClientOptions = {
    ...CHANNEL_OPTIONS,
    ...(serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName }),
    ...(token === undefined ? {} : { interceptors: [withToken(token)] }),
  };
  const creds = toCredentials(tls);
  const sessions = new SessionServiceClient(target, creds, options);
  const shared = { ...options, channelOverride: sessions.getChannel() };
  return {
    sessions,
    events: new EventServiceClient(target, creds, shared),
    tasks: new TaskServiceClient(target, creds, shared),
    recalls: new RecallServiceClient(target, creds, shared),
    memories: new MemoryServiceClient(target, creds, shared),
    records: new RecordServiceClient(target, creds, shared),
    admin: new AdminServiceClient(target, creds, shared),
  };
}
