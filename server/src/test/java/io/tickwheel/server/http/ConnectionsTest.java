package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.access.ClientNetwork;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ConnectionsTest {

    private final SteppedClock clock = new SteppedClock();

    @Test
    void eachNetworkHasItsShareAndAllHaveALimit() {
        Connections connections = new Connections(5, 2, clock);
        assertThat(connections.opened("a")).isTrue();
        assertThat(connections.opened("a")).isTrue();
        assertThat(connections.opened("a")).isFalse();
        assertThat(connections.opened("b")).isTrue();
        assertThat(connections.opened("b")).isTrue();
        assertThat(connections.opened("c")).isTrue();
        assertThat(connections.opened("c")).isFalse();
        assertThat(connections.opened("d")).isFalse();
        connections.closed("a");
        assertThat(connections.opened("d")).isTrue();
        assertThat(connections.opened("a")).isFalse();
    }

    @Test
    void nothingIsLeftOfNetworksThatHaveGone() {
        Connections connections = new Connections(2, 2, clock);
        for (int i = 0; i < 10_000; i++) {
            assertThat(connections.opened("n" + i)).isTrue();
            assertThat(connections.networks()).isEqualTo(1);
            connections.closed("n" + i);
        }
        assertThat(connections.networks()).isZero();
    }

    @Test
    void whoKnocksHasALineAMinute() {
        try (LoggedEvents logged = new LoggedEvents()) {
            Connections connections = new Connections(1, 1, clock);
            connections.opened("a");
            for (int i = 0; i < 1_000; i++) {
                assertThat(connections.opened("a")).isFalse();
            }
            assertThat(logged.messages(Level.WARN)).hasSize(1).allMatch(line -> line.contains("connectionsPerAddress"));
            clock.step(Duration.ofMinutes(1));
            connections.opened("a");
            connections.opened("a");
            assertThat(logged.messages(Level.WARN)).hasSize(2).anyMatch(line -> line.contains("1001 so far"));
            assertThat(logged.messages(Level.ERROR)).isEmpty();
        }
    }

    @Test
    void networkOfIpv6IsItsFirstHalf() {
        assertThat(ClientNetwork.of("2001:db8:0:1:2:3:4:5")).isEqualTo("2001:db8:0:1");
        assertThat(ClientNetwork.of("127.0.0.1")).isEqualTo("127.0.0.1");
    }

    @Test
    void whatIsLeftOpenOfANetworkCounts() {
        Connections connections = new Connections(10, 3, new SteppedClock());
        assertThat(connections.opened("a")).isTrue();
        assertThat(connections.opened("a")).isTrue();
        connections.closed("a");
        assertThat(connections.networks()).isEqualTo(1);
        assertThat(connections.opened("a")).isTrue();
        assertThat(connections.opened("a")).isTrue();
        assertThat(connections.opened("a")).isFalse();
    }
}
