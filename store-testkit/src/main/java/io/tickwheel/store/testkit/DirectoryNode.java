package io.tickwheel.store.testkit;

import java.util.Map;
import java.util.TreeMap;

/** A directory: the names that are seen and the names that are on the disk. The changes between them are in {@link Volume}. */
final class DirectoryNode implements Node {
    private final Map<String, Node> visible = new TreeMap<>();
    private final Map<String, Node> durable = new TreeMap<>();

    Map<String, Node> visible() {
        return visible;
    }

    Map<String, Node> durable() {
        return durable;
    }

    void losePower() {
        visible.clear();
        visible.putAll(durable);
    }
}
