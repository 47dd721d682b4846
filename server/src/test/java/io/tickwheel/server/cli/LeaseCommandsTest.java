package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The commands on leases of a running server. */
final class LeaseCommandsTest extends ServerCommandScene {

    /** The ids of the leases that a poll has brought. */
    private static List<String> take(String queue, String... options) {
        List<String> arguments = new ArrayList<>(List.of("leases", "take", queue, "--wait", "10s"));
        arguments.addAll(List.of(options));
        String output = done(arguments.toArray()).output();
        return Pattern.compile("\"lease\":\"([^\"]+)\"")
                .matcher(output)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void leasesAreTakenAndEndedInEachWay() {
        assertThat(done("leases", "take", "pulled").output()).isEqualTo("{\"leases\":[]}" + System.lineSeparator());
        for (String key : List.of("a", "b", "d")) {
            server.put("pulled", key, "{\"delay\":\"0s\"}");
        }
        List<String> leases = new ArrayList<>();
        for (int polls = 0; polls < 3 && leases.size() < 3; polls++) {
            leases.addAll(take("pulled", "--max", "3", "--ttl", "50m"));
        }
        assertThat(leases).hasSize(3);
        assertThat(done("leases", "extend", leases.get(0), "--ttl", "1h").output())
                .contains("\"lease\":\"" + leases.get(0) + "\"", "\"expiresAt\":");
        assertThat(done("leases", "ack", leases.get(0)).output()).contains(leases.get(0));
        done("leases", "nack", leases.get(1), "--delay", "2h", "--reason", "not now");
        done("leases", "bury", leases.get(2), "--reason", "never");
        assertThat(List.of("a", "b", "d"))
                .extracting(key -> server.get("pulled", key).field("state"))
                .containsExactlyInAnyOrder("COMPLETED", "PENDING", "DEAD");
        String reasons = server.get("pulled", "a").body()
                + server.get("pulled", "b").body()
                + server.get("pulled", "d").body();
        assertThat(reasons).contains("\"not now\"", "\"never\"");
        Ended again = pipe.run("leases", "ack", leases.get(0));
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.error())
                .startsWith("tickwheel: lease " + leases.get(0) + " is not held: it has ended or expired");
    }

    @Test
    void leasesAreShownAsATable() {
        server.put("pulled-table", "k", "{\"delay\":\"0s\"}");
        assertThat(done("leases", "take", "pulled-table", "--wait", "10s", "--table")
                        .output())
                .startsWith("LEASE ")
                .containsPattern("(?m)^tmr_\\S+ +k +1 +");
    }

    @Test
    void wrongWordsForLeasesAreRefused() {
        assertThat(pipe.run("leases", "extend", "x").error()).contains("--ttl");
    }
}
