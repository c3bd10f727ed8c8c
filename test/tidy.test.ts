// What only we can check: layers, sizes, banned code and words, and that nothing of the contract is
// without code and tests. The rules and their own tests are in test/support/tidy.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { bannedCodeProblems, bannedWordProblems, titleProblems } from "./support/tidy/banned.ts";
import { reasonProblems, rpcProblems } from "./support/tidy/contract.ts";
import { nameProblems, optionProblems, publicFiles } from "./support/tidy/contract-names.ts";
import {
  cycleProblems,
  deadFileProblems,
  layerProblems,
  unknownLayerProblems,
} from "./support/tidy/imports.ts";
import { readProject } from "./support/tidy/project.ts";
import { ALLOWED, ENTRY_POINTS, NAMES_THAT_STAY } from "./support/tidy/settings.ts";
import { fileLengthProblems, functionProblems, lineLengthProblems } from "./support/tidy/sizes.ts";

const root = join(import.meta.dirname, "..");
const project = readProject(root);
const image = readFileSync(join(root, "proto/image.binpb"));
const contract = publicFiles(fromBinary(FileDescriptorSetSchema, image).file);

describe("the repository", () => {
  it("has imports that point down only", () => {
    expect(layerProblems(project)).toEqual([]);
  });

  it("has no folder outside the layers", () => {
    expect(unknownLayerProblems(project)).toEqual([]);
  });

  it("has no circle of imports", () => {
    expect(cycleProblems(project)).toEqual([]);
  });

  it("has no file that nothing reaches", () => {
    expect(deadFileProblems(project, ENTRY_POINTS)).toEqual([]);
  });

  it("has files of a size to read", () => {
    expect(fileLengthProblems(project)).toEqual([]);
  });

  it("has lines that fit", () => {
    expect(lineLengthProblems(project)).toEqual([]);
  });

  it("has functions of a size to understand", () => {
    expect(functionProblems(project)).toEqual([]);
  });

  it("has no banned code, and no exception that nothing needs", () => {
    expect(bannedCodeProblems(project, ALLOWED)).toEqual([]);
  });

  it("has no banned words", () => {
    expect(bannedWordProblems(project)).toEqual([]);
  });

  it("has one title in every document", () => {
    expect(titleProblems(project)).toEqual([]);
  });

  it("has a file and a contract test for every rpc", () => {
    expect(rpcProblems(project)).toEqual([]);
  });

  it("raises and tests every reason of failure", () => {
    expect(reasonProblems(project)).toEqual([]);
  });

  it("has a contract with names that every language can use", () => {
    expect(nameProblems(contract, NAMES_THAT_STAY)).toEqual([]);
  });

  it("has the options of every language in each file of the contract", () => {
    expect(optionProblems(contract)).toEqual([]);
  });
});
