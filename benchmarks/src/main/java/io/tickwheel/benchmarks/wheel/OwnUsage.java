package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.ProcessUsage;
import java.io.IOException;
import java.util.List;

/** What this process has used since {@link #start}, as a whole and by the threads that a contender started. */
final class OwnUsage {

    /** Begins the names of threads that belong to a program. */
    static final String PROGRAM_THREAD = "program-";

    /** How the JVM's own threads are called, cut at 15 characters by Linux; the first is that of the main thread. */
    private static final List<String> JVM_THREADS = List.of(
            "java",
            "main",
            "GC Thread",
            "G1 ",
            "ParGC",
            "VM ",
            "C1 ",
            "C2 ",
            "Sweeper",
            "Signal ",
            "Service ",
            "Monitor ",
            "Notification",
            "Reference ",
            "Finalizer",
            "Cleaner-",
            "Common-Cleaner",
            "Attach ",
            "process reaper",
            PROGRAM_THREAD);

    private final ProcessUsage before;
    private final long startNanos = System.nanoTime();

    private OwnUsage(ProcessUsage before) {
        this.before = before;
    }

    static OwnUsage start() throws IOException {
        return new OwnUsage(ProcessUsage.own());
    }

    ProcessUsage process() throws IOException {
        return ProcessUsage.own().since(before);
    }

    ProcessUsage timerThreads() throws IOException {
        return process().ofThreads(OwnUsage::isTimerThread);
    }

    long elapsedNanos() {
        return System.nanoTime() - startNanos;
    }

    static boolean isTimerThread(String name) {
        return JVM_THREADS.stream().noneMatch(name::startsWith);
    }
}
