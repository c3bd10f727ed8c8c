package io.memorysidecar.client;

import io.memorysidecar.v1.MemoryScope;
import io.memorysidecar.v1.ScopeFilter;

/** Short ways to write the scope of a filter. */
public final class Scopes {
  private Scopes() {}

  /** The scope of what a user may see: what is theirs, and what everybody shares. */
  public static ScopeFilter visibleTo(String userId) {
    return ScopeFilter.newBuilder().setVisibleTo(of(userId)).build();
  }

  /** The scope of what belongs to a user. */
  public static ScopeFilter ownedBy(String userId) {
    return ScopeFilter.newBuilder().setOwnedBy(of(userId)).build();
  }

  private static MemoryScope of(String userId) {
    return MemoryScope.newBuilder().setUserId(userId).build();
  }
}
