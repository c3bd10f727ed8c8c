import { describe, expect, it } from "vitest";
import { type AddressKind, addressKind } from "./ip.ts";

const KINDS: readonly (readonly [AddressKind, readonly string[]])[] = [
  ["public", ["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1"]],
  ["public", ["192.167.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001:800::200e"]],
  ["public", ["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]],
  ["metadata", ["169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254"]],
  ["metadata", ["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe"]],
  ["metadata", ["2002:a9fe:a9fe::1", "::169.254.169.254", "168.63.129.16", "fd20:ce::254"]],
  ["metadata", ["::ffff:0:169.254.169.254", "0:0:0:0:0:ffff:6464:64c8"]],
  ["loopback", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]],
  ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1"]],
  ["private", ["::ffff:10.1.2.3", "fec0::1", "64:ff9b:1::1", "2002:c0a8:1::1"]],
  ["link-local", ["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.1.1"]],
  ["shared", ["100.64.0.1", "100.127.255.255"]],
  ["unspecified", ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"]],
  ["multicast", ["224.0.0.1", "239.255.255.255", "ff02::1"]],
  ["reserved", ["255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "203.0.113.9"]],
  ["reserved", ["2001:db8::1", "2001::1", "100::1", "3fff::1", "5f00::1", "198.51.100.1"]],
  ["reserved", ["", "localhost", "1.2.3", "0x7f.1", "127.1", "not an address", "[::1]"]],
];

describe("addressKind", () => {
  const cases = KINDS.flatMap(([kind, addresses]) =>
    addresses.map((address) => [address, kind] as const),
  );

  it.each(cases)("says of %s that it is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});
