package io.tickwheel.store.redis.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Lane;
import io.tickwheel.store.TimerKey;
import org.junit.jupiter.api.Test;

final class MemberTest {

    @Test
    void memberTellsFieldAndLane() {
        byte[] field = Layout.field(new TimerKey("größe", "k"));
        for (long route : new long[] {Lane.QUEUE_ROUTE, Lane.UNKNOWN_ROUTE, 1, 7, Lane.MAX_ROUTE}) {
            byte[] member = Member.of(route, field);
            assertThat(Member.field(member)).isEqualTo(field);
            assertThat(Member.route(member)).isEqualTo(route);
            assertThat(Member.lane(member)).isEqualTo(new Lane("größe", route));
            assertThat(member).startsWith(Member.prefix(new Lane("größe", route)));
        }
    }

    @Test
    void membersOfOneLaneBeginAsNoOthers() {
        Lane lane = new Lane("q", Lane.QUEUE_ROUTE);
        byte[] longerQueue = Member.of(Lane.QUEUE_ROUTE, Layout.field(new TimerKey("qq", "")));
        byte[] otherRoute = Member.of(7, Layout.field(new TimerKey("q", "")));
        assertThat(Text.string(longerQueue)).doesNotStartWith(Text.string(Member.prefix(lane)));
        assertThat(Text.string(otherRoute)).doesNotStartWith(Text.string(Member.prefix(lane)));
    }

    /** Else the bare field of layout 1 could be taken for a member with a route. */
    @Test
    void noFieldBeginsAsAMemberDoes() {
        for (String queue : new String[] {"", "\1q", "\4q"}) {
            assertThatThrownBy(() -> Layout.field(new TimerKey(queue, "k")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            queue.isEmpty()
                                    ? "a queue must not be empty"
                                    : "a queue begins with U+000" + (int) queue.charAt(0)
                                            + ", must begin with U+0005 or above");
        }
        assertThat(Layout.field(new TimerKey("\5", "k"))).startsWith(5);
    }
}
