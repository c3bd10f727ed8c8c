import { describe, expect, test } from "vitest";
import { hostPort, parseEndpointUrl, parseGrpcTarget } from "./endpoint.ts";

describe("parseEndpointUrl", () => {
  test.each([
    ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"],
    ["http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions"],
    ["https://api.example/v1/chat/completions", "https://api.example/v1/chat/completions"],
    ["https://api.example", "https://api.example/chat/completions"],
    ["http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"],
    ["https://a.example/v1?version=2", "https://a.example/v1/chat/completions?version=2"],
  ])("reads %s", (text, url) => {
    expect(parseEndpointUrl(text, "summarize").href).toBe(url);
  });

  test.each([
    ["no URL", "127.0.0.1/v1", /must be a URL/],
    ["nothing", "", /must be a URL/],
    ["a file", "file:///etc/passwd", /http/],
    ["a script", "javascript:alert(1)", /http/],
    ["a socket", "unix:/run/model.sock", /http/],
    ["FTP", "ftp://model.example/", /http/],
    ["a password", "https://user:canary@model.example/", /user or a password/],
    ["a user", "https://canary@model.example/", /user or a password/],
    ["a fragment", "https://model.example/#canary", /#/],
    ["a line break", "https://model.example/v1\r\nx-injected: 1", /must be a URL/],
    ["a tab in the host", "https://model\t.example/v1", /must be a URL/],
    ["a space", "https://model.example/v1 x", /must be a URL/],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseEndpointUrl(text, "summarize")).toThrow(message);
    expect(() => parseEndpointUrl(text, "summarize")).not.toThrow(/canary/);
  });
});

describe("parseGrpcTarget", () => {
  test.each([
    ["localhost:50200", { kind: "tcp", host: "localhost", port: 50_200 }],
    ["Hook.Example.:1", { kind: "tcp", host: "hook.example", port: 1 }],
    ["[::1]:50200", { kind: "tcp", host: "::1", port: 50_200 }],
    ["0x7f000001:80", { kind: "tcp", host: "127.0.0.1", port: 80 }],
    ["2852039166:80", { kind: "tcp", host: "169.254.169.254", port: 80 }],
    ["unix:/run/hook.sock", { kind: "unix", path: "/run/hook.sock" }],
    ["unix:///run/hook.sock", { kind: "unix", path: "/run/hook.sock" }],
    ["unix:hook.sock", { kind: "unix", path: "hook.sock" }],
  ])("reads %s", (text, target) => {
    expect(parseGrpcTarget(text)).toEqual(target);
  });

  test.each([
    ["no port", "localhost"],
    ["port 0", "localhost:0"],
    ["a port too high", "localhost:65536"],
    ["a scheme", "dns:///localhost:1"],
    ["a user", "user@localhost:1"],
    ["a path", "localhost:1/x"],
    ["IPv6 without brackets", "::1:50200"],
    ["two targets", "a:1,b:2:3"],
    ["no socket", "unix:"],
    ["a long socket", `unix:/${"s".repeat(107)}`],
  ])("refuses %s", (_, text) => {
    expect(() => parseGrpcTarget(text)).toThrow();
  });
});

describe("hostPort", () => {
  test("puts IPv6 into brackets", () => {
    expect(hostPort("::1", 2)).toBe("[::1]:2");
    expect(hostPort("a.example", 2)).toBe("a.example:2");
  });
});
