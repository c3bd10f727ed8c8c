// The checks of a part of a request as the server makes them: field by field first, then what joins
// fields.

import * as checks from "../../src/gen/checks.ts";
import type { Memory, MemoryPolicy } from "../../src/gen/memorysidecar/v1/memory.ts";
import type { Policy, PolicyChoice } from "../../src/gen/memorysidecar/v1/policy.ts";
import { checkNewMemory } from "../../src/transport/validate/memory.ts";
import { checkMemoryPolicy } from "../../src/transport/validate/memory-policy.ts";
import { checkPolicy, checkPolicyChoice } from "../../src/transport/validate/policy.ts";
import type { Violations } from "../../src/transport/validate/violations.ts";

/** Checks a policy in the field `policy`. */
export function checkWholePolicy(v: Violations, policy: Policy): void {
  v.enter("policy");
  checks.checkPolicy(v, policy);
  checkPolicy(v, policy);
  v.leave();
}

/** Checks what is chosen in the field `policy`. */
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

/** Checks a memory that is to be remembered. */
export function checkWholeMemory(v: Violations, memory: Memory): void {
  checks.checkMemory(v, memory);
  checkNewMemory(v, memory);
}
