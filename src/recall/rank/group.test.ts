import { expect, test } from "vitest";
import { groupHits } from "./group.ts";

test("scores a group by its best hit, half of the second and a quarter of the third", () => {
  const hits = [
    { container: 7, score: 4 },
    { container: 5, score: 3 },
    { container: 5, score: 2 },
    { container: 5, score: 2 },
    { container: 5, score: 1 },
  ];
  expect(groupHits(hits)).toEqual([
    { container: 5, score: 4.5, members: [1, 2, 3, 4] },
    { container: 7, score: 4, members: [0] },
  ]);
});

test("never lowers a group by a further hit, and sorts equal ones by number", () => {
  const hits = [
    { container: 2, score: 1 },
    { container: 2, score: -3 },
    { container: 1, score: 1 },
    { container: 3, score: -1 },
  ];
  const groups = groupHits(hits).map(({ container, score }) => [container, score]);
  expect(groups).toEqual([
    [1, 1],
    [2, 1],
    [3, 0],
  ]);
  expect(groupHits([])).toEqual([]);
});
