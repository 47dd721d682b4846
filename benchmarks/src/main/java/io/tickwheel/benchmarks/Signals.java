package io.tickwheel.benchmarks;

import java.io.IOException;

/** Signals to processes that Java cannot send. */
public final class Signals {

    private Signals() {}

    /** Sends a signal, named without {@code SIG}. */
    public static void send(Process process, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
        if (kill.waitFor() != 0) {
            throw new IOException("SIG" + signal + " did not reach process " + process.pid());
        }
    }
}
