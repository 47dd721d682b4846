package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What queues that do not get on do to the others: queues without a target, targets that never answer, destinations that are not to be reached, large payloads, a backlog.
 * Each measurement is a JVM of its own, which ends as if it were killed, but for the one before that of the order, and where it
 * says so a second one on what the first left.
 *
 * @param hanging how many targets hang, one measurement for each number
 */
record NeighboursProgram(
        List<String> parts,
        List<String> stores,
        List<Integer> hanging,
        int freshPerSecond,
        int seconds,
        Child child,
        String jvmOptions,
        String payloadOptions,
        int rounds)
        implements LoadProgram {

    private static final String REDIS = "redis";

    /** What the JVMs are told besides: name and value in turns. */
    record Child(List<String> options) {}

    static NeighboursProgram of(Options options) {
        List<String> child = new ArrayList<>();
        pass(options, child, "stuck-queues", 1_000);
        pass(options, child, "overdue", 10_000);
        pass(options, child, "hanging-overdue", 5_000);
        pass(options, child, "hang-ms", 30_000);
        pass(options, child, "down", 10_000);
        pass(options, child, "down-overdue", 25);
        pass(options, child, "burst", 50_000);
        pass(options, child, "payloads", 500);
        pass(options, child, "payload-bytes", 1 << 20);
        pass(options, child, "backlog", 240_000);
        pass(options, child, "same-queue", 1_000_000);
        pass(options, child, "answer-ms", 20);
        int freshPerSecond = options.number("fresh-a-second", 200);
        int seconds = options.number("seconds", 20);
        child.addAll(
                List.of("--fresh-a-second", Integer.toString(freshPerSecond), "--seconds", Integer.toString(seconds)));
        return new NeighboursProgram(
                options.list("parts", "stuck,hanging,down,order,payloads,backlog,same-queue"),
                options.list("stores", "file,redis"),
                options.numbers("hanging", "16,17,200,5000"),
                freshPerSecond,
                seconds,
                new Child(child),
                options.text("jvm-options", "-Xmx512m"),
                options.text("payload-options", "-Xmx256m"),
                options.number("rounds", 1));
    }

    private static void pass(Options options, List<String> child, String name, int otherwise) {
        child.addAll(List.of("--" + name, Integer.toString(options.number(name, otherwise))));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "Beside them a queue in order gets %,d timers a second for %,d s, each due a second after it is scheduled, and a "
                        + "burst due at one%nmillisecond. %s, with large payloads %s. Figures after the fifth second are of "
                        + "timers scheduled from then on.%n%n",
                freshPerSecond, seconds, jvmOptions, payloadOptions);
        Results results = new Results(stores.toArray(new String[0]));
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (String store : stores) {
                for (String part : parts) {
                    part(part, store, data, results);
                }
            }
        }
        results.print();
    }

    private void part(String part, String store, DataDirectory data, Results results) throws Exception {
        switch (part) {
            case "stuck" ->
                on(store, data, where -> {
                    add("stuck, ", store, results, jvm(jvmOptions, "stuck", where));
                    add("stuck, opened again, ", store, results, jvm(jvmOptions, "stuck-again", where));
                });
            case "hanging" -> {
                for (int targets : hanging) {
                    on(store, data, where -> {
                        List<String> more = with(where, "--hanging", Integer.toString(targets));
                        add(targets + " hanging, ", store, results, jvm(jvmOptions, "hanging", more));
                    });
                }
            }
            case "down" -> on(store, data, where -> add("down, ", store, results, jvm(jvmOptions, "down", where)));
            case "order" ->
                on(store, data, where -> {
                    jvm(jvmOptions, "order-fill", where);
                    add("order, ", store, results, jvm(jvmOptions, "order", where));
                });
            case "payloads" ->
                on(store, data, where -> {
                    jvm(payloadOptions, "payloads-fill", where);
                    add("payloads, ", store, results, jvm(payloadOptions, "payloads", where));
                });
            case "backlog" ->
                on(store, data, where -> {
                    jvm(jvmOptions, "backlog-fill", where);
                    add("backlog, ", store, results, jvm(jvmOptions, "backlog", where));
                });
            case "same-queue" ->
                on(store, data, where -> {
                    jvm(jvmOptions, "same-queue-fill", where);
                    add("same queue, ", store, results, jvm(jvmOptions, "same-queue", where));
                });
            default -> throw new IllegalArgumentException("no part " + part);
        }
    }

    /** What is done with a store, which the options name. */
    private interface Measurement {
        void on(List<String> where) throws Exception;
    }

    private static void on(String store, DataDirectory data, Measurement measurement) throws Exception {
        if (store.equals(REDIS)) {
            try (RedisUnderTest redis = RedisUnderTest.single()) {
                measurement.on(List.of("--redis", redis.uri()));
            }
        } else {
            Path directory = data.fresh("neighbours");
            measurement.on(List.of("--directory", directory.toString()));
            DataDirectory.delete(directory);
        }
    }

    private static List<String> with(List<String> options, String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return all;
    }

    private Map<String, Double> jvm(String heap, String part, List<String> where) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(part));
        arguments.addAll(where);
        arguments.addAll(child.options());
        return ChildJvm.run(heap + " -XX:+ExitOnOutOfMemoryError", NeighboursChild.class, arguments);
    }

    private static void add(String prefix, String store, Results results, Map<String, Double> figures) {
        figures.forEach((measure, figure) -> results.add(prefix + measure, store, figure));
    }
}
