// Checks of part of a request, in the server's order: each field first, then rules that join
// fields.

import * as checks from "../../../src/gen/checks.ts";
import type { Memory, MemoryPolicy } from "../../../src/gen/memorysidecar/v1/memory.ts";
import type { Policy, PolicyChoice } from "../../../src/gen/memorysidecar/v1/policy.ts";
import type { Violations } from "../../../src/grpc/violations.ts";
import { checkNewMemory } from "../../../src/memory/checks.ts";
import { checkMemoryPolicy } from "../../../src/memory/policy-wire.ts";
import { checkPolicy, checkPolicyChoice } from "../../../src/window/policy-checks.ts";

/** Checks a policy in the field `policy`. */
export function checkWholePolicy(v: Violations, policy: Policy): void {
  v.enter("policy");
  checks.checkPolicy(v, policy);
  checkPolicy(v, policy);
  v.leave();
}

/** Checks the choice in the field `policy`. */
export function checkWholeChoice(v: Violations, choice: PolicyChoice): void {
  v.enter("policy");
  checks.checkPolicyChoice(v, choice);
  v.leave();
  checkPolicyChoice(v, choice);
}

/** Checks a memory policy in the field `memory_policy`. */
export function checkWholeMemoryPolicy(v: Violations, policy: MemoryPolicy): void {
  v.enter("memory_policy");
  checks.checkMemoryPolicy(v, policy);
  v.leave();
  checkMemoryPolicy(v, policy);
}

/** Checks a memory to remember. */
export function checkWholeMemory(v: Violations, memory: Memory): void {
  checks.checkMemory(v, memory);
  checkNewMemory(v, memory);
}
