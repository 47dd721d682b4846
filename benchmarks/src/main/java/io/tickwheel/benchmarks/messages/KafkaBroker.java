package io.tickwheel.benchmarks.messages;

import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.PeerProcess;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.target.kafka.KafkaTargetKind;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** One node of Kafka with its usual settings, a heap of 512 MiB, and a topic of four partitions. */
final class KafkaBroker implements Broker {

    private static final int PARTITIONS = 4;

    private final PeerProcess process;
    private final String servers;
    private final Admin admin;

    private KafkaBroker(PeerProcess process, String servers) {
        this.process = process;
        this.servers = servers;
        this.admin = Admin.create(Map.of("bootstrap.servers", servers));
    }

    static Broker start(Path folder) throws Exception {
        InetSocketAddress address = Loopback.freePort();
        InetSocketAddress controller = Loopback.freePort();
        Path settings = Files.writeString(folder.resolve("server.properties"), """
                        process.roles=broker,controller
                        node.id=1
                        controller.quorum.voters=1@%2$s
                        listeners=PLAINTEXT://%1$s,CONTROLLER://%2$s
                        controller.listener.names=CONTROLLER
                        log.dirs=%3$s
                        offsets.topic.replication.factor=1
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
        KafkaBroker broker = new KafkaBroker(
                PeerProcess.start(java("kafka.Kafka", settings.toString()), address, output),
                Loopback.authority(address));
        broker.admin
                .createTopics(List.of(new NewTopic(PLACE, PARTITIONS, (short) 1)))
                .all()
                .get();
        return broker;
    }

    private static List<String> java(String... arguments) {
        return Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx512m",
                                "-cp",
                                System.getProperty("java.class.path")),
                        Stream.of(arguments))
                .toList();
    }

    @Override
    public TargetKind kind() {
        return new KafkaTargetKind();
    }

    @Override
    public Map<String, String> options() {
        return Map.of("bootstrapServers", servers);
    }

    @Override
    public long messages() throws Exception {
        List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(PLACE, partition))
                .toList();
        long messages = 0;
        for (TopicPartition partition : partitions) {
            messages += admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
        return messages;
    }

    @Override
    public Inlet inlet() throws Exception {
        admin.createTopics(List.of(new NewTopic(KafkaInlet.IN, PARTITIONS, (short) 1)))
                .all()
                .get();
        return new KafkaInlet(options());
    }

    @Override
    public void close() {
        admin.close();
        process.close();
    }
}
