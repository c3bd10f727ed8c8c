// What kind of address an IP address is. Addresses that carry an IPv4 address inside are what that
// address is.

import { isIPv4, isIPv6 } from "node:net";

/** What an address is; everything but `public` is not to be reached by accident. */
export type AddressKind =
  | "public"
  | "metadata"
  | "loopback"
  | "private"
  | "link-local"
  | "shared"
  | "unspecified"
  | "multicast"
  | "reserved";

/** A range: the first bits of an address. */
interface Range {
  readonly kind: AddressKind;
  readonly bits: bigint;
  readonly length: number;
}

const V4_BITS = 32;
const V6_BITS = 128;

// Where clouds answer questions about the machine, keys among them. They come before the ranges
// that hold them.
const METADATA_V4 = [
  "169.254.169.254/32",
  "169.254.170.2/32",
  "169.254.170.23/32",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
];
const METADATA_V6 = ["fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128"];

const V4_RANGES = [
  ...rangesOf("metadata", METADATA_V4),
  ...rangesOf("unspecified", ["0.0.0.0/8"]),
  ...rangesOf("loopback", ["127.0.0.0/8"]),
  ...rangesOf("private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]),
  ...rangesOf("link-local", ["169.254.0.0/16"]),
  ...rangesOf("shared", ["100.64.0.0/10"]),
  ...rangesOf("multicast", ["224.0.0.0/4"]),
  ...rangesOf("reserved", ["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15"]),
  ...rangesOf("reserved", ["198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"]),
];

const V6_RANGES = [
  ...rangesOf("metadata", METADATA_V6),
  ...rangesOf("unspecified", ["::/128"]),
  ...rangesOf("loopback", ["::1/128"]),
  ...rangesOf("private", ["fc00::/7", "fec0::/10", "64:ff9b:1::/48"]),
  ...rangesOf("link-local", ["fe80::/10"]),
  ...rangesOf("multicast", ["ff00::/8"]),
  ...rangesOf("reserved", ["100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16"]),
];

/** Ranges whose addresses hold an IPv4 address, and how many bits stand behind it. */
const CARRIERS = [
  { text: "::ffff:0:0/96", behind: 0n },
  { text: "::ffff:0:0:0/96", behind: 0n },
  { text: "64:ff9b::/96", behind: 0n },
  { text: "2002::/16", behind: 80n },
  { text: "::/96", behind: 0n },
].map(({ text, behind }) => ({ range: rangeOf("reserved", text), behind }));

function rangesOf(kind: AddressKind, texts: readonly string[]): Range[] {
  return texts.map((text) => rangeOf(kind, text));
}

function rangeOf(kind: AddressKind, text: string): Range {
  const [address = "", length = ""] = text.split("/");
  const bits = isIPv4(address) ? v4Bits(address) : v6Bits(address);
  return { kind, bits, length: Number(length) };
}

function v4Bits(address: string): bigint {
  return address.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function v6Bits(address: string): bigint {
  // The parser of URLs writes the IPv4 form at the end of an address in hexadecimal, too.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = plain.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

function holds(range: Range, bits: bigint, size: number): boolean {
  const shift = BigInt(size - range.length);
  return bits >> shift === range.bits >> shift;
}

function kindIn(ranges: readonly Range[], bits: bigint, size: number): AddressKind | undefined {
  return ranges.find((range) => holds(range, bits, size))?.kind;
}

/** Gives the kind of an IP address; `reserved` for a text that is none. */
export function addressKind(text: string): AddressKind {
  const address = text.replace(/%.*$/s, "");
  if (isIPv4(address)) return kindIn(V4_RANGES, v4Bits(address), V4_BITS) ?? "public";
  if (!isIPv6(address)) return "reserved";
  const bits = v6Bits(address);
  const own = kindIn(V6_RANGES, bits, V6_BITS);
  if (own !== undefined) return own;
  const carrier = CARRIERS.find(({ range }) => holds(range, bits, V6_BITS));
  if (carrier === undefined) return "public";
  const inner = (bits >> carrier.behind) & 0xffff_ffffn;
  return kindIn(V4_RANGES, inner, V4_BITS) ?? "public";
}
