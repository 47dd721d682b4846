package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.MemoTargetKind;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InstalledTargetsTest {

    @TempDir
    private Path temp;

    @Test
    void aKindOnTheClassPathIsThereWithoutBeingNamedAnywhereElse() throws IOException {
        Path services = Files.createDirectories(temp.resolve("META-INF/services"));
        Files.writeString(services.resolve(TargetKind.class.getName()), MemoTargetKind.class.getName());
        URL[] jars = {temp.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(jars, getClass().getClassLoader())) {
            assertThat(InstalledTargets.kinds(loader).all())
                    .extracting(TargetKind::name)
                    .startsWith("http", "log")
                    .contains("rabbitmq", "memo");
        }
        assertThat(InstalledTargets.kinds().all())
                .extracting(TargetKind::name)
                .startsWith("http", "log")
                .contains("kafka", "rabbitmq", "rocketmq", "redis-streams")
                .doesNotContain("memo");
        assertThat(InstalledTargets.kinds().sources())
                .extracting(SourceKind::name)
                .contains("kafka", "rabbitmq");
    }

    @Test
    void twoKindsThatHaveANameOrAFieldInCommonAreRefused() {
        assertThatThrownBy(() -> TargetKinds.of(List.of(new LogTargetKind(), new LogTargetKind())))
                .hasMessageContaining("must have a name of its own");
    }
}
