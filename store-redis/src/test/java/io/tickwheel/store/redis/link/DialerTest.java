package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.Servers;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How the driver is told what it must know. */
final class DialerTest {

    private static final Endpoint ENDPOINT = new Endpoint("127.0.0.1", 6379);

    private final Dialer dialer = new Dialer(
            Servers.of(RedisAddress.sentinel("main", "redis://127.0.0.1")
                    .withUsername("tick")
                    .withPassword("secret")
                    .withSentinelPassword("hidden")),
            Duration.ofSeconds(1),
            new Inbox(() -> {}));

    @AfterEach
    void closeDialer() {
        dialer.close();
    }

    private ImmediateRedisCredentialsProvider login(boolean sentinel) {
        return assertThat(dialer.uri(ENDPOINT, sentinel).getCredentialsProvider())
                .as("credentials for which the driver need not wait on a thread of its own")
                .asInstanceOf(type(ImmediateRedisCredentialsProvider.class))
                .actual();
    }

    @Test
    void connectionThatIsNotThereAnyMoreIsToldInWords() {
        assertThat(Dialer.reason(new IOException(new ClosedChannelException())))
                .isEqualTo("it was closed by the server, or on the way to it");
        assertThat(Dialer.reason(new IOException("Connection reset by peer"))).isEqualTo("Connection reset by peer");
    }

    /** Whether connections to a server, and to a sentinel, are encrypted. */
    private static List<Boolean> encrypted(RedisAddress address) {
        Dialer dialer = new Dialer(Servers.of(address), Duration.ofSeconds(1), new Inbox(() -> {}));
        try {
            return List.of(
                    dialer.uri(ENDPOINT, false).isSsl(),
                    dialer.uri(ENDPOINT, true).isSsl());
        } finally {
            dialer.close();
        }
    }

    @Test
    void sentinelsAndServersAreEachSpokenWithInTheirWay() {
        RedisAddress plain = RedisAddress.sentinel("main", "redis://a");
        RedisAddress tls = RedisAddress.sentinel("main", "rediss://a");
        assertThat(encrypted(plain)).containsExactly(false, false);
        assertThat(encrypted(plain.withServerTls())).containsExactly(true, false);
        assertThat(encrypted(tls)).containsExactly(true, true);
        assertThat(encrypted(tls.withoutServerTls())).containsExactly(false, true);
        assertThat(encrypted(RedisAddress.cluster("rediss://a"))).containsExactly(true, true);
    }

    /** Otherwise one of some hundred connections was handed over before it took commands, and counted as lost. */
    @Test
    void driverNeedNotWaitForAPassword() {
        assertThat(login(false).resolveCredentialsNow()).satisfies(credentials -> {
            assertThat(credentials.getUsername()).isEqualTo("tick");
            assertThat(credentials.getPassword()).containsExactly("secret".toCharArray());
        });
        assertThat(login(true).resolveCredentialsNow()).satisfies(credentials -> {
            assertThat(credentials.hasUsername()).isFalse();
            assertThat(credentials.getPassword()).containsExactly("hidden".toCharArray());
        });
    }
}
