package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Levels as people write them. */
final class DurabilityTest {

    @Test
    void levelIsReadAsItIsWritten() {
        List<Durability> all = List.of(
                Durability.SYNC,
                Durability.INTERVAL,
                Durability.NONE,
                Durability.MEMORY,
                Durability.replicated(1),
                Durability.replicated(100),
                Durability.fsync(0),
                Durability.fsync(100));
        assertThat(all)
                .extracting(Durability::toString)
                .containsExactly(
                        "sync",
                        "interval",
                        "none",
                        "memory",
                        "replicated(1)",
                        "replicated(100)",
                        "fsync(0)",
                        "fsync(100)");
        assertThat(all)
                .allSatisfy(
                        level -> assertThat(Durability.parse(level.toString())).isEqualTo(level));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Sync",
                "sync(0)",
                "memory(0)",
                "none(1)",
                "replicated",
                "replicated()",
                "replicated(0)",
                "replicated(101)",
                "replicated(01)",
                "replicated(-1)",
                "replicated(1) ",
                "fsync",
                "fsync(00)",
                "fsync(1000)"
            })
    void whatIsWrittenInAnotherWayIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durability.parse(text));
    }
}
