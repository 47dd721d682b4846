package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.inbox.ContentRoom;
import io.tickwheel.store.Lane;
import org.junit.jupiter.api.Test;

/** How many timers are claimed for consumers, in number and in bytes, and that these take nothing of what is pushed. */
final class PullDemandTest {

    private static final long NOW = 1_000_000_000_000L;

    private final ContentRoom contents = new ContentRoom(1_000, () -> {});
    private final LeaseCredits leases = new LeaseCredits(1_000, contents);
    private final PullDemand demand = new PullDemand("q", leases) {
        @Override
        public void ring() {}
    };
    private final QueueCredits queue = new QueueCredits("q");
    private final DueLane lane = new DueLane(new Lane("q", Lane.QUEUE_ROUTE), queue, Health.unknown());
    private final Credits credits = new Credits(1, 1, 1);

    private boolean admits(int contentBytes) {
        return credits.admits(lane, contentBytes, true, 0, NOW);
    }

    private void claim(int contentBytes) {
        assertThat(admits(contentBytes)).isTrue();
        credits.take(lane, contentBytes, NOW);
    }

    @Test
    void onlyWhatNamesNoAddressIsLeased() {
        DueLane ofAnAddress = new DueLane(new Lane("q", 7), queue, Health.unknown());
        assertThat(lane.pulled()).isNull();
        queue.pull(demand);
        assertThat(lane.pulled()).isSameAs(demand);
        assertThat(ofAnAddress.pulled()).isNull();
        assertThat(admits(0)).as("nobody asks").isFalse();
        assertThat(credits.admits(ofAnAddress, 0, true, 0, NOW)).isTrue();
        queue.pull(null);
        assertThat(lane.pulled()).isNull();
        assertThat(admits(0)).isTrue();
    }

    @Test
    void asManyAreClaimedAsAreWanted() {
        queue.pull(demand);
        demand.want(3);
        for (int claimed = 0; claimed < 3; claimed++) {
            assertThat(demand.unclaimed()).isEqualTo(3 - claimed);
            assertThat(demand.isClaiming()).isEqualTo(claimed > 0);
            claim(10);
        }
        assertThat(demand.wantsMore()).isFalse();
        assertThat(demand.wants()).isTrue();
        assertThat(admits(10)).isFalse();
        assertThat(leases.leased()).isEqualTo(3);
        assertThat(credits.inFlight()).as("of what is pushed").isZero();
        assertThat(queue.running()).isEqualTo(3);

        demand.notGranted(10);
        credits.giveBackLeased(lane);
        assertThat(leases.leased()).isEqualTo(2);
        assertThat(queue.running()).isEqualTo(2);
        claim(10);
        for (int granted = 0; granted < 3; granted++) {
            demand.granted();
        }
        assertThat(demand.isClaiming()).isFalse();
        assertThat(demand.wants()).isFalse();
        assertThat(admits(10)).isFalse();
        for (int ended = 1; ended <= 3; ended++) {
            leases.given(10);
            demand.ended();
            assertThat(leases.leased()).isEqualTo(3 - ended);
        }
    }

    @Test
    void whatIsOnItsWayFromOtherNodesIsNotClaimedToo() {
        queue.pull(demand);
        demand.want(2);
        demand.expect(2);
        assertThat(admits(0)).isFalse();
        demand.expectNoMore(1);
        demand.lent();
        assertThat(admits(0)).isFalse();
        demand.expectNoMore(1);
        assertThat(demand.unclaimed()).isEqualTo(1);
        assertThat(admits(0)).isTrue();
        demand.want(-1);
        assertThat(admits(0)).isFalse();
    }

    /** Whoever asks next, here or on another node, gets it. */
    @Test
    void whatIsClaimedOrKeptForNobodyIsToldUntilSomebodyTakesIt() {
        queue.pull(demand);
        demand.want(2);
        claim(10);
        claim(10);
        assertThat(demand.unwantedClaims()).isZero();
        demand.want(-2);
        assertThat(demand.unwantedClaims()).isEqualTo(2);
        demand.grantedLate();
        assertThat(demand.unwantedClaims())
                .as("one is kept, and one is claimed")
                .isEqualTo(2);
        demand.notGranted(10);
        assertThat(demand.unwantedClaims()).isEqualTo(1);
        demand.keepNoMore(1);
        assertThat(demand.unwantedClaims()).isZero();
    }

    @Test
    void contentThatNobodyHasBeenGivenIsBounded() {
        queue.pull(demand);
        demand.want(10);
        claim(5_000);
        assertThat(admits(0)).as("it is too large, but was alone").isFalse();
        leases.given(5_000);
        claim(400);
        claim(600);
        assertThat(admits(1)).isFalse();
        assertThat(admits(0)).isTrue();
        demand.unused(600);
        assertThat(admits(600)).isTrue();
        assertThat(admits(601)).isFalse();
        assertThat(leases.leased()).isEqualTo(2);
    }
}
