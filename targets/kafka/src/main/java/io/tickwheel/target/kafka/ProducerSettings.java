package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The options of the target as settings of Kafka's producer. What the promises of the target hang on cannot be changed: each record is confirmed by all replicas that are
 * in sync, once, in its order, and no call waits.
 *
 * @param producer what the producer is made with; may have passwords, and is never shown
 * @param longestWait how long an attempt may wait for what the brokers know of its topic
 */
record ProducerSettings(Map<String, Object> producer, Duration longestWait) {

    private static final String SERVERS = "bootstrapServers";
    private static final String CLIENT = "clientId";
    private static final String FILE = "propertiesFile";
    private static final String BYTES = "maxBytes";
    private static final String TIMEOUT = "timeoutMs";
    private static final String LINGER = "lingerMs";

    static final List<String> NAMES = List.of(SERVERS, CLIENT, FILE, BYTES, TIMEOUT, LINGER);

    private static final int DEFAULT_BYTES = 1_048_576;
    private static final int MOST_BYTES = 64 << 20;
    private static final int DEFAULT_TIMEOUT_MS = 30_000;
    private static final int DEFAULT_LINGER_MS = 5;
    private static final int LONGEST_REQUEST_MS = 10_000;
    private static final long BUFFER_BYTES = 32L << 20;

    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}");

    /** What the file may say: who we are, how to reach the brokers, and how tightly to pack. */
    private static final Pattern OF_FILE = Pattern.compile(
            "(security|sasl|ssl|compression|metadata|reconnect|socket)\\..+|client\\.dns\\.lookup|batch\\.size");

    /**
     * Reads the options.
     *
     * @throws InvalidTargetException with the name of the option that breaks a rule, and with no value
     */
    static ProducerSettings read(TargetOptions options) {
        OptionReader reader = new OptionReader(options);
        int timeoutMs = reader.integer(TIMEOUT, DEFAULT_TIMEOUT_MS, 2_000, 120_000);
        int lingerMs = reader.integer(LINGER, DEFAULT_LINGER_MS, 0, 100);
        int maxBytes = reader.integer(BYTES, DEFAULT_BYTES, 1_024, MOST_BYTES);
        int waitMs = timeoutMs / 4;
        int deliveryMs = timeoutMs - waitMs;
        Map<String, Object> producer = new HashMap<>(fromFile(reader));
        producer.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers(reader));
        producer.put(ProducerConfig.CLIENT_ID_CONFIG, reader.text(CLIENT, "tickwheel"));
        producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.put(ProducerConfig.ACKS_CONFIG, "all");
        producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // With more, a broker that takes a partition over in between writes the second request and not the first, as
        // it knows no number that comes before; the first is then out of order for as long as it may be tried.
        producer.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        producer.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        producer.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
        producer.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryMs);
        producer.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(LONGEST_REQUEST_MS, deliveryMs / 2));
        producer.put(ProducerConfig.LINGER_MS_CONFIG, lingerMs);
        producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxBytes);
        producer.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(BUFFER_BYTES, 4L * maxBytes));
        return new ProducerSettings(Map.copyOf(producer), Duration.ofMillis(waitMs));
    }

    private static String servers(OptionReader reader) {
        String servers = reader.text(SERVERS, "");
        for (String server : servers.split(",", -1)) {
            if (!SERVER.matcher(server.strip()).matches()) {
                throw reader.invalid(SERVERS, "must be host:port, or several with commas between them");
            }
        }
        return servers;
    }

    private static Map<String, Object> fromFile(OptionReader reader) {
        String file = reader.text(FILE);
        Map<String, Object> settings = new HashMap<>();
        if (file == null) {
            return settings;
        }
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            properties.load(in);
        } catch (IOException | IllegalArgumentException e) {
            String what = e instanceof InvalidPathException ? "a path" : "a readable file of properties";
            throw reader.invalid(FILE, "must be " + what);
        }
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!OF_FILE.matcher(name).matches()) {
                throw reader.invalid(FILE, "has " + name + ", which must not be set there");
            }
            settings.put(name, properties.getProperty(name));
        }
        return settings;
    }

    /** Refuses what the producer has refused; its words may have a password in them, so that only names are shown. */
    InvalidTargetException refusal(RuntimeException refused) {
        String said = refused + " " + refused.getCause();
        TreeSet<String> names = new TreeSet<>();
        for (String name : producer.keySet()) {
            if (said.contains(name)) {
                names.add(name);
            }
        }
        return new InvalidTargetException(
                InvalidTargetException.INVALID_TARGET,
                FILE,
                "has settings that Kafka's producer refuses"
                        + (names.isEmpty() ? "" : ": see " + String.join(", ", names)));
    }

    @Override
    public String toString() {
        return "ProducerSettings of " + producer.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
    }
}
