package io.memorysidecar.client.adapter;

import java.util.Arrays;
import java.util.List;

/** Finds the messages of an old list in a new one. */
final class Matching {
  /** Longer lists are compared by their common beginning alone. */
  private static final int MAX_CELLS = 4_000_000;

  private Matching() {}

  /**
   * Gives for each entry of the new list the index of its partner in the old one, or -1. Partners
   * are equal, in the same order, and as many as there can be; of several equal partners it is the
   * newest.
   */
  static <T> int[] partners(List<T> before, List<T> after) {
    int same = 0;
    int shorter = Math.min(before.size(), after.size());
    while (same < shorter && before.get(same).equals(after.get(same))) same++;
    int[] partners = new int[after.size()];
    Arrays.fill(partners, -1);
    boolean isTooLong = (before.size() + 1L) * (after.size() + 1L) > MAX_CELLS;
    if (same == before.size() || isTooLong) {
      for (int at = 0; at < same; at++) partners[at] = at;
      return partners;
    }
    int[][] lengths = lengths(before, after);
    int left = before.size();
    int right = after.size();
    while (left > 0 && right > 0) {
      if (before.get(left - 1).equals(after.get(right - 1))) {
        partners[--right] = --left;
      } else if (lengths[left][right - 1] == lengths[left][right]) {
        right--;
      } else {
        left--;
      }
    }
    return partners;
  }

  /** Lengths of the longest common subsequence of each pair of beginnings. */
  private static <T> int[][] lengths(List<T> before, List<T> after) {
    int[][] lengths = new int[before.size() + 1][after.size() + 1];
    for (int left = 1; left <= before.size(); left++) {
      for (int right = 1; right <= after.size(); right++) {
        lengths[left][right] =
            before.get(left - 1).equals(after.get(right - 1))
                ? lengths[left - 1][right - 1] + 1
                : Math.max(lengths[left - 1][right], lengths[left][right - 1]);
      }
    }
    return lengths;
  }
}
