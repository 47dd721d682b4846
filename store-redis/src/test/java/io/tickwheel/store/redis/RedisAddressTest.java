package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.redis.link.ServerAddress.Access;
import io.tickwheel.store.redis.link.ServerAddress.Login;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

    @Test
    void addressIsWrittenAsItsUris() {
        assertThat(RedisAddress.single("redis://a")).hasToString("redis://a:6379");
        assertThat(RedisAddress.sentinel("main", "rediss://a:1", "rediss://b"))
                .hasToString("master main of sentinels rediss://a:1,rediss://b:26379");
        assertThat(RedisAddress.cluster("redis://[::1]:7000/")).hasToString("cluster redis://[::1]:7000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "http://a", "redis://", "redis://a b", "redis://a/1", "redis://a:port"})
    void whatIsNoUriIsNamed(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.single(uri))
                .withMessageContaining("is " + uri)
                .withMessageContaining("redis://host:port");
    }

    @Test
    void portHasARange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.single("redis://a:65536"))
                .withMessageContaining("65536")
                .withMessageContaining("1 to 65535");
        assertThatIllegalArgumentException().isThrownBy(() -> RedisAddress.single("redis://a:0"));
    }

    @Test
    void passwordIsNeverShown() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.single("redis://me:secret@a"))
                .withMessageContaining("withPassword")
                .withMessageNotContaining("secret");
        RedisAddress address = RedisAddress.sentinel("main", "redis://a")
                .withUsername("me")
                .withPassword("secret")
                .withSentinelUsername("watcher")
                .withSentinelPassword("hidden");
        assertThat(address.toString())
                .contains("me")
                .contains("watcher")
                .doesNotContain("secret")
                .doesNotContain("hidden");
        assertThat(address.servers().access().toString())
                .doesNotContain("secret")
                .doesNotContain("hidden");
    }

    @Test
    void certificatesNeedTls() {
        RedisAddress plain = RedisAddress.single("redis://a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plain.withCertificateAuthority(Path.of("ca.pem")))
                .withMessageContaining("rediss://");
        assertThatIllegalArgumentException().isThrownBy(plain::withoutHostnameCheck);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        RedisAddress.single("rediss://a").withCertificateAuthority(Path.of("no", "such", "ca.pem")))
                .withMessageContaining("ca.pem")
                .withMessageContaining("can be read");
    }

    @Test
    void serversOfSentinelsMayHaveTlsOfTheirOwn(@TempDir Path folder) throws IOException {
        Path ca = Files.writeString(folder.resolve("ca.pem"), "ca");
        RedisAddress plain = RedisAddress.sentinel("main", "redis://a");
        RedisAddress mixed = plain.withServerTls().withCertificateAuthority(ca).withoutHostnameCheck();
        assertThat(mixed.servers().serverTls()).isTrue();
        assertThat(mixed).asString().startsWith("master main of sentinels redis://a:26379, servers with TLS, ");
        assertThat(plain.withServerTls().withoutServerTls()).isEqualTo(plain);
        RedisAddress tls = RedisAddress.sentinel("main", "rediss://a").withCertificateAuthority(ca);
        assertThat(tls.withoutServerTls())
                .asString()
                .startsWith("master main of sentinels rediss://a:26379, servers without TLS, ");
        assertThat(tls.withServerTls()).isEqualTo(tls);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plain.withoutServerTls().withCertificateAuthority(ca))
                .withMessageContaining("servers with TLS");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.single("redis://a").withServerTls())
                .withMessageContaining("is redis://a:6379, must be one of sentinels");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.cluster("rediss://a").withoutServerTls())
                .withMessageContaining("must be one of sentinels");
    }

    @Test
    void addressesAreValues() {
        assertThat(RedisAddress.single("redis://a").withPassword("x"))
                .isEqualTo(RedisAddress.single("redis://a:6379").withPassword("x"))
                .hasSameHashCodeAs(RedisAddress.single("redis://a:6379").withPassword("x"))
                .isNotEqualTo(RedisAddress.single("redis://a").withPassword("y"))
                .isNotEqualTo(RedisAddress.cluster("redis://a").withPassword("x"));
    }

    @Test
    void namesAndPasswordsAreNotEmpty() {
        RedisAddress address = RedisAddress.single("redis://a");
        assertThatIllegalArgumentException().isThrownBy(() -> address.withUsername(""));
        assertThatIllegalArgumentException().isThrownBy(() -> address.withPassword(""));
        assertThatIllegalArgumentException().isThrownBy(() -> RedisAddress.sentinel(" ", "redis://a"));
        assertThatIllegalArgumentException().isThrownBy(() -> RedisAddress.cluster());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.cluster("redis://a", "rediss://b"))
                .withMessageContaining("same scheme");
    }

    /** In whatever order they are given. */
    @Test
    void whatWasSetStaysWhenSomethingElseIsSet(@TempDir Path folder) throws IOException {
        Path ca = Files.writeString(folder.resolve("ca.pem"), "ca");
        Path certificate = Files.writeString(folder.resolve("client.pem"), "client");
        Path key = Files.writeString(folder.resolve("client.key"), "key");
        RedisAddress plain = RedisAddress.sentinel("main", "rediss://a");
        RedisAddress one = plain.withUsername("me")
                .withPassword("x")
                .withoutHostnameCheck()
                .withClientCertificate(certificate, key)
                .withCertificateAuthority(ca)
                .withSentinelUsername("watcher")
                .withSentinelPassword("y");
        RedisAddress other = plain.withSentinelPassword("y")
                .withSentinelUsername("watcher")
                .withCertificateAuthority(ca)
                .withClientCertificate(certificate, key)
                .withPassword("x")
                .withUsername("me")
                .withoutHostnameCheck();
        assertThat(one).isEqualTo(other);
        assertThat(one.servers().access())
                .isEqualTo(new Access(new Login("me", "x"), new Login("watcher", "y"), ca, certificate, key, false));
    }
}
