// Entry point of programs.

import { onlyFields, onlyOptions } from "./choice.ts";
import { MemorySidecar } from "./client.ts";
import { CONNECT_OPTIONS, type ConnectOptions } from "./options.ts";
import { DEFAULT_RETRY } from "./retry.ts";

const TLS_FIELDS = { ca: true, key: true, cert: true, serverName: true } as const;

/**
 * Makes a client for the server at an address: `host:port`, `unix:/path` or a path.
 *
 * The connection itself is made by the first call. Throws a TypeError for an address of another
 * form and a RangeError for a timeout that is not above 0.
 */
export function connect(address: string, settings: ConnectOptions = {}): MemorySidecar {
  onlyOptions("connect", settings, CONNECT_OPTIONS);
  const { retry, tls } = settings;
  if (retry !== undefined) onlyFields("retry option", retry, DEFAULT_RETRY);
  if (typeof tls === "object") onlyFields("tls option", tls, TLS_FIELDS);
  return new MemorySidecar(address, settings);
}
