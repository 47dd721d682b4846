package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.KafkaException;

/** Which brokers, and how they are reached: the options that target and source have in common, as settings of Kafka's clients. They may have passwords, and are never shown. */
final class BrokerSettings {

    private static final String SERVERS = "bootstrapServers";
    private static final String CLIENT = "clientId";
    private static final String FILE = "propertiesFile";

    private static final String DEFAULT_CLIENT = "tickwheel";

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(SERVERS, "list of host:port"),
            KindOption.of(CLIENT, "text", DEFAULT_CLIENT),
            KindOption.of(FILE, "file"));

    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}");

    /** What the file may say: who we are, how to reach the brokers, and how tightly to pack. */
    private static final Pattern OF_FILE = Pattern.compile(
            "(security|sasl|ssl|compression|metadata|reconnect|socket)\\..+|client\\.dns\\.lookup|batch\\.size");

    private BrokerSettings() {}

    /**
     * Reads the options.
     *
     * @throws InvalidTargetException with the name of the option that breaks a rule, and with no value
     */
    static Map<String, Object> read(OptionReader options) {
        Map<String, Object> settings = new HashMap<>(fromFile(options));
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers(options));
        settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, options.text(CLIENT, DEFAULT_CLIENT));
        settings.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
        return settings;
    }

    private static String servers(OptionReader options) {
        String servers = options.text(SERVERS, "");
        for (String server : servers.split(",", -1)) {
            if (!SERVER.matcher(server.strip()).matches()) {
                throw options.invalid(SERVERS, "must be host:port, or several with commas between them");
            }
        }
        return servers;
    }

    private static Map<String, Object> fromFile(OptionReader options) {
        String file = options.text(FILE);
        Map<String, Object> settings = new HashMap<>();
        if (file == null) {
            return settings;
        }
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            properties.load(in);
        } catch (IOException | IllegalArgumentException e) {
            String what = e instanceof InvalidPathException ? "a path" : "a readable file of properties";
            throw options.invalid(FILE, "must be " + what);
        }
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!OF_FILE.matcher(name).matches()) {
                throw options.invalid(FILE, "has " + name + ", which must not be set there");
            }
            settings.put(name, properties.getProperty(name));
        }
        return settings;
    }

    /** Asks whether a client was refused because no address of a broker is known: that may change, and ends no start of a server. */
    static boolean isUnresolved(KafkaException refused) {
        String unresolved = "No resolvable bootstrap urls";
        return String.valueOf(refused.getCause()).contains(unresolved)
                || String.valueOf(refused.getMessage()).contains(unresolved);
    }

    /** Refuses what a client has refused; its words may have a password in them, so that only names are shown. */
    static InvalidTargetException refusal(String client, Map<String, Object> settings, RuntimeException refused) {
        String said = refused + " " + refused.getCause();
        TreeSet<String> names = new TreeSet<>();
        for (String name : settings.keySet()) {
            if (said.contains(name)) {
                names.add(name);
            }
        }
        return new InvalidTargetException(
                InvalidTargetException.INVALID_TARGET,
                FILE,
                "has settings that Kafka's " + client + " refuses"
                        + (names.isEmpty() ? "" : ": see " + String.join(", ", names)));
    }
}
