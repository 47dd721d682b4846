package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the threads of a process have used so far, as Linux tells it: nanoseconds on a processor, and how often they gave it
 * up, which is how often they were woken. Threads that have ended are not in it.
 */
public record ProcessUsage(
        long cpuNanos, long wakeups, Map<String, Long> cpuNanosByThread, Map<String, Long> wakeupsByThread) {

    static ProcessUsage of(long pid) throws IOException {
        long cpu = 0;
        long wakeups = 0;
        Map<String, Long> cpuByThread = new HashMap<>();
        Map<String, Long> wakeupsByThread = new HashMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                long nanos = Long.parseLong(
                        Files.readString(task.resolve("schedstat")).split(" ", -1)[0]);
                cpu += nanos;
                long switches = switches(Files.readAllLines(task.resolve("status")));
                wakeups += switches;
                String name = Files.readString(task.resolve("comm")).strip();
                cpuByThread.merge(name, nanos, Long::sum);
                wakeupsByThread.merge(name, switches, Long::sum);
            }
        }
        return new ProcessUsage(cpu, wakeups, cpuByThread, wakeupsByThread);
    }

    public static ProcessUsage own() throws IOException {
        return of(ProcessHandle.current().pid());
    }

    /** What was used since an earlier look. */
    public ProcessUsage since(ProcessUsage earlier) {
        return new ProcessUsage(
                cpuNanos - earlier.cpuNanos,
                wakeups - earlier.wakeups,
                difference(cpuNanosByThread, earlier.cpuNanosByThread),
                difference(wakeupsByThread, earlier.wakeupsByThread));
    }

    /** What the threads of these names used. */
    public ProcessUsage ofThreads(Predicate<String> names) {
        Map<String, Long> cpuByThread = new HashMap<>(cpuNanosByThread);
        cpuByThread.keySet().removeIf(names.negate());
        Map<String, Long> wakeups = new HashMap<>(wakeupsByThread);
        wakeups.keySet().removeIf(names.negate());
        return new ProcessUsage(sum(cpuByThread), sum(wakeups), cpuByThread, wakeups);
    }

    private static Map<String, Long> difference(Map<String, Long> later, Map<String, Long> earlier) {
        Map<String, Long> difference = new HashMap<>();
        later.forEach((name, value) -> difference.put(name, value - earlier.getOrDefault(name, 0L)));
        return difference;
    }

    private static long sum(Map<String, Long> byThread) {
        return byThread.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The threads that used most, with their share of {@code wholeNanos}. */
    public String busiest(int count, long wholeNanos) {
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
