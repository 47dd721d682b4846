package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.rocketmq.client.apis.ClientConfiguration;

/**
 * The options of the target. No text of it shows a key or a secret.
 *
 * @param configuration what the client is made with
 * @param timeout how long an attempt may take
 * @param maxBytes how large a payload may be
 */
record ClientOptions(ClientConfiguration configuration, Duration timeout, int maxBytes) {

    private static final String ENDPOINTS = "endpoints";
    private static final String ACCESS_KEY = "accessKey";
    private static final String SECRET_KEY = "secretKey";
    private static final String NAMESPACE = "namespace";
    private static final String TLS = "tls";
    private static final String TIMEOUT = "timeoutMs";
    private static final String BYTES = "maxBytes";

    /** Of an attempt, in which the client asks for the topic, greets a proxy, and sends, once more if need be. */
    private static final int REQUESTS = 4;

    private static final int DEFAULT_TIMEOUT_MS = 12_000;
    private static final int DEFAULT_BYTES = 4 << 20;

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(ENDPOINTS, "list of host:port"),
            KindOption.secret(ACCESS_KEY),
            KindOption.secret(SECRET_KEY),
            KindOption.of(NAMESPACE, "text"),
            KindOption.of(TLS, "true or false", true),
            KindOption.of(TIMEOUT, "ms", DEFAULT_TIMEOUT_MS),
            KindOption.of(BYTES, "bytes", DEFAULT_BYTES));

    private static final int LAST_PORT = 65_535;
    private static final String PORT = ":[0-9]{1,5}";
    private static final Pattern ONE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+)" + PORT);

    /** The client resolves no names where it is given several places. */
    private static final Pattern SEVERAL =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}" + PORT + "(;[0-9]{1,3}(\\.[0-9]{1,3}){3}" + PORT + ")+");

    /**
     * Reads the options.
     *
     * @throws InvalidTargetException with the name of the option that breaks a rule, and with no value
     */
    static ClientOptions read(TargetOptions options) {
        OptionReader reader = new OptionReader(options);
        Duration timeout = Duration.ofMillis(reader.integer(TIMEOUT, DEFAULT_TIMEOUT_MS, 2_000, 120_000));
        var configuration = ClientConfiguration.newBuilder()
                .setEndpoints(endpoints(reader))
                .enableSsl(reader.bool(TLS, true))
                .setNamespace(reader.text(NAMESPACE, ""))
                .setRequestTimeout(timeout.dividedBy(REQUESTS));
        String accessKey = reader.text(ACCESS_KEY, "");
        String secretKey = reader.text(SECRET_KEY, "");
        if (accessKey.isEmpty() != secretKey.isEmpty()) {
            throw reader.invalid(
                    accessKey.isEmpty() ? ACCESS_KEY : SECRET_KEY,
                    "must be there with " + (accessKey.isEmpty() ? SECRET_KEY : ACCESS_KEY));
        }
        if (!accessKey.isEmpty()) {
            configuration.setCredentialProvider(new Credentials(accessKey, secretKey));
        }
        return new ClientOptions(configuration.build(), timeout, reader.integer(BYTES, DEFAULT_BYTES, 1, 64 << 20));
    }

    private static String endpoints(OptionReader reader) {
        String endpoints = reader.text(ENDPOINTS, "");
        boolean isLegal =
                ONE.matcher(endpoints).matches() || SEVERAL.matcher(endpoints).matches();
        if (!isLegal || !Arrays.stream(endpoints.split(";", -1)).allMatch(ClientOptions::hasPort)) {
            throw reader.invalid(
                    ENDPOINTS, "must be host:port, or several IPv4 addresses and ports with ';' between them");
        }
        return endpoints;
    }

    private static boolean hasPort(String endpoint) {
        int port = Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
        return port > 0 && port <= LAST_PORT;
    }

    @Override
    public String toString() {
        return "ClientOptions of " + configuration.getEndpoints();
    }
}
