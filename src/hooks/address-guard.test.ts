import { describe, expect, test } from "vitest";
import { failureOf } from "../../test/support/hooks/inputs.ts";
import {
  type AddressKind,
  addressKind,
  checkedAddresses,
  plainHost,
  type Resolve,
} from "./address-guard.ts";

/** A DNS that gives these addresses. */
function dns(...addresses: readonly string[]): Resolve {
  return async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

const NEVER: Resolve = async () => {
  throw new Error("The DNS was asked.");
};

function check(url: string, resolve: Resolve, allowPrivateAddress = false) {
  const host = plainHost(new URL(url).hostname);
  return checkedAddresses({ host, allowPrivateAddress }, resolve);
}

describe("checkedAddresses", () => {
  test.each([
    ["a name with a public address", "http://model.example/", dns("8.8.8.8")],
    ["a loopback address that is written", "http://127.0.0.1/", NEVER],
    ["a loopback address as a number", "http://2130706433/", NEVER],
    ["a loopback address in hexadecimal", "http://0x7f000001/", NEVER],
    ["a loopback address in octal", "http://0177.0.0.1/", NEVER],
    ["a short loopback address", "http://127.1/", NEVER],
    ["a private address that is written", "http://192.168.1.20:11434/", NEVER],
    ["a private IPv6 address that is written", "http://[fd12::1]/", NEVER],
    ["localhost", "http://localhost/", dns("127.0.0.1", "::1")],
    ["localhost with a dot", "http://localhost./", dns("127.0.0.1")],
  ])("lets through %s", async (_, url, resolve) => {
    expect((await check(url, resolve)).length).toBeGreaterThan(0);
  });

  test.each([
    ["loopback", "http://model.example/", dns("127.0.0.1")],
    ["private", "http://model.example/", dns("10.0.0.1")],
    ["private", "http://model.example/", dns("fd12::1")],
    ["private", "http://model.example/", dns("::ffff:10.0.0.1")],
    ["link-local", "http://model.example/", dns("fe80::1")],
    ["shared", "http://model.example/", dns("100.64.1.1")],
    ["unspecified", "http://model.example/", dns("0.0.0.0")],
    ["multicast", "http://model.example/", dns("224.0.0.1")],
    ["loopback", "http://model.example./", dns("64:ff9b::7f00:1")],
    ["loopback", "http://localhost.example/", dns("127.0.0.1")],
    ["private", "http://localhost/", dns("10.0.0.1")],
    ["metadata", "http://model.example/", dns("169.254.169.254")],
    ["metadata", "http://169.254.169.254/", NEVER],
    ["metadata", "http://2852039166/", NEVER],
    ["metadata", "http://0xa9fea9fe/", NEVER],
    ["metadata", "http://0251.0376.0251.0376/", NEVER],
    ["metadata", "http://169.254.169.254./", NEVER],
    ["metadata", "http://[::ffff:169.254.169.254]/", NEVER],
    ["metadata", "http://[fd00:ec2::254]/", NEVER],
    ["metadata", "http://100.100.100.200/", NEVER],
    ["metadata", "http://metadata.google.internal/", NEVER],
    ["metadata", "http://METADATA.google.internal./", NEVER],
  ])("refuses what is %s: %s", async (kind, url, resolve) => {
    const failure = await failureOf(check(url, resolve));
    expect(failure.reason).toBe("unreachable");
    expect(failure.message).toContain(kind);
    expect(failure.message).toContain("allow_private_address");
    expect(await check(url, dns("10.0.0.1"), true)).toHaveLength(1);
  });

  test("connects only to those addresses of a name that may be used", async () => {
    const found = await check("http://model.example/", dns("10.0.0.1", "8.8.8.8", "::1"));
    expect(found).toEqual([{ address: "8.8.8.8", family: 4 }]);
  });

  test("tells of a name without an address, and not which", async () => {
    const failing: Resolve = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND model.example"), { code: "ENOTFOUND" });
    };
    const failure = await failureOf(check("http://model.example/", failing));
    expect(failure.message).toBe("The host name has no address (ENOTFOUND).");
    expect((await failureOf(check("http://model.example/", dns()))).reason).toBe("unreachable");
  });
});

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

  test.each(cases)("says of %s that it is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});
