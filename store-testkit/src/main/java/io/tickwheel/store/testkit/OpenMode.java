package io.tickwheel.store.testkit;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** The open options the disk models, checked and completed as {@code FileChannel.open} does. */
record OpenMode(boolean read, boolean write, boolean append, boolean create, boolean createNew, boolean truncate) {
    private static final Set<OpenOption> MODELLED = Set.of(
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.APPEND,
            StandardOpenOption.CREATE,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.TRUNCATE_EXISTING);

    static OpenMode of(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (!MODELLED.contains(option)) {
                throw NotModelled.operation("the open option " + option);
            }
        }
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = !write || options.contains(StandardOpenOption.READ);
        boolean truncate = write && options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (append && (truncate || read)) {
            throw new IllegalArgumentException("APPEND goes neither with READ nor with TRUNCATE_EXISTING");
        }
        boolean createNew = write && options.contains(StandardOpenOption.CREATE_NEW);
        boolean create = createNew || (write && options.contains(StandardOpenOption.CREATE));
        return new OpenMode(read, write, append, create, createNew, truncate);
    }
}
