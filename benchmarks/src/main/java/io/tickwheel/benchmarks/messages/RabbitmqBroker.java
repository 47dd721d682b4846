package io.tickwheel.benchmarks.messages;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.PeerProcess;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.target.rabbitmq.RabbitmqTargetKind;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The RabbitMQ that is installed, with a durable classic queue behind its default exchange. */
final class RabbitmqBroker implements Broker {

    private static final Path PROGRAM = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

    /** Erlang's port mapper would listen everywhere and stay; both end with the shell. */
    private static final String SHELL = """
            epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" & epmd=$!
            "$0" & server=$!
            trap 'kill -9 $server $epmd; exit 0' TERM
            wait $server
            """;

    private final PeerProcess process;
    private final InetSocketAddress address;
    private final Connection connection;

    private RabbitmqBroker(PeerProcess process, InetSocketAddress address, Connection connection) {
        this.process = process;
        this.address = address;
        this.connection = connection;
    }

    static Broker start(Path folder) throws Exception {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IllegalArgumentException(
                    "RabbitMQ is not installed: apt-get install --no-install-recommends rabbitmq-server");
        }
        InetSocketAddress address = Loopback.freePort();
        Path home = Files.createDirectories(folder.resolve("rabbitmq")).toAbsolutePath();
        Files.writeString(home.resolve("rabbitmq.conf"), "listeners.tcp.1 = 127.0.0.1:" + address.getPort() + "\n");
        Files.writeString(home.resolve("advanced.config"), "[{kernel,[{inet_dist_use_interface,{127,0,0,1}}]}].\n");
        Files.writeString(home.resolve("plugins"), "[].\n");
        Files.writeString(home.resolve("env.conf"), "");
        PeerProcess process = PeerProcess.start(
                List.of("sh", "-c", SHELL, PROGRAM.toString()),
                environment(home, address.getPort()),
                address,
                folder.resolve("output"));
        Connection connection = factory(address).newConnection();
        connection.createChannel().queueDeclare(PLACE, true, false, false, null);
        return new RabbitmqBroker(process, address, connection);
    }

    private static ConnectionFactory factory(InetSocketAddress address) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(address.getAddress().getHostAddress());
        factory.setPort(address.getPort());
        return factory;
    }

    private static Map<String, String> environment(Path home, int port) throws Exception {
        return Map.ofEntries(
                Map.entry("HOME", home.toString()),
                Map.entry("ERL_EPMD_ADDRESS", "127.0.0.1"),
                Map.entry("ERL_EPMD_PORT", Integer.toString(Loopback.freePort().getPort())),
                Map.entry("ERL_FLAGS", "-start_epmd false"),
                // So that the script becomes Erlang instead of starting it.
                Map.entry("RABBITMQ_ALLOW_INPUT", "1"),
                Map.entry("RABBITMQ_NODENAME", "tickwheel-" + port + "@localhost"),
                Map.entry(
                        "RABBITMQ_DIST_PORT",
                        Integer.toString(Loopback.freePort().getPort())),
                Map.entry("RABBITMQ_MNESIA_BASE", home.resolve("mnesia").toString()),
                Map.entry("RABBITMQ_LOG_BASE", home.resolve("log").toString()),
                Map.entry("RABBITMQ_CONFIG_FILE", home.resolve("rabbitmq").toString()),
                Map.entry(
                        "RABBITMQ_ADVANCED_CONFIG_FILE",
                        home.resolve("advanced.config").toString()),
                Map.entry("RABBITMQ_CONF_ENV_FILE", home.resolve("env.conf").toString()),
                Map.entry(
                        "RABBITMQ_ENABLED_PLUGINS_FILE", home.resolve("plugins").toString()),
                Map.entry(
                        "RABBITMQ_GENERATED_CONFIG_DIR",
                        home.resolve("generated").toString()),
                Map.entry("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-setcookie tickwheel -noinput"));
    }

    @Override
    public TargetKind kind() {
        return new RabbitmqTargetKind();
    }

    @Override
    public Map<String, String> options() {
        return Map.of("host", address.getAddress().getHostAddress(), "port", Integer.toString(address.getPort()));
    }

    /** The default exchange, which routes by the name of a queue. */
    @Override
    public String setting() {
        return " " + PLACE;
    }

    @Override
    public long messages() throws Exception {
        return connection.createChannel().messageCount(PLACE);
    }

    @Override
    public Inlet inlet() throws Exception {
        return RabbitmqInlet.open(options(), factory(address));
    }

    @Override
    public void close() {
        connection.abort();
        process.close();
    }
}
