package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.target.kafka.KafkaTargetKind;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** Timers that are due at once, to a topic of a real broker in a process of its own: how many a second are confirmed by it and acknowledged durably. */
record KafkaProgram(int timers, int partitions, int attempts, int rounds, String brokerOptions) implements LoadProgram {

    private static final String TOPIC = "timers";
    private static final int PAYLOAD_BYTES = 128;
    private static final int WINDOW = 8_192;
    private static final int AHEAD_SECONDS = 20;
    private static final int LIMIT_SECONDS = 120;

    static KafkaProgram of(Options options) {
        return new KafkaProgram(
                options.number("timers", 300_000),
                options.number("partitions", 4),
                options.number("attempts", 4_096),
                options.number("rounds", 3),
                options.text("broker-options", "-Xmx512m"));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers, %d-byte payload, due at once, %d partitions, at most %,d attempts at once; synced to disk.%n%n",
                timers, PAYLOAD_BYTES, partitions, attempts);
        Results results = new Results("Tickwheel");
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            Path folder = data.fresh("kafka");
            InetSocketAddress address = Loopback.freePort();
            PeerProcess broker = broker(folder, address);
            try {
                results.add("delivered, timers/s", "Tickwheel", measure(folder, Loopback.authority(address)));
            } finally {
                broker.close();
            }
        }
        results.print();
    }

    private PeerProcess broker(Path folder, InetSocketAddress address) throws Exception {
        InetSocketAddress controller = Loopback.freePort();
        Path settings = Files.writeString(folder.resolve("server.properties"), """
                        process.roles=broker,controller
                        node.id=1
                        controller.quorum.voters=1@%2$s
                        listeners=PLAINTEXT://%1$s,CONTROLLER://%2$s
                        controller.listener.names=CONTROLLER
                        log.dirs=%3$s
                        """.formatted(
                        Loopback.authority(address),
                        Loopback.authority(controller),
                        folder.resolve("broker").toAbsolutePath()));
        Path output = folder.resolve("output");
        Process format = new ProcessBuilder(java(
                        "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", settings.toString()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (format.waitFor() != 0) {
            throw new IllegalStateException("the broker cannot be made: " + Files.readString(output));
        }
        return PeerProcess.start(java("kafka.Kafka", settings.toString()), address, output);
    }

    private List<String> java(String... arguments) {
        return Stream.of(
                        List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        List.of(brokerOptions.strip().split(" +", -1)),
                        List.of("-cp", System.getProperty("java.class.path")),
                        List.of(arguments))
                .flatMap(List::stream)
                .toList();
    }

    private double measure(Path folder, String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, partitions, (short) 1)))
                    .all()
                    .get();
            Target kafka = new KafkaTargetKind()
                    .open(new TargetOptions(Clock.system(), attempts, Map.of("bootstrapServers", servers)));
            try (Tickwheel shop = Tickwheel.builder(FileTimerStore.in(folder.resolve("timers")))
                    .target("kafka", kafka)
                    .attemptsPerQueue(attempts)
                    .attemptsInAll(attempts)
                    .open()) {
                Instant due = Instant.now().plusSeconds(AHEAD_SECONDS);
                schedule(shop, due);
                if (Instant.now().isAfter(due)) {
                    throw new IllegalStateException("the first timers are due before the last is scheduled");
                }
                return timers / awaitAll(shop, admin, due);
            } finally {
                kafka.close();
            }
        }
    }

    private void schedule(Tickwheel shop, Instant due) throws InterruptedException {
        byte[] payload = new byte[PAYLOAD_BYTES];
        new Random(1).nextBytes(payload);
        Semaphore window = new Semaphore(WINDOW);
        Destination destination = new Destination("kafka", TOPIC);
        for (int i = 0; i < timers; i++) {
            window.acquire();
            CompletableFuture<?> unused = shop.schedule(TimerRequest.at("orders", "order-" + i, due)
                            .withPayload(payload)
                            .withDestination(destination))
                    .whenComplete((done, failure) -> window.release());
        }
        window.acquire(WINDOW);
    }

    /** Seconds from the due time until nothing is left; at least so many records must be in the topic. */
    private double awaitAll(Tickwheel shop, Admin admin, Instant due) throws Exception {
        long dueNanos = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(
                        due.toEpochMilli() - Instant.now().toEpochMilli());
        while (shop.liveCount() > 0) {
            if (System.nanoTime() - dueNanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                throw new IllegalStateException(shop.liveCount() + " timers are left");
            }
            Thread.sleep(1);
        }
        double seconds = (System.nanoTime() - dueNanos) / 1e9;
        long records = 0;
        for (int partition = 0; partition < partitions; partition++) {
            TopicPartition part = new TopicPartition(TOPIC, partition);
            records += admin.listOffsets(Map.of(part, OffsetSpec.latest()))
                    .partitionResult(part)
                    .get()
                    .offset();
        }
        if (records < timers) {
            throw new IllegalStateException("the topic has " + records + " records");
        }
        return seconds;
    }
}
