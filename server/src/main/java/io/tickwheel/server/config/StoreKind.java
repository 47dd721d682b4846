package io.tickwheel.server.config;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A kind of store that a server can use: what its settings are called, and how they are read. {@link StoreKinds} lists all. */
interface StoreKind {

    /** What {@code store.kind} says when it is this one. */
    String name();

    /** Its settings, the name of each beginning with {@code store.} and the name of the kind. */
    List<Setting> settings();

    /** Whether a name is what the YAML reader calls an element of one of its settings that is a list. */
    default boolean isInList(String name) {
        return false;
    }

    /**
     * Reads the settings of one store.
     *
     * @param values by the name of the setting; null for one that is not there
     * @throws StartException when a setting breaks its rule
     */
    StoreConfig read(Function<String, @Nullable String> values);
}
