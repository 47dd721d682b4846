package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Text;
import org.junit.jupiter.api.Test;

final class MadePartitionsTest {

    private final MadePartitions made = new MadePartitions();

    private String unwritten() {
        return Text.string(made.unwritten());
    }

    @Test
    void whatIsNotedIsToBeWrittenDownUntilItIs() {
        made.note(12);
        made.note(3);
        made.note(12);
        assertThat(unwritten()).isEqualTo("3,12");
        assertThat(made.has(3)).as("before it is written down").isFalse();
        made.take("0001");
        assertThat(unwritten()).isEqualTo("12");
        assertThat(made.has(3)).isTrue();
        made.note(3);
        assertThat(unwritten()).isEqualTo("12");
    }

    /** A failover may lose what was written down. */
    @Test
    void whatIsWrittenDownNoMoreIsNotedAnew() {
        made.take("11");
        made.take("01");
        assertThat(made.has(0)).isFalse();
        assertThat(made.has(1)).isTrue();
        made.note(0);
        assertThat(unwritten()).isEqualTo("0");
        made.take("");
        assertThat(made.has(1)).isFalse();
    }

    @Test
    void nothingIsKnownOfAnotherNamespace() {
        made.take("1");
        made.note(1);
        made.forget();
        assertThat(made.has(0)).isFalse();
        assertThat(unwritten()).isEmpty();
    }
}
