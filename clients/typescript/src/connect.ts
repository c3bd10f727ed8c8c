// Entry point of programs.

import { MemorySidecar } from "./client.ts";
import type { ConnectOptions } from "./options.ts";

/**
 * Makes a client for the server at an address: `host:port`, `unix:/path` or a path.
 *
 * The connection itself is made by the first call. Throws a TypeError for an address of another
 * form and a RangeError for a timeout that is not above 0.
 */
export function connect(address: string, settings: ConnectOptions = {}): MemorySidecar {
  return new MemorySidecar(address, settings);
}
