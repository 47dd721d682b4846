package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import org.junit.jupiter.api.Test;

/** How many lanes are remembered, and which ones. */
final class RememberedHealthTest {

    private final RememberedHealth remembered = new RememberedHealth();

    private static Lane lane(long route) {
        return new Lane("q", route);
    }

    private Health put(long route, boolean reached, boolean quickly) {
        Health health = Health.unknown();
        health.noteEnd(reached, quickly, 0);
        remembered.put(lane(route), health);
        return health;
    }

    @Test
    void laneThatFailsOrIsQuickIsRememberedUntilItComesBack() {
        Health failing = put(1, false, false);
        Health quick = put(2, true, true);
        assertThat(remembered.remove(lane(3))).isNull();
        assertThat(remembered.remove(lane(1))).isSameAs(failing);
        assertThat(remembered.remove(lane(1))).isNull();
        assertThat(remembered.remove(lane(2))).isSameAs(quick);
        assertThat(remembered.remove(lane(2))).isNull();
    }

    @Test
    void laneThatIsSlowOrUnknownIsNotRemembered() {
        put(1, true, false);
        remembered.put(lane(2), Health.unknown());
        assertThat(remembered.remove(lane(1))).isNull();
        assertThat(remembered.remove(lane(2))).isNull();
    }

    @Test
    void firstOnesAreForgottenAndNoneThatFailsForQuickOnes() {
        int most = RememberedHealth.MOST;
        Health failing = put(0, false, false);
        for (int route = 1; route <= most + 2; route++) {
            put(route, true, true);
        }
        assertThat(remembered.remove(lane(1))).isNull();
        assertThat(remembered.remove(lane(2))).isNull();
        assertThat(remembered.remove(lane(3))).isNotNull();
        assertThat(remembered.remove(lane(most + 2))).isNotNull();
        for (int route = 1; route < most; route++) {
            put(route, false, false);
        }
        assertThat(remembered.remove(lane(0))).as("as many as there may be").isSameAs(failing);
        put(most, false, false);
        put(most + 1, false, false);
        assertThat(remembered.remove(lane(1))).isNull();
        assertThat(remembered.remove(lane(2))).isNotNull();
    }
}
