package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.LoopbackPorts;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A real broker of Kafka, controller and all, in a process of its own on two free ports of the loopback interface; it makes no topic by itself. It can be killed and started again with what it had, and suspended. It
 * does not outlive this JVM, which holds the pipe that a shell beside it reads.
 */
final class KafkaBroker implements AutoCloseable {

    /** After how long the controller believes a broker dead that says nothing; one that was killed is not let in before. */
    static final Duration PATIENT = Duration.ofSeconds(30);

    static final Duration IMPATIENT = Duration.ofSeconds(2);

    private static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";
    private static final int START_SECONDS = 60;

    /** Runs a program and, when the pipe from this JVM ends before the program does, kills it. */
    private static final String GUARD = """
            exec 3<&0
            "$@" < /dev/null 3<&- &
            child=$!
            (read -r end <&3; kill -9 $child) &
            guard=$!
            wait $child
            status=$?
            kill -9 $guard
            exit $status
            """;

    /** What is in a folder that has been formatted, by the names of its files. */
    private static final Map<String, byte[]> FORMATTED = new HashMap<>();

    private final Path folder;
    private final int port;
    private Process process;

    /** Makes a broker in a folder, which must be empty, and starts it. */
    KafkaBroker(Path folder, Duration session) throws IOException, InterruptedException {
        this.folder = folder;
        port = LoopbackPorts.next();
        Files.writeString(folder.resolve("server.properties"), """
                        process.roles=broker,controller
                        node.id=1
                        controller.quorum.voters=1@127.0.0.1:%2$d
                        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                        controller.listener.names=CONTROLLER
                        log.dirs=%3$s
                        auto.create.topics.enable=false
                        broker.session.timeout.ms=%4$d
                        broker.heartbeat.interval.ms=500
                        log.cleaner.dedupe.buffer.size=4194304
                        group.initial.rebalance.delay.ms=0
                        offsets.topic.replication.factor=1
                        offsets.topic.num.partitions=1
                        transaction.state.log.replication.factor=1
                        transaction.state.log.min.isr=1
                        transaction.state.log.num.partitions=1
                        """.formatted(
                        port, LoopbackPorts.next(), folder.resolve("logs"), session.toMillis()));
        format(folder.resolve("logs"));
        start();
    }

    /** Formats the first folder with the program for that, which takes longer than a test, and gives the others what it wrote: no port is in it. */
    private void format(Path logs) throws IOException, InterruptedException {
        synchronized (FORMATTED) {
            if (FORMATTED.isEmpty()) {
                Process format = java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", "server.properties");
                assertThat(format.waitFor(START_SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(format.exitValue()).as(said()).isZero();
                try (Stream<Path> files = Files.walk(logs)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        FORMATTED.put(logs.relativize(file).toString(), Files.readAllBytes(file));
                    }
                }
            } else {
                for (Map.Entry<String, byte[]> each : FORMATTED.entrySet()) {
                    Path file = logs.resolve(each.getKey());
                    Files.createDirectories(file.getParent());
                    Files.write(file, each.getValue());
                }
            }
        }
    }

    private Process java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                GUARD,
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("output").toFile()))
                .start();
    }

    /** Starts the broker and waits until it answers. */
    void start() throws IOException {
        process = java("kafka.Kafka", "server.properties");
        try (Admin admin = admin()) {
            admin.describeCluster().nodes().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the broker does not start: " + said(), e);
        }
    }

    private String said() throws IOException {
        Path output = folder.resolve("output");
        return Files.exists(output) ? Files.readString(output) : "";
    }

    /** Kills the broker as kill -9 does. */
    void kill() {
        List<ProcessHandle> children = process.descendants().toList();
        children.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
        children.forEach(child -> child.onExit().join());
    }

    /** Has the broker do nothing, as a machine does that is too busy; what is sent to it waits. */
    void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        for (ProcessHandle child : process.descendants().toList()) {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(child.pid())).start();
            assertThat(kill.waitFor()).isZero();
        }
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", address(), "default.api.timeout.ms", START_SECONDS * 1_000));
    }

    /** Makes a topic, as soon as the broker is let in. */
    void createTopic(String topic, int partitions) throws Exception {
        createTopic(topic, partitions, Map.of());
    }

    void createTopic(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            boolean isMade = false;
            while (!isMade) {
                isMade = isMade(admin, new NewTopic(topic, partitions, (short) 1).configs(settings));
            }
        }
    }

    /** Deletes a topic, and waits until nobody knows it. */
    void deleteTopic(String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get(START_SECONDS, TimeUnit.SECONDS);
            while (admin.listTopics()
                    .names()
                    .get(START_SECONDS, TimeUnit.SECONDS)
                    .contains(topic)) {
                Thread.onSpinWait();
            }
        }
    }

    /** Sets a group back to the beginning of a topic with one partition, as soon as it has no member any more. */
    void rewind(String group, String topic) throws Exception {
        set(group, new TopicPartition(topic, 0), new OffsetAndMetadata(0));
    }

    /** Has a group go on somewhere else, as soon as it has no member any more. */
    void set(String group, TopicPartition partition, OffsetAndMetadata offset) throws Exception {
        try (Admin admin = admin()) {
            boolean isSet = false;
            while (!isSet) {
                isSet = isSet(admin, group, Map.of(partition, offset));
            }
        }
    }

    private static boolean isSet(Admin admin, String group, Map<TopicPartition, OffsetAndMetadata> offsets)
            throws Exception {
        try {
            admin.alterConsumerGroupOffsets(group, offsets).all().get(START_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownMemberIdException) {
                return false;
            }
            throw e;
        }
    }

    /** The offset that a group has committed of a partition; empty when none. */
    OptionalLong committed(String group, TopicPartition partition) {
        return offset(group, partition).stream()
                .mapToLong(OffsetAndMetadata::offset)
                .findFirst();
    }

    /** What a group has committed of a partition; empty when nothing. */
    Optional<OffsetAndMetadata> offset(String group, TopicPartition partition) {
        try (Admin admin = admin()) {
            return Optional.ofNullable(admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(START_SECONDS, TimeUnit.SECONDS)
                    .get(partition));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The offset of the next record of a partition. */
    long end(TopicPartition partition) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", address()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.endOffsets(List.of(partition)).get(partition);
        }
    }

    private static boolean isMade(Admin admin, NewTopic topic) throws Exception {
        try {
            admin.createTopics(List.of(topic)).all().get(START_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidReplicationFactorException) {
                return false;
            }
            throw e;
        }
    }

    /** All that is in a topic now, each partition in its order. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", address()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(KafkaBroker::partition)
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            while (!partitions.stream()
                    .filter(partition -> consumer.position(partition) < ends.get(partition))
                    .collect(Collectors.toSet())
                    .isEmpty()) {
                consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
            }
            return records;
        }
    }

    private static TopicPartition partition(PartitionInfo info) {
        return new TopicPartition(info.topic(), info.partition());
    }

    @Override
    public void close() {
        kill();
    }
}
