package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A real broker of Kafka, controller and all, in a process of its own on two free ports of the loopback interface; it makes no topic by itself, and is believed dead after two seconds. It can be killed and started again with
 * what it had. It does not outlive this JVM, which holds the pipe that a shell beside it reads.
 */
final class KafkaBroker implements AutoCloseable {

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

    private final Path folder;
    private final int port;
    private Process process;

    /** Makes a broker in a folder, which must be empty, and starts it. */
    KafkaBroker(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        int[] ports = freePorts();
        port = ports[0];
        Files.writeString(
                folder.resolve("server.properties"), """
                        process.roles=broker,controller
                        node.id=1
                        controller.quorum.voters=1@127.0.0.1:%2$d
                        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                        controller.listener.names=CONTROLLER
                        log.dirs=%3$s
                        auto.create.topics.enable=false
                        broker.session.timeout.ms=2000
                        broker.heartbeat.interval.ms=500
                        offsets.topic.replication.factor=1
                        offsets.topic.num.partitions=1
                        """.formatted(ports[0], ports[1], folder.resolve("logs")));
        Process format = java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", "server.properties");
        assertThat(format.waitFor(START_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(format.exitValue()).as(said()).isZero();
        start();
    }

    private static int[] freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback)) {
            return new int[] {first.getLocalPort(), second.getLocalPort()};
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

    String address() {
        return "127.0.0.1:" + port;
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", address(), "default.api.timeout.ms", START_SECONDS * 1_000));
    }

    void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(START_SECONDS, TimeUnit.SECONDS);
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
