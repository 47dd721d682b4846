package io.tickwheel.benchmarks;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where a thread spends its time: the innermost class of ours on its stack, looked at again and again. Says what is large, and no more. */
final class StackSamples {

    private static final long EVERY_MS = 5;
    private static final int SHOWN = 15;
    private static final String OURS = "io.tickwheel.";

    private final Map<String, Integer> byClass = new HashMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread sampler;

    /** Looks at the thread that calls. */
    StackSamples() {
        Thread watched = Thread.currentThread();
        sampler = new Thread(() -> watch(watched), "stack-samples");
        sampler.setDaemon(true);
        sampler.start();
    }

    private void watch(Thread watched) {
        try {
            while (!ended.get()) {
                Thread.sleep(EVERY_MS);
                byClass.merge(innermost(watched.getStackTrace()), 1, Integer::sum);
            }
        } catch (InterruptedException e) {
            // It samples no more; what it has is shown.
            Thread.currentThread().interrupt();
        }
    }

    private static String innermost(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith(OURS)) {
                return frame.getClassName().substring(OURS.length()).replaceAll("\\$.*", "");
            }
        }
        return "none of ours";
    }

    /** Ends, and returns the classes that had most. */
    List<String> largest() throws InterruptedException {
        ended.set(true);
        sampler.join();
        double all = byClass.values().stream().mapToInt(Integer::intValue).sum();
        return byClass.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(SHOWN)
                .map(each -> "%5.1f %%  %s".formatted(100 * each.getValue() / all, each.getKey()))
                .toList();
    }
}
