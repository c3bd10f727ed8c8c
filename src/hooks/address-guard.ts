// Where a hook may connect to. A name is resolved here, its addresses are checked, and exactly
// these are connected to: an answer of the DNS that changes afterwards changes nothing.
//
// What the operator wrote as an IP address, or as `localhost`, is meant. A host name that leads to
// an address that is not public may be a trick, and needs allow_private_address. Metadata services
// of clouds hand out keys, so they need it however they are written.

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { HookFailure } from "../service/hook-port.ts";
import { addressKind } from "./ip.ts";

/** Where a hook is to connect to. */
export interface Destination {
  /** A host as plainHost gives it. */
  readonly host: string;
  readonly allowPrivateAddress: boolean;
}

/** An address to connect to. */
export interface ResolvedAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Gives the addresses of a host name, the best first. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Asks the system. */
export const SYSTEM_RESOLVE: Resolve = (host) => lookup(host, { all: true });

const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

const LOCALHOST = "localhost";

/** A host without the brackets of IPv6 and the dots at its end, in lower case. */
export function plainHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/s, "$1")
    .replace(/\.+$/, "")
    .toLowerCase();
}

/** Says why a host must not be asked for at all; undefined when it may. */
export function hostProblem(destination: Destination): string | undefined {
  const { host, allowPrivateAddress } = destination;
  if (host === "") return "the host is empty";
  if (METADATA_NAMES.has(host) && !allowPrivateAddress) {
    return "the host is a metadata service: set allow_private_address to allow it";
  }
  return isIP(host) === 0 ? undefined : addressProblem(destination, host);
}

/** Says why an address of a host must not be connected to; undefined when it may. */
function addressProblem(destination: Destination, address: string): string | undefined {
  const { host, allowPrivateAddress } = destination;
  if (allowPrivateAddress) return undefined;
  const kind = addressKind(address);
  if (kind === "public") return undefined;
  if (kind === "metadata") {
    return "the address is a metadata service: set allow_private_address to allow it";
  }
  if (host === LOCALHOST && kind === "loopback") return undefined;
  // Only an address that the operator wrote is compared with itself.
  if (isIP(host) !== 0 && host === plainHost(address)) return undefined;
  return `the host has an address that is not public (${kind}): set allow_private_address`;
}

/**
 * Gives the addresses of a host that may be connected to, all of them checked. Throws HookFailure
 * `unreachable` when there is none: the task waits, and goes on when the operator has mended it.
 */
export async function checkedAddresses(
  destination: Destination,
  resolve: Resolve,
): Promise<readonly ResolvedAddress[]> {
  const { host } = destination;
  const problem = hostProblem(destination);
  if (problem !== undefined) throw new HookFailure("unreachable", `Not connected: ${problem}.`);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const found = await resolve(host).catch((error: NodeJS.ErrnoException) => {
    throw new HookFailure("unreachable", `The host name has no address (${codeOf(error)}).`);
  });
  const judged = found.map((one) => ({ one, problem: addressProblem(destination, one.address) }));
  const good = judged.filter((entry) => entry.problem === undefined).map(({ one }) => one);
  if (good.length > 0) return good;
  const why = judged[0]?.problem ?? "the host name has no address";
  throw new HookFailure("unreachable", `Not connected: ${why}.`);
}

/** The short name of a failure of the system, which holds nothing that anybody said. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "no code";
}
