// Connections to a gRPC hook. The library would resolve names by itself: here a name is resolved
// and checked first, and the channel is made for the addresses that were found good.

import { type ChannelOptions, Client, connectivityState, credentials } from "@grpc/grpc-js";
import { HookFailure } from "../service/hook-port.ts";
import { checkedAddresses, type Resolve, type ResolvedAddress } from "./address-guard.ts";
import type { GrpcConfig } from "./config-types.ts";
import type { Deadline } from "./deadline.ts";
import { hostPort } from "./endpoint.ts";

/** What connections need. */
export interface ChannelParts {
  readonly resolve: Resolve;
  readonly nowMs: () => number;
  /** Certificates in PEM; undefined means those of Node. */
  readonly ca: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16_384;

// Servers end connections that are pinged more often than every five minutes. A dead connection
// costs one call its deadline; it is given up then, and after a minute without calls.
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
    // Tasks are tried again by the server, which counts attempts; and no proxy of the environment
    // gets to see them.
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.use_local_subchannel_pool": 1,
  };
}

/** The texts that the library connects to, one for each family of addresses, the best first. */
function dialTexts(addresses: readonly ResolvedAddress[], port: number): string[] {
  const families = [...new Set(addresses.map(({ family }) => family))];
  return families.map((family) => {
    const own = addresses.filter((entry) => entry.family === family);
    return `ipv${family}:${own.map(({ address }) => hostPort(address, port)).join(",")}`;
  });
}

/** The connections of one hook. */
export class GrpcChannel {
  private readonly config: GrpcConfig;
  private readonly parts: ChannelParts;
  private current: { readonly dialed: string; readonly client: Client } | undefined;
  private closed = false;

  constructor(config: GrpcConfig, parts: ChannelParts) {
    this.config = config;
    this.parts = parts;
  }

  /**
   * Gives a client that is connected. Throws HookFailure `unreachable` when there is no
   * connection, and that of the deadline.
   */
  async connected(deadline: Deadline): Promise<Client> {
    const texts = await deadline.race(this.dialTexts());
    for (const text of texts) {
      if (this.closed) break;
      const client = this.clientFor(text);
      if (await deadline.race(this.isReady(client))) return client;
      this.drop(client);
    }
    throw new HookFailure("unreachable", "The hook does not take connections.");
  }

  /** Gives a connection up, so that the next call makes a new one. Calls on it go on. */
  drop(client: Client): void {
    if (this.current?.client === client) this.current = undefined;
    client.close();
  }

  /** Ends the connections. */
  close(): void {
    this.closed = true;
    this.current?.client.close();
    this.current = undefined;
  }

  private async dialTexts(): Promise<readonly string[]> {
    const { target, allowPrivateAddress } = this.config;
    if (target.kind === "unix") return [`unix:${target.path}`];
    const destination = { host: target.host, allowPrivateAddress };
    const addresses = await checkedAddresses(destination, this.parts.resolve);
    const texts = dialTexts(addresses, target.port);
    // While the name still leads there, the connection that stands is as good as a new one.
    const standing = texts.find((text) => text === this.current?.dialed);
    return standing === undefined ? texts : [standing, ...texts.filter((t) => t !== standing)];
  }

  private clientFor(dialed: string): Client {
    if (this.current?.dialed === dialed) return this.current.client;
    this.current?.client.close();
    const { ca } = this.parts;
    const roots = ca === undefined ? null : Buffer.from(ca);
    const security = this.config.tls ? credentials.createSsl(roots) : credentials.createInsecure();
    const client = new Client(dialed, security, channelOptions(this.config));
    this.current = { dialed, client };
    return client;
  }

  /** Waits until a client is connected; false when it cannot be. */
  private isReady(client: Client): Promise<boolean> {
    const channel = client.getChannel();
    const until = this.parts.nowMs() + CONNECT_TIMEOUT_MS;
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
