package io.tickwheel.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RedisBinaryTest {

    private final Optional<String> named = Optional.ofNullable(System.getProperty(RedisBinary.PROPERTY));

    @AfterEach
    void restoreProperty() {
        named.ifPresentOrElse(
                path -> System.setProperty(RedisBinary.PROPERTY, path),
                () -> System.clearProperty(RedisBinary.PROPERTY));
    }

    @Test
    void redis7RunsHereAndIsUnpackedOnce() {
        RedisBinary redis = RedisBinary.redis7();
        assertThat(redis.version()).isEqualTo("7.0.15");
        assertThat(RedisBinary.usable()).contains(redis);
        assertThat(redis.path()).isExecutable().isEqualTo(RedisBinary.redis7().path());
    }

    @Test
    void redis62IsUsableOrHasNoVersion() {
        RedisBinary redis = RedisBinary.redis62();
        assertThat(redis.version()).matches(redis.isUsable() ? "6\\.2\\..*" : "");
        assertThat(RedisBinary.usable().contains(redis)).isEqualTo(redis.isUsable());
    }

    @Test
    void anInstalledServerIsPreferred() {
        Path program = RedisBinary.redis7().path();
        System.setProperty(RedisBinary.PROPERTY, program.toString());
        assertThat(RedisBinary.installed().orElseThrow().version()).isEqualTo("7.0.15");
        assertThat(RedisBinary.preferred().path()).isEqualTo(program);
        assertThat(RedisBinary.preferred()).isNotSameAs(RedisBinary.redis7());

        System.clearProperty(RedisBinary.PROPERTY);
        assertThat(RedisBinary.installed()).isEmpty();
        assertThat(RedisBinary.preferred()).isSameAs(RedisBinary.redis7());
    }

    @Test
    void aPropertyThatNamesNoProgramIsRefused(@TempDir Path folder) {
        for (Path wrong : new Path[] {folder, folder.resolve("missing")}) {
            System.setProperty(RedisBinary.PROPERTY, wrong.toString());
            assertThatIllegalArgumentException()
                    .isThrownBy(RedisBinary::installed)
                    .withMessageContaining(wrong.toString());
        }
    }

    @Test
    void aProgramThatIsNoServerIsNotUsable(@TempDir Path folder) throws Exception {
        Path program = Files.writeString(folder.resolve("other"), "#!/bin/sh\nexit 127\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        System.setProperty(RedisBinary.PROPERTY, program.toString());
        assertThat(RedisBinary.preferred().isUsable()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.builder().start())
                .withMessageContaining("process has ended");
    }
}
