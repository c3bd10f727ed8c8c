package io.memorysidecar.client;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.memorysidecar.v1.DropDuplicates;
import io.memorysidecar.v1.DropOldest;
import io.memorysidecar.v1.Filter;
import io.memorysidecar.v1.KeepLast;
import io.memorysidecar.v1.PackNewest;
import io.memorysidecar.v1.PinMiddleRecent;
import io.memorysidecar.v1.Policy;
import io.memorysidecar.v1.PolicyChoice;
import io.memorysidecar.v1.PolicyStage;
import io.memorysidecar.v1.Preset;
import io.memorysidecar.v1.Shorten;
import java.util.List;
import java.util.Map;

/**
 * Short ways to write policies: presets of the server, and the stages of a policy of your own. A
 * stage acts always, on append and on whole turns, unless its other fields say otherwise.
 */
public final class Policies {
  private Policies() {}

  /**
   * Chooses a policy of the server by its name. Options are texts, numbers, booleans, null, lists
   * and maps of these. The server refuses unknown names and options.
   */
  public static PolicyChoice preset(String name, Map<String, ?> options) {
    Preset preset = Preset.newBuilder().setName(name).setOptions(struct(options)).build();
    return PolicyChoice.newBuilder().setPreset(preset).build();
  }

  /** Chooses a preset with its defaults. */
  public static PolicyChoice preset(String name) {
    return preset(name, Map.of());
  }

  /** Chooses a policy of these stages. */
  public static PolicyChoice of(PolicyStage... stages) {
    return of(Policy.newBuilder().addAllStages(List.of(stages)).build());
  }

  /** Chooses a policy that is written out. */
  public static PolicyChoice of(Policy policy) {
    return PolicyChoice.newBuilder().setPolicy(policy).build();
  }

  /** Removes the oldest units until the limits hold. */
  public static PolicyStage dropOldest(String name, DropOldest limits) {
    return stage(name).setDropOldest(limits).build();
  }

  /** Keeps the newest units. */
  public static PolicyStage keepLast(String name, int unitCount) {
    return stage(name).setKeepLast(KeepLast.newBuilder().setUnitCount(unitCount)).build();
  }

  /** Takes units from the newest backwards while they fit a budget. */
  public static PolicyStage packNewest(String name, PackNewest budget) {
    return stage(name).setPackNewest(budget).build();
  }

  /** Keeps the first and the newest messages and removes those between. */
  public static PolicyStage pinMiddleRecent(String name, PinMiddleRecent ends) {
    return stage(name).setPinMiddleRecent(ends).build();
  }

  /** Keeps only what meets all conditions, which are written in CEL. */
  public static PolicyStage filter(String name, String... conditions) {
    return stage(name)
        .setFilter(Filter.newBuilder().addAllConditions(List.of(conditions)))
        .build();
  }

  /** Cuts long contents down. */
  public static PolicyStage shorten(String name, Shorten what) {
    return stage(name).setShorten(what).build();
  }

  /** Removes messages that say nearly the same as a newer one. */
  public static PolicyStage dropDuplicates(String name, DropDuplicates likeness) {
    return stage(name).setDropDuplicates(likeness).build();
  }

  private static PolicyStage.Builder stage(String name) {
    return PolicyStage.newBuilder().setName(name);
  }

  private static Struct struct(Map<?, ?> fields) {
    Struct.Builder struct = Struct.newBuilder();
    fields.forEach((name, value) -> struct.putFields(name.toString(), value(value)));
    return struct.build();
  }

  private static Value value(Object value) {
    Value.Builder builder = Value.newBuilder();
    if (value == null) return builder.setNullValue(NullValue.NULL_VALUE).build();
    if (value instanceof String text) return builder.setStringValue(text).build();
    if (value instanceof Boolean flag) return builder.setBoolValue(flag).build();
    if (value instanceof Number number) return builder.setNumberValue(number.doubleValue()).build();
    if (value instanceof Map<?, ?> fields) return builder.setStructValue(struct(fields)).build();
    if (value instanceof List<?> items) {
      ListValue.Builder list = ListValue.newBuilder();
      for (Object item : items) list.addValues(value(item));
      return builder.setListValue(list).build();
    }
    throw new IllegalArgumentException("an option has no form in JSON: " + value.getClass());
  }
}
