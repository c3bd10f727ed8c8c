package io.memorysidecar.client.adapter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Splits what is too much for one request. */
final class Batches {
  private static final int MAX_ITEMS = 1_000;

  /** A request takes 4 MiB; a part leaves room for its other fields. */
  private static final int MAX_BYTES = 3 << 20;

  private Batches() {}

  /** Splits items in their order, each part with at most 1,000 and 3 MiB, or one item that is larger. */
  static <T> List<List<T>> of(List<T> items, ToIntFunction<T> bytes) {
    List<List<T>> parts = new ArrayList<>();
    long size = 0;
    for (T item : items) {
      int more = bytes.applyAsInt(item);
      List<T> part = parts.isEmpty() ? null : parts.get(parts.size() - 1);
      if (part == null || part.size() == MAX_ITEMS || size + more > MAX_BYTES) {
        part = new ArrayList<>();
        parts.add(part);
        size = 0;
      }
      part.add(item);
      size += more;
    }
    return parts;
  }
}
