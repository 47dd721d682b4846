package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RecentTest {

    private final List<String> made = new ArrayList<>();
    private final Recent<String> recent = new Recent<>(text -> {
        made.add(text);
        if (text.isEmpty()) {
            throw new IllegalArgumentException("must not be empty");
        }
        return text + "!";
    });

    @Test
    void textIsLookedAtOnce() {
        assertThat(recent.of("a")).isEqualTo("a!");
        assertThat(recent.of("b")).isEqualTo("b!");
        assertThat(recent.of(new String("a".toCharArray()))).isEqualTo("a!");
        assertThat(made).containsExactly("a", "b");
    }

    @Test
    void textsOfOneHashAreToldApart() {
        assertThat("Aa").hasSameHashCodeAs("BB");
        assertThat(recent.of("Aa")).isEqualTo("Aa!");
        assertThat(recent.of("BB")).isEqualTo("BB!");
        assertThat(recent.of("Aa")).isEqualTo("Aa!");
        assertThat(made).containsExactly("Aa", "BB", "Aa");
    }

    @Test
    void manyTextsHaveTheirOwn() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 10_000; i++) {
                assertThat(recent.of("text " + i)).isEqualTo("text " + i + "!");
            }
        }
    }

    @Test
    void failureIsNotKept() {
        assertThatThrownBy(() -> recent.of("")).hasMessage("must not be empty");
        assertThatThrownBy(() -> recent.of("")).hasMessage("must not be empty");
        assertThat(made).containsExactly("", "");
    }
}
