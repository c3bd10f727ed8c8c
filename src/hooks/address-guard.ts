// Addresses that hooks may connect to, and the classification of IP addresses.

import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { HookFailure } from "./port.ts";

/** Address ranges that are not public. An address is of the first kind that holds it. */
const RANGES = {
  // Cloud metadata services hand out keys. Other ranges contain their addresses as well.
  metadata: [
    "169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 100.100.100.200/32 168.63.129.16/32",
    "192.0.0.192/32 fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128",
  ],
  loopback: ["127.0.0.0/8 ::1/128"],
  unspecified: ["0.0.0.0/8 ::/128"],
  private: ["10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10 64:ff9b:1::/48"],
  "link-local": ["169.254.0.0/16 fe80::/10"],
  shared: ["100.64.0.0/10"],
  multicast: ["224.0.0.0/4 ff00::/8"],
  reserved: [
    "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24",
    "240.0.0.0/4 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16",
  ],
} as const;

/** Kinds of addresses. Hooks must not reach any but `public` by accident. */
export type AddressKind = "public" | keyof typeof RANGES;

const KINDS = Object.entries(RANGES).map(([kind, texts]) => ({
  kind: kind as keyof typeof RANGES,
  list: blockListOf(texts.flatMap((text) => text.split(" "))),
}));

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    const length = Number(bits);
    list.addSubnet(address, length, isIPv4(address) ? "ipv4" : "ipv6");
    if (!isIPv4(address)) continue;
    // IPv6 addresses that carry an IPv4 address count as that address. BlockList itself knows only
    // ::ffff:0:0/96; the others are SIIT, NAT64, 6to4 and the old IPv4-compatible addresses.
    for (const prefix of ["::ffff:0:", "64:ff9b::", "::"]) {
      list.addSubnet(prefix + address, 96 + length, "ipv6");
    }
    const groups = Buffer.from(address.split(".").map(Number)).toString("hex");
    list.addSubnet(`2002:${groups.slice(0, 4)}:${groups.slice(4)}::`, 16 + length, "ipv6");
  }
  return list;
}

/** Gives the kind of an IP address; `reserved` for a text that is none. */
export function addressKind(text: string): AddressKind {
  const address = text.replace(/%.*$/s, "");
  if (isIP(address) === 0) return "reserved";
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return KINDS.find(({ list }) => list.check(address, family))?.kind ?? "public";
}

// A host name is resolved and its addresses are checked once; connections use exactly these
// addresses, whatever the DNS answers later.
//
// An IP address or `localhost` in the hooks file is intended. A host name that resolves to an
// address that is not public may be a trick and needs allow_private_address. Metadata services
// always need it.

/** Target of a hook's connections. */
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

/** Resolves a host name to its addresses, best first. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Resolves with the system's resolver. */
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

/** The reason not to resolve a host; undefined when it is allowed. */
export function hostProblem(destination: Destination): string | undefined {
  const { host, allowPrivateAddress } = destination;
  if (host === "") return "the host is empty";
  if (METADATA_NAMES.has(host) && !allowPrivateAddress) {
    return "the host is a metadata service: set allow_private_address to allow it";
  }
  return isIP(host) === 0 ? undefined : addressProblem(destination, host);
}

/** The reason not to connect to an address of a host; undefined when it is allowed. */
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
 * Resolves a host to the checked addresses that connections may use. Throws HookFailure
 * `unreachable` when there is none: the task waits until the operator has fixed it.
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

/** The error code of a system failure, which holds no content. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "no code";
}
