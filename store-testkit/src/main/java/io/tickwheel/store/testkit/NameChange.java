package io.tickwheel.store.testkit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A directory operation (create, rename, delete, mkdir) as the names it binds or unbinds, all at once. */
final class NameChange {
    private final List<Binding> bindings;

    /** Whether the journal of {@link CrashKind#POWER_LOSS} holds it. */
    private boolean committed;

    NameChange(Binding... bindings) {
        this.bindings = List.of(bindings);
    }

    List<Binding> bindings() {
        return bindings;
    }

    boolean committed() {
        return committed;
    }

    void commit() {
        committed = true;
    }

    /** Whether every directory it touches was synced after it, which is all that POSIX asks for. */
    boolean synced() {
        for (Binding binding : bindings) {
            if (!binding.synced) {
                return false;
            }
        }
        return true;
    }

    void sync(DirectoryNode directory) {
        for (Binding binding : bindings) {
            if (binding.name.directory == directory) {
                binding.synced = true;
            }
        }
    }

    void applyToDurable() {
        for (Binding binding : bindings) {
            binding.applyTo(binding.name.directory.durable());
        }
    }

    void applyToVisible() {
        for (Binding binding : bindings) {
            binding.applyTo(binding.name.directory.visible());
        }
    }

    /** An entry of a directory; directories are compared by identity. */
    record Name(DirectoryNode directory, String name) {}

    static final class Binding {
        private final Name name;
        private final @Nullable Node node;
        private boolean synced;

        private Binding(Name name, @Nullable Node node) {
            this.name = name;
            this.node = node;
        }

        static Binding bind(DirectoryNode directory, String name, Node node) {
            return new Binding(new Name(directory, name), node);
        }

        static Binding unbind(DirectoryNode directory, String name) {
            return new Binding(new Name(directory, name), null);
        }

        Name name() {
            return name;
        }

        private void applyTo(Map<String, Node> names) {
            if (node == null) {
                names.remove(name.name);
            } else {
                names.put(name.name, node);
            }
        }
    }
}
