package io.tickwheel.target.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.LoopbackPorts;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;

/**
 * A real RocketMQ, name server, broker and proxy, in a process of its own on free ports; it makes no topic by itself. It can be stopped, killed, and started again with what it had.
 * It does not outlive this JVM, which holds the pipe that a shell beside it reads.
 */
final class RocketmqBroker implements AutoCloseable {

    private static final int START_SECONDS = 120;
    private static final int MOST_AT_ONCE = 32;
    private static final int MOST_EMPTY = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration INVISIBLE = Duration.ofMinutes(10);

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

    /** The consumer group of all that is read. */
    private static final String READERS = """
            {"dataVersion": {"counter": 1, "timestamp": 1}, "subscriptionGroupTable": {"readers": {"groupName": "readers"}}}
            """;

    private static final String TOPIC = """
            "%1$s": {"topicName": "%1$s", "readQueueNums": 4, "writeQueueNums": 4, "perm": 6, "topicFilterType": "SINGLE_TAG",
              "topicSysFlag": 0, "order": false, "attributes": {"message.type": "%2$s"}}""";

    private final Path folder;
    private final String firstTopic;
    private final int namesPort;
    private final int proxyPort;
    private Process process;

    /**
     * Makes a broker in a folder, which must be empty, and starts it.
     *
     * @param topics the types of their messages, such as {@code NORMAL}, by their names
     */
    RocketmqBroker(Path folder, Map<String, String> topics) throws IOException, InterruptedException {
        this.folder = folder;
        this.firstTopic = topics.keySet().iterator().next();
        namesPort = LoopbackPorts.next();
        proxyPort = LoopbackPorts.next();
        Files.writeString(folder.resolve("names.conf"), "bindAddress=127.0.0.1\nlistenPort=" + namesPort + "\n");
        Files.writeString(folder.resolve("proxy.json"), """
                        {"proxyMode": "local", "rocketMQClusterName": "tests", "localServeAddr": "127.0.0.1",
                         "topicRouteServiceCacheExpiredSeconds": 1, "topicRouteServiceCacheRefreshSeconds": 1,
                         "grpcServerPort": %d, "remotingListenPort": %d}
                        """.formatted(proxyPort, LoopbackPorts.next()));
        Files.writeString(folder.resolve("broker.conf"), """
                        brokerClusterName=tests
                        brokerName=tests
                        brokerIP1=127.0.0.1
                        brokerIP2=127.0.0.1
                        bindAddress=127.0.0.1
                        listenPort=%d
                        haListenPort=%d
                        storePathRootDir=%s
                        storePathCommitLog=%s
                        mappedFileSizeCommitLog=33554432
                        mappedFileSizeConsumeQueue=600000
                        messageIndexEnable=false
                        mappedFileSizeTimerLog=1048576
                        autoCreateTopicEnable=false
                        diskMaxUsedSpaceRatio=99
                        """.formatted(
                listenPort(), LoopbackPorts.next(), folder.resolve("store"), folder.resolve("store/commitlog")));
        Path config = Files.createDirectories(folder.resolve("store/config"));
        Files.writeString(config.resolve("subscriptionGroup.json"), READERS);
        String table = topics.entrySet().stream()
                .map(topic -> TOPIC.formatted(topic.getKey(), topic.getValue()))
                .collect(Collectors.joining(","));
        Files.writeString(
                config.resolve("topics.json"),
                "{\"dataVersion\": {\"counter\": 1, \"timestamp\": 1}, \"topicConfigTable\": {" + table + "}}");
        start();
    }

    /** A port of which the second one below is free too: the broker listens there without being told. */
    private static int listenPort() {
        int below = LoopbackPorts.next();
        LoopbackPorts.next();
        int port = LoopbackPorts.next();
        return port - below == 2 ? port : listenPort();
    }

    /** Starts the broker and waits until it says that it has, and clients find its topics. */
    void start() throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Files.deleteIfExists(output);
        List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-Duser.home=" + folder,
                "-Drocketmq.home.dir=" + folder,
                "-cp",
                classPath(),
                BrokerMain.class.getName(),
                "127.0.0.1:" + namesPort));
        process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(output.toFile()))
                .start();
        for (int i = 0; !hasStarted(Files.readString(output)); i++) {
            boolean hasEnded = process.waitFor(100, TimeUnit.MILLISECONDS);
            if (hasEnded || i > START_SECONDS * 10) {
                throw new IllegalStateException("the broker does not start: " + Files.readString(output));
            }
        }
    }

    private boolean hasStarted(String output) {
        if (!output.contains("rocketmq-proxy startup successfully")) {
            return false;
        }
        try {
            Producer producer = ProducerLink.client()
                    .newProducerBuilder()
                    .setClientConfiguration(configuration())
                    .setTopics(firstTopic)
                    .build();
            producer.close();
            return true;
        } catch (ClientException | IOException | RuntimeException e) {
            return false;
        }
    }

    private ClientConfiguration configuration() {
        return ClientConfiguration.newBuilder()
                .setEndpoints(address())
                .enableSsl(false)
                .setRequestTimeout(Duration.ofSeconds(30))
                .build();
    }

    private static String classPath() throws IOException {
        String mains = RocketmqBroker.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        try (InputStream in = RocketmqBroker.class.getResourceAsStream("/rocketmq-broker.classpath")) {
            return mains
                    + File.pathSeparator
                    + new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        }
    }

    /** Kills the broker as kill -9 does. */
    void kill() {
        List<ProcessHandle> children = process.descendants().toList();
        children.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
        children.forEach(child -> child.onExit().join());
    }

    /** Has the broker keep its connections and answer nobody, as kill -STOP does. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Has the broker go on. */
    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        for (ProcessHandle child : process.descendants().toList()) {
            Process sent = new ProcessBuilder("kill", "-" + signal, Long.toString(child.pid())).start();
            assertThat(sent.waitFor()).isZero();
        }
    }

    /** Where the proxy listens. */
    String address() {
        return "127.0.0.1:" + proxyPort;
    }

    /** The first so many messages in a topic that nobody has read yet. */
    List<MessageView> read(String topic, int count) throws ClientException, IOException {
        return read(topic, count, MOST_EMPTY);
    }

    /** All messages in a topic that nobody has read yet. */
    List<MessageView> readAll(String topic) throws ClientException, IOException {
        return read(topic, Integer.MAX_VALUE, 2);
    }

    private List<MessageView> read(String topic, int count, int mostEmpty) throws ClientException, IOException {
        List<MessageView> views = new ArrayList<>();
        try (SimpleConsumer consumer = ProducerLink.client()
                .newSimpleConsumerBuilder()
                .setClientConfiguration(configuration())
                .setConsumerGroup("readers")
                .setAwaitDuration(PATIENCE)
                .setSubscriptionExpressions(Map.of(topic, FilterExpression.SUB_ALL))
                .build()) {
            int empty = 0;
            while (views.size() < count && empty < mostEmpty) {
                List<MessageView> some = consumer.receive(MOST_AT_ONCE, INVISIBLE);
                for (MessageView view : some) {
                    consumer.ack(view);
                }
                views.addAll(some);
                empty = some.isEmpty() ? empty + 1 : 0;
            }
        }
        return views;
    }

    @Override
    public void close() {
        kill();
    }
}
