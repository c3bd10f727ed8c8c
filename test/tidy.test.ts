// Rules of this repository: layers, sizes, banned code and words, and that nothing of the contract
// is without code and tests. The rules and their own tests are in test/support/tidy.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { bannedCodeProblems, bannedWordProblems, titleProblems } from "./support/tidy/banned.ts";
import { commentProblems } from "./support/tidy/comments.ts";
import { reasonProblems, rpcProblems } from "./support/tidy/contract.ts";
import { nameProblems, optionProblems, publicFiles } from "./support/tidy/contract-names.ts";
import {
  cycleProblems,
  deadFileProblems,
  layerProblems,
  unknownLayerProblems,
} from "./support/tidy/imports.ts";
import { readProject } from "./support/tidy/project.ts";
import {
  ALLOWED,
  ENTRY_POINTS,
  KNOWN_IMPORTS,
  NAMES_THAT_STAY,
  SMALL_FILES,
} from "./support/tidy/settings.ts";
import {
  fileLengthProblems,
  folderProblems,
  functionProblems,
  lineLengthProblems,
  smallFileProblems,
} from "./support/tidy/sizes.ts";

const root = join(import.meta.dirname, "..");
const project = readProject(root);
const image = readFileSync(join(root, "proto/image.binpb"));
const contract = publicFiles(fromBinary(FileDescriptorSetSchema, image).file);

describe("the repository", () => {
  test("has imports that point down only", () => {
    expect(layerProblems(project, KNOWN_IMPORTS)).toEqual([]);
  });

  test("has no folder without a place in the house", () => {
    expect(unknownLayerProblems(project)).toEqual([]);
  });

  test("has no circle of imports", () => {
    expect(cycleProblems(project)).toEqual([]);
  });

  test("has no file that nothing reaches", () => {
    expect(deadFileProblems(project, ENTRY_POINTS)).toEqual([]);
  });

  test("has files of a size to read", () => {
    expect(fileLengthProblems(project)).toEqual([]);
  });

  test("has no small file without a reason", () => {
    expect(smallFileProblems(project, SMALL_FILES)).toEqual([]);
  });

  test("has folders to see at a glance", () => {
    expect(folderProblems(project)).toEqual([]);
  });

  test("has lines that fit", () => {
    expect(lineLengthProblems(project)).toEqual([]);
  });

  test("has functions of a size to understand", () => {
    expect(functionProblems(project)).toEqual([]);
  });

  test("has no banned code, and no exception that nothing needs", () => {
    expect(bannedCodeProblems(project, ALLOWED)).toEqual([]);
  });

  test("has no banned words", () => {
    expect(bannedWordProblems(project)).toEqual([]);
  });

  test("has comments that name their subject first", () => {
    expect(commentProblems(project)).toEqual([]);
  });

  test("has one title in every document", () => {
    expect(titleProblems(project)).toEqual([]);
  });

  test("serves every rpc and has a contract test for it", () => {
    expect(rpcProblems(project)).toEqual([]);
  });

  test("raises and tests every reason of failure", () => {
    expect(reasonProblems(project)).toEqual([]);
  });

  test("has a contract with names that every language can use", () => {
    expect(nameProblems(contract, NAMES_THAT_STAY)).toEqual([]);
  });

  test("has the options of every language in each file of the contract", () => {
    expect(optionProblems(contract)).toEqual([]);
  });
});
