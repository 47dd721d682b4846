package io.tickwheel.store.testkit;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A channel of the {@link SimulatedDisk} that is open now.
 *
 * @param path the file or directory, by the name it was opened under
 * @param openedAt its stack trace shows who opened it; {@code null} unless the disk was asked to {@linkplain SimulatedDisk#rememberOpeners
 *     remember that}
 */
public record OpenChannel(Path path, @Nullable Throwable openedAt) {}
