package io.tickwheel.server.config;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kinds of stores that a server can use. A new one is a line here. */
final class StoreKinds {

    /** The first is what a server uses that is told none. */
    static final List<StoreKind> ALL = List.of(new FileStoreKind(), new RedisStoreKind());

    private StoreKinds() {}

    /** The settings of all kinds. */
    static Stream<Setting> settings() {
        return ALL.stream().flatMap(kind -> kind.settings().stream());
    }

    /** Whether a name is an element of a list among the settings of any kind. */
    static boolean isInList(String name) {
        return ALL.stream().anyMatch(kind -> kind.isInList(name));
    }

    /** The names of all kinds, for messages. */
    static String names() {
        return ALL.stream().map(StoreKind::name).collect(Collectors.joining(" or "));
    }
}
