package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How the driver is told what it must know. */
final class ServerOptionsTest {

    private static RedisURI uri(Map<String, String> options) {
        return ServerOptions.read(new TargetOptions(Clock.system(), 1, options))
                .uris()
                .get(0);
    }

    /** Otherwise one of some hundred connections was handed over before it took commands. */
    @Test
    void driverNeedNotWaitForAPassword() {
        RedisURI single = uri(Map.of("uri", "redis://127.0.0.1", "password", "secret"));
        RedisURI sentinels = uri(Map.of(
                "uri", "redis://127.0.0.1,redis://127.0.0.2",
                "sentinelMaster", "main",
                "username", "tick",
                "password", "secret",
                "sentinelUsername", "watcher",
                "sentinelPassword", "hidden"));
        assertThat(single.getCredentialsProvider()).isInstanceOf(ImmediateRedisCredentialsProvider.class);
        assertThat(sentinels.getCredentialsProvider()).isInstanceOf(ImmediateRedisCredentialsProvider.class);
        assertThat(sentinels.getSentinels())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.getCredentialsProvider())
                        .isInstanceOfSatisfying(
                                ImmediateRedisCredentialsProvider.class,
                                login -> assertThat(
                                                login.resolveCredentialsNow().getUsername())
                                        .isEqualTo("watcher")));
    }

    @Test
    void portIsThatOfServersOrOfSentinelsUnlessSomebodySaysOtherwise() {
        assertThat(uri(Map.of("uri", "redis://127.0.0.1")).getPort()).isEqualTo(6379);
        RedisURI sentinels = uri(Map.of("uri", "redis://127.0.0.1,redis://127.0.0.1:7", "sentinelMaster", "main"));
        assertThat(sentinels.getSentinels()).extracting(RedisURI::getPort).containsExactly(26379, 7);
    }

    @Test
    void hostNameInACertificateIsLookedAtUnlessSomebodySaysOtherwise() {
        Map<String, String> options = Map.of("uri", "rediss://127.0.0.1");
        assertThat(uri(options).getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
        assertThat(uri(options).isSsl()).isTrue();
        assertThat(uri(Map.of("uri", "rediss://127.0.0.1", "hostnameCheck", "false"))
                        .getVerifyMode())
                .isEqualTo(SslVerifyMode.CA);
    }
}
