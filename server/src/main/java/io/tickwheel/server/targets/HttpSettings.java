package io.tickwheel.server.targets;

import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.server.targets.DestinationRules.Listed;
import io.tickwheel.server.wire.Excerpt;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The options of HTTP callbacks, {@code targets.http.*}.
 *
 * @param rules where they may go: to public addresses unless told otherwise
 * @param timeouts of an attempt
 * @param nameServers whom to ask for names, one after the other; none for those of the operating system
 * @param namesKeptMs how long the addresses of a name are used without asking again
 */
record HttpSettings(DestinationRules rules, Timeouts timeouts, List<InetSocketAddress> nameServers, int namesKeptMs) {

    private static final String ALLOW = "allow";
    private static final String DENY = "deny";
    private static final String PORTS = "ports";
    private static final String PUBLIC = "public";
    private static final String CONNECT_TIMEOUT = "connectTimeout";
    private static final String HEAD_TIMEOUT = "headTimeout";
    private static final String TOTAL_TIMEOUT = "totalTimeout";
    private static final String NAME_SERVERS = "nameServers";
    private static final String NAMES_KEPT_FOR = "namesKeptFor";

    private static final String DURATION = "duration";
    private static final String DEFAULT_PORTS = "80, 443, 8080, 8443";
    private static final int DEFAULT_NAMES_KEPT_MS = 10_000;
    private static final int DNS_PORT = 53;
    private static final int LEAST_MS = 10;
    private static final int MOST_MS = 600_000;

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(ALLOW, "list of blocks and names"),
            KindOption.of(DENY, "list of blocks and names"),
            KindOption.of(PORTS, "list of ports", DEFAULT_PORTS),
            KindOption.of(PUBLIC, "true or false", true),
            KindOption.of(CONNECT_TIMEOUT, DURATION, text(Timeouts.DEFAULT.connectMs())),
            KindOption.of(HEAD_TIMEOUT, DURATION, text(Timeouts.DEFAULT.headMs())),
            KindOption.of(TOTAL_TIMEOUT, DURATION, text(Timeouts.DEFAULT.totalMs())),
            KindOption.of(NAME_SERVERS, "list of addresses", "those of the operating system"),
            KindOption.of(NAMES_KEPT_FOR, DURATION, text(DEFAULT_NAMES_KEPT_MS)));

    private static String text(int ms) {
        return ms / 1_000 + "s";
    }

    /**
     * Reads options.
     *
     * @throws InvalidTargetException with the name of the one that breaks a rule
     */
    static HttpSettings read(Map<String, String> options) {
        boolean open = option(options, PUBLIC, "true", HttpSettings::flag);
        DestinationRules rules = new DestinationRules(
                listed(options, ALLOW),
                listed(options, DENY),
                option(options, PORTS, DEFAULT_PORTS, Ports::parse),
                open);
        return new HttpSettings(
                rules,
                timeouts(options),
                options.containsKey(NAME_SERVERS)
                        ? option(options, NAME_SERVERS, "", HttpSettings::servers)
                        : List.of(),
                ms(options, NAMES_KEPT_FOR, DEFAULT_NAMES_KEPT_MS, 0));
    }

    private static Listed listed(Map<String, String> options, String name) {
        return options.containsKey(name) ? option(options, name, "", Listed::parse) : Listed.NONE;
    }

    private static Timeouts timeouts(Map<String, String> options) {
        int connectMs = ms(options, CONNECT_TIMEOUT, Timeouts.DEFAULT.connectMs(), LEAST_MS);
        int headMs = ms(options, HEAD_TIMEOUT, Timeouts.DEFAULT.headMs(), LEAST_MS);
        int totalMs = ms(options, TOTAL_TIMEOUT, Timeouts.DEFAULT.totalMs(), LEAST_MS);
        if (headMs < connectMs) {
            throw invalid(HEAD_TIMEOUT, headMs + "ms", "must be at least " + CONNECT_TIMEOUT + ", " + connectMs + "ms");
        }
        if (totalMs < headMs) {
            throw invalid(TOTAL_TIMEOUT, totalMs + "ms", "must be at least " + HEAD_TIMEOUT + ", " + headMs + "ms");
        }
        return new Timeouts(connectMs, headMs, totalMs);
    }

    private static int ms(Map<String, String> options, String name, int absent, int least) {
        return option(options, name, absent + "ms", text -> {
            Duration duration = DurationText.parse(text);
            if (duration.compareTo(Duration.ofMillis(least)) < 0
                    || duration.compareTo(Duration.ofMillis(MOST_MS)) > 0) {
                throw new IllegalArgumentException("must be from " + least + "ms to " + MOST_MS / 60_000 + "m");
            }
            return (int) duration.toMillis();
        });
    }

    private static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        };
    }

    private static List<InetSocketAddress> servers(String text) {
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            servers.add(server(part.strip()));
        }
        return List.copyOf(servers);
    }

    /** By a number only: nobody could be asked for the address of whom to ask. */
    private static InetSocketAddress server(String text) {
        String rule = "must be addresses with commas between, each with a port if it is not " + DNS_PORT;
        boolean bare = text.indexOf(':') < 0 || text.endsWith("]");
        try {
            HttpAddress address = HttpAddress.of("POST", "http://" + text + (bare ? ":" + DNS_PORT : ""));
            InetAddress literal = address.literal();
            if (literal == null || !address.uri().equals("/")) {
                throw new IllegalArgumentException(rule);
            }
            return new InetSocketAddress(literal, address.port());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(rule, e);
        }
    }

    private static <T> T option(Map<String, String> options, String name, String absent, Function<String, T> reader) {
        String value = options.getOrDefault(name, absent);
        try {
            return reader.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(name, value, String.valueOf(e.getMessage()));
        }
    }

    private static InvalidTargetException invalid(String name, String value, String rule) {
        return new InvalidTargetException(
                InvalidTargetException.INVALID_TARGET, name, "is " + Excerpt.quoted(value) + ", " + rule);
    }
}
