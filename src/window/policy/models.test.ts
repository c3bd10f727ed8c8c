import { describe, expect, test } from "vitest";
import { modelContextWindow, modelTokenRule } from "./models.ts";

describe("modelTokenRule", () => {
  test.each([
    ["gpt-5-mini", "o200k"],
    ["gpt-4.1", "o200k"],
    ["gpt-4o", "o200k"],
    ["gpt-4o-mini-2024-07-18", "o200k"],
    ["o1", "o200k"],
    ["o3-mini", "o200k"],
    ["o4-mini", "o200k"],
    ["gpt-4", "cl100k"],
    ["gpt-4-turbo", "cl100k"],
    ["gpt-3.5-turbo-0125", "cl100k"],
    ["openai/gpt-4o-mini", "o200k"],
    ["azure/eu/gpt-35-turbo", "cl100k"],
    ["ft:gpt-4o-2024-08-06:acme::abc", "o200k"],
    [" GPT-4O ", "o200k"],
    ["claude-sonnet-4-5", "bytes-div-4"],
    ["llama-3.3-70b", "bytes-div-4"],
    ["o10", "bytes-div-4"],
    ["gpt-4omega", "bytes-div-4"],
    ["gpt-6", "bytes-div-4"],
    ["my-gpt-4", "bytes-div-4"],
    ["", "bytes-div-4"],
  ])("%s: %s", (model, rule) => {
    expect(modelTokenRule(model)).toBe(rule);
  });
});

describe("modelContextWindow", () => {
  test.each([
    ["gpt-4o-mini", 128_000],
    ["openai/gpt-4.1-nano", 1_047_576],
    ["gpt-4", 8_192],
    ["gpt-4-0613", 8_192],
    ["gpt-4-32k", 32_768],
    ["gpt-4-turbo-2024-04-09", 128_000],
    ["o1-mini", 128_000],
    ["o1-2024-12-17", 200_000],
    ["gpt-5", 400_000],
    ["claude-3-5-sonnet-20241022", 200_000],
    ["claude-opus-4-1-20250805", 200_000],
    ["us.anthropic.claude-3-haiku-20240307-v1:0", 200_000],
    ["google/gemini-2.5-flash", 1_048_576],
    ["models/gemini-1.5-pro-latest", 2_097_152],
    ["meta-llama/Llama-3.1-8B-Instruct", 131_072],
    ["meta-llama/Meta-Llama-3-8B", 8_192],
    ["llama3.2:3b", 131_072],
    ["llama3", 8_192],
    ["gemma3:1b", 32_768],
    ["gemma3:12b", 131_072],
    ["mistral-large-latest", 131_072],
    ["open-source/unknown", 0],
    ["gpt-4o1", 0],
    ["__proto__", 0],
    ["", 0],
  ])("%s: %i", (model, tokens) => {
    expect(modelContextWindow(model)).toBe(tokens);
  });
});
