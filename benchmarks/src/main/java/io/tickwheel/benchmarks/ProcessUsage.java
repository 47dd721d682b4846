package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the threads of a process have used so far, as Linux tells it: nanoseconds on a processor, and how often they gave it
 * up, which is how often they were woken. Threads that have ended are not in it.
 */
record ProcessUsage(long cpuNanos, long wakeups, Map<String, Long> cpuNanosByThread) {

    static ProcessUsage of(long pid) throws IOException {
        long cpu = 0;
        long wakeups = 0;
        Map<String, Long> byThread = new HashMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                long nanos = Long.parseLong(
                        Files.readString(task.resolve("schedstat")).split(" ", -1)[0]);
                cpu += nanos;
                wakeups += switches(Files.readAllLines(task.resolve("status")));
                byThread.merge(Files.readString(task.resolve("comm")).strip(), nanos, Long::sum);
            }
        }
        return new ProcessUsage(cpu, wakeups, byThread);
    }

    static ProcessUsage own() throws IOException {
        return of(ProcessHandle.current().pid());
    }

    /** What was used since an earlier look. */
    ProcessUsage since(ProcessUsage earlier) {
        Map<String, Long> byThread = new HashMap<>();
        cpuNanosByThread.forEach(
                (name, nanos) -> byThread.put(name, nanos - earlier.cpuNanosByThread.getOrDefault(name, 0L)));
        return new ProcessUsage(cpuNanos - earlier.cpuNanos, wakeups - earlier.wakeups, byThread);
    }

    /** The threads that used most, with their share of {@code wholeNanos}. */
    String busiest(int count, long wholeNanos) {
        return String.join(
                ", ",
                cpuNanosByThread.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(count)
                        .map(thread -> "%s %.2f %%".formatted(thread.getKey(), 100.0 * thread.getValue() / wholeNanos))
                        .toList());
    }

    private static long switches(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }
}
