package io.tickwheel.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What exists for a caller. */
final class CallerTest {

    private static Caller of(String prefix) {
        return new Caller("0123456789abcdef", "c", EnumSet.of(Scope.READ), prefix);
    }

    @Test
    void queuesExistThatBeginWithThePrefix() {
        assertThat(of("orders-").sees("orders-")).isTrue();
        assertThat(of("orders-").sees("orders-eu")).isTrue();
        assertThat(of("orders-").sees("orders")).isFalse();
        assertThat(of("orders-").sees("Orders-eu")).isFalse();
        assertThat(of("orders-").sees("my-orders-eu")).isFalse();
        assertThat(of(null).sees("anything")).isTrue();
    }

    @Test
    void whatIsNoScopeIsRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> Scope.of("Read"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be one of schedule, cancel, read, pull, admin");
    }

    @Test
    void theAdministratorMayDoEverything() {
        assertThat(of(null).may(Scope.READ)).isTrue();
        for (Scope other : EnumSet.complementOf(EnumSet.of(Scope.READ))) {
            assertThat(of(null).may(other)).isFalse();
        }
        Caller admin = new Caller("0123456789abcdef", "a", Set.of(Scope.ADMIN), null);
        for (Scope scope : Scope.values()) {
            assertThat(admin.may(scope)).isTrue();
        }
    }
}
