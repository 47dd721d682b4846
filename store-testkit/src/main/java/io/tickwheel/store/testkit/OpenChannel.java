package io.tickwheel.store.testkit;

import java.nio.file.Path;

/**
 * A channel of the {@link SimulatedDisk} that is open now.
 *
 * @param path the file or directory, by the name it was opened under
 * @param openedAt its stack trace shows who opened it
 */
public record OpenChannel(Path path, Throwable openedAt) {}
