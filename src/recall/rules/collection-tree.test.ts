import fc from "fast-check";
import { expect, test } from "vitest";
import { isWithin } from "./collection-path.ts";
import { CollectionTree } from "./collection-tree.ts";

const segment = fc.constantFrom("a", "b", "a!", "\u00e9", "ab");
const id = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));

test("finds a collection and all below it, whatever came and went", () => {
  const action = fc.record({ id, removes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), id, (actions, root) => {
      const tree = new CollectionTree<{ readonly id: string }>();
      const held = new Set<string>();
      for (const { id: own, removes } of actions) {
        if (removes) {
          tree.remove({ id: own });
          held.delete(own);
        } else {
          tree.add({ id: own });
          held.add(own);
        }
      }
      const expected = [...held].filter((one) => isWithin(one, new Set([root])));
      const found = [...tree.within(root)].map((one) => one.id);
      expect([...found].sort()).toEqual(expected.sort());
      expect(new Set(found).size).toBe(found.length);
      for (const one of held) tree.remove({ id: one });
      expect(tree.bytes).toBe(0);
    }),
  );
});

test("looks at no others", () => {
  const tree = new CollectionTree<{ readonly id: string }>();
  let reads = 0;
  const collection = (name: string) => ({
    get id() {
      reads += 1;
      return name;
    },
  });
  for (let at = 0; at < 10_000; at++) tree.add(collection(`users/${at}/notes`));
  reads = 0;
  expect([...tree.within("users/77")]).toHaveLength(1);
  expect(reads).toBe(0);
});
