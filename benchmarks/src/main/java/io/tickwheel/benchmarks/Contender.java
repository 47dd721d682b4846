package io.tickwheel.benchmarks;

import java.nio.file.Path;

/** A store to compare. */
record Contender(String name, Opening opening) {

    interface Opening {
        TimerSink in(Path directory) throws Exception;
    }
}
