package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.partition.LimitScript.Lent;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Timelines of {@code limit.lua}: what it lends to whom. */
final class LimitScriptTest {

    private static final long START = 1_700_000_000_000_000L;
    private static final long MS = 1_000;
    private static final long SECOND = 1_000 * MS;
    private static final long HOLD = LimitScript.HOLD_MS * MS;

    private static RedisServer server;

    private LimitScript script;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.command("FLUSHALL");
        script = new LimitScript(server, "l");
    }

    // ---- slots

    @Test
    void oneNodeMayHaveAllSlots() {
        assertThat(script.ask("a").slots(3, 0, 0, 10).at(START)).isEqualTo(new Lent(3, 0, 0, 100 * MS));
        assertThat(script.ask("a").slots(3, 3, 3, 3).at(START + MS)).isEqualTo(new Lent(3, 0, 0, 0));
        assertThat(script.ask("b").slots(3, 0, 0, 1).at(START + MS)).isEqualTo(new Lent(0, 0, 0, 10 * MS));
    }

    @Test
    void nodeGetsNoMoreThanItCouldUse() {
        assertThat(script.ask("a").slots(3, 0, 0, 2).slotsAt(START)).isEqualTo(2);
        assertThat(script.ask("b").slots(3, 0, 0, 2).slotsAt(START)).isEqualTo(1);
    }

    @Test
    void whoHasMoreThanItsShareGivesBackAsItsAttemptsEnd() {
        assertThat(script.ask("a").slots(4, 0, 0, 10).slotsAt(START)).isEqualTo(4);
        assertThat(script.ask("b").slots(4, 0, 0, 10).slotsAt(START + 1)).isZero();
        assertThat(script.ask("a").slots(4, 4, 4, 10).slotsAt(START + 2)).isEqualTo(2);
        assertThat(script.ask("b").slots(4, 0, 0, 10).slotsAt(START + 3)).isZero();
        assertThat(script.ask("a").slots(4, 3, 3, 10).slotsAt(START + 4)).isEqualTo(2);
        assertThat(script.ask("b").slots(4, 0, 0, 10).slotsAt(START + 5)).isEqualTo(1);
        assertThat(script.ask("a").slots(4, 1, 2, 10).slotsAt(START + 6)).isEqualTo(2);
        assertThat(script.ask("b").slots(4, 1, 1, 10).slotsAt(START + 7)).isEqualTo(2);
        assertThat(script.ask("a").slots(4, 2, 2, 10).slotsAt(START + 8)).isEqualTo(2);
    }

    @Test
    void whatIsLeftOfEqualSharesIsUsed() {
        assertThat(script.ask("a").slots(3, 0, 0, 10).slotsAt(START)).isEqualTo(3);
        assertThat(script.ask("b").slots(3, 0, 0, 10).slotsAt(START + 1)).isZero();
        assertThat(script.ask("a").slots(3, 3, 3, 10).slotsAt(START + 2)).isEqualTo(2);
        assertThat(script.ask("a").slots(3, 2, 2, 10).slotsAt(START + 3)).isEqualTo(2);
        assertThat(script.ask("b").slots(3, 0, 0, 10).slotsAt(START + 4)).isEqualTo(1);
        assertThat(script.ask("a").slots(3, 2, 2, 10).slotsAt(START + 5)).isEqualTo(2);
    }

    @Test
    void shareThatANodeHasNoUseForIsForTheOthers() {
        assertThat(script.ask("a").slots(10, 0, 0, 1).slotsAt(START)).isEqualTo(1);
        assertThat(script.ask("b").slots(10, 0, 0, 20).slotsAt(START + 1)).isEqualTo(9);
        assertThat(script.ask("a").slots(10, 0, 0, 0).slotsAt(START + 2)).isZero();
        assertThat(script.ask("b").slots(10, 9, 9, 20).slotsAt(START + 3)).isEqualTo(10);
    }

    @Test
    void nodesTakeTurnsWhenThereAreFewerSlots() {
        assertThat(script.ask("a").slots(1, 0, 0, 9).slotsAt(START)).isEqualTo(1);
        assertThat(script.ask("b").slots(1, 0, 0, 9).slotsAt(START + 1)).isZero();
        assertThat(script.ask("c").slots(1, 0, 0, 9).slotsAt(START + 2)).isZero();
        assertThat(script.ask("a").slots(1, 1, 1, 9).slotsAt(START + 3)).isZero();
        assertThat(script.ask("a").slots(1, 0, 0, 9).slotsAt(START + 4)).isZero();
        assertThat(script.ask("c").slots(1, 0, 0, 9).slotsAt(START + 5)).isZero();
        assertThat(script.ask("b").slots(1, 0, 0, 9).slotsAt(START + 6)).isEqualTo(1);
        assertThat(script.ask("b").slots(1, 1, 1, 9).slotsAt(START + 7)).isZero();
        assertThat(script.ask("b").slots(1, 0, 0, 9).slotsAt(START + 8)).isZero();
        assertThat(script.ask("a").slots(1, 0, 0, 9).slotsAt(START + 9)).isZero();
        assertThat(script.ask("c").slots(1, 0, 0, 9).slotsAt(START + 10)).isEqualTo(1);
    }

    @Test
    void nodesThatBeganToWaitAtOnceComeInTheOrderOfTheirNames() {
        script.ask("a").slots(1, 0, 0, 1).at(START);
        script.ask("c").slots(1, 0, 0, 1).at(START + 1);
        script.ask("b").slots(1, 0, 0, 1).at(START + 1);
        script.ask("a").slots(1, 0, 0, 0).at(START + 2);
        assertThat(script.ask("c").slots(1, 0, 0, 1).slotsAt(START + 3)).isZero();
        assertThat(script.ask("b").slots(1, 0, 0, 1).slotsAt(START + 4)).isEqualTo(1);
    }

    @Test
    void whoWaitsAndDoesNotComeAgainIsPassedOver() {
        script.ask("a").slots(1, 0, 0, 9).at(START);
        script.ask("b").slots(1, 0, 0, 9).at(START + 1);
        script.ask("a").slots(1, 0, 0, 0).at(START + 2);
        long forgottenAt = START + 1 + 10 * MS + 200 * MS;
        assertThat(script.ask("c").slots(1, 0, 0, 9).slotsAt(forgottenAt - 1)).isZero();
        assertThat(script.ask("c").slots(1, 0, 0, 9).slotsAt(forgottenAt)).isEqualTo(1);
    }

    @Test
    void whoHasWaitedLongAsksLessOften() {
        script.ask("a").slots(1, 0, 0, 1).at(START);
        assertThat(script.ask("b").slots(1, 0, 0, 1).at(START)).isEqualTo(new Lent(0, 0, 0, 10 * MS));
        Lent last = null;
        for (long at = 160 * MS; at <= 4 * SECOND; at += 160 * MS) {
            last = script.ask("b").slots(1, 0, 0, 1).at(START + at);
            assertThat(last).isEqualTo(new Lent(0, 0, 0, Math.max(10 * MS, Math.min(100 * MS, at / 32))));
        }
        assertThat(last).isEqualTo(new Lent(0, 0, 0, 100 * MS));
    }

    @Test
    void slotsLapse() {
        script.ask("a").slots(3, 0, 0, 2).at(START);
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(START + HOLD - 1)).isEqualTo(1);
        assertThat(script.ask("b").slots(3, 1, 1, 3).slotsAt(START + HOLD)).isEqualTo(3);
        assertThat(script.content())
                .hasSize(2)
                .element(1)
                .asString()
                .startsWith("b ")
                .doesNotContain("\n");
    }

    @Test
    void slotsThatAreRenewedDoNotLapse() {
        script.ask("a").slots(3, 0, 0, 3).at(START);
        script.ask("a").slots(3, 3, 3, 3).at(START + HOLD - 1);
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(START + HOLD)).isZero();
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(START + 2 * HOLD - 2))
                .isZero();
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(START + 2 * HOLD - 1))
                .isEqualTo(3);
    }

    @Test
    void whatRunsCountsWhoeverHasGrantedIt() {
        script.ask("a").slots(3, 0, 0, 3).at(START);
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(START + HOLD)).isEqualTo(3);
        // It could not renew its slots in time, and its attempts run nevertheless.
        assertThat(script.ask("a").slots(3, 2, 2, 3).slotsAt(START + HOLD + 1)).isZero();
        assertThat(script.ask("b").slots(3, 2, 2, 3).slotsAt(START + HOLD + 2)).isEqualTo(1);
        assertThat(script.ask("c").slots(3, 0, 0, 3).slotsAt(START + HOLD + 3)).isZero();
    }

    @Test
    void fewerSlotsCountFromTheNextQuestion() {
        script.ask("a").slots(4, 0, 0, 4).at(START);
        assertThat(script.ask("a").slots(2, 4, 4, 4).slotsAt(START + 1)).isEqualTo(2);
        assertThat(script.ask("b").slots(2, 0, 0, 1).slotsAt(START + 2)).isZero();
        assertThat(script.ask("a").slots(5, 4, 4, 5).slotsAt(START + 3)).isEqualTo(4);
    }

    @Test
    void slotsOfBeforeTheClockWasSetBackCountFromThen() {
        script.ask("a").slots(3, 0, 0, 2).at(START);
        long back = START - 100 * HOLD;
        assertThat(script.ask("b").slots(3, 0, 0, 3).slotsAt(back)).isEqualTo(1);
        assertThat(script.ask("b").slots(3, 1, 1, 3).slotsAt(back + HOLD - 1)).isEqualTo(1);
        assertThat(script.ask("b").slots(3, 1, 1, 3).slotsAt(back + HOLD)).isEqualTo(3);
    }

    @Test
    void whoWaitedBeforeTheClockWasSetBackIsPassedOver() {
        script.ask("a").slots(1, 0, 0, 1).at(START);
        script.ask("b").slots(1, 0, 0, 1).at(START + 1);
        script.ask("a").slots(1, 0, 0, 0).at(START + 2);
        assertThat(script.ask("c").slots(1, 0, 0, 1).slotsAt(START - 10 * SECOND))
                .isEqualTo(1);
    }

    // ---- what is refused

    @Test
    void questionAfterItsDeadlineDoesNothing() {
        script.ask("a").slots(3, 0, 0, 2).tokens(10, 1, 1).at(START);
        List<?> before = script.content();
        assertThat(script.ask("a")
                        .slots(3, 2, 2, 3)
                        .tokens(10, 1, 1)
                        .deadline(START / MS)
                        .at(START + MS))
                .isNull();
        assertThat(script.content()).isEqualTo(before);
        assertThat(script.ask("a").slots(3, 2, 2, 3).deadline(START / MS + 1).at(START + MS))
                .isNotNull();
    }

    @Test
    void questionBehindALaterOneDoesNothing() {
        script.ask("a").slots(3, 0, 0, 2).number(7).at(START);
        List<?> before = script.content();
        assertThat(script.ask("a").slots(3, 0, 0, 0).number(6).at(START + MS)).isNull();
        assertThat(script.ask("a").slots(3, 0, 0, 0).number(7).at(START + MS)).isNull();
        assertThat(script.content()).isEqualTo(before);
        assertThat(script.ask("b").slots(3, 0, 0, 3).number(1).slotsAt(START + MS))
                .isEqualTo(1);
        assertThat(script.ask("a").slots(3, 2, 2, 2).number(8).slotsAt(START + MS))
                .isEqualTo(2);
    }

    @Test
    void fullServerLendsToo() {
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(script.ask("a").slots(3, 0, 0, 2).tokens(10, 1, 1).at(START))
                    .isEqualTo(new Lent(2, 1, 1, 0));
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    // ---- tokens

    @Test
    void tokensOfTheNextMomentAreLentAhead() {
        assertThat(script.ask("a").tokens(1_000, 50, 500).at(START)).isEqualTo(new Lent(0, 51, 1, 0));
    }

    @Test
    void tokensComeAtTheRateOverAllNodes() {
        long tokens = 0;
        long asked = 0;
        for (long at = 0; at <= 10 * SECOND; at += 3 * MS) {
            tokens += script.ask("n" + asked++ % 3).tokens(1_000, 50, 100).tokensAt(START + at);
        }
        // One in the beginning, and those of 50 ms ahead.
        assertThat(tokens).isBetween(10_000L, 10_051L);
    }

    @Test
    void tokensGatherUpToTheBurst() {
        assertThat(script.ask("a").tokens(10, 20, 1).tokensAt(START)).isEqualTo(1);
        assertThat(script.ask("a").tokens(10, 20, 100).at(START + 1_000 * SECOND))
                .isEqualTo(new Lent(0, 20, 20, 0));
    }

    @Test
    void fewerAreLentThanThereAreWhenFewerAreWanted() {
        script.ask("a").tokens(10, 20, 1).at(START);
        assertThat(script.ask("a").tokens(10, 20, 5).at(START + 1_000 * SECOND)).isEqualTo(new Lent(0, 5, 20, 0));
        assertThat(script.ask("b").tokens(10, 20, 20).tokensAt(START + 1_000 * SECOND + 200 * MS))
                .isEqualTo(17);
    }

    @Test
    void tokensGivenBackAreLentAgain() {
        assertThat(script.ask("a").tokens(1_000, 50, 51).tokensAt(START)).isEqualTo(51);
        assertThat(script.ask("b").tokens(1_000, 50, 1).tokensAt(START)).isZero();
        assertThat(script.ask("a").tokens(1_000, 50, 0).unused(11).tokensAt(START))
                .isZero();
        assertThat(script.ask("b").tokens(1_000, 50, 1).tokensAt(START)).isEqualTo(1);
        assertThat(script.ask("a").tokens(1_000, 50, 100).tokensAt(START)).isEqualTo(10);
    }

    @Test
    void tokensOfALostReplyAreLentAgain() {
        script.ask("a").tokens(10, 20, 1).at(START);
        long later = START + 1_000 * SECOND;
        assertThat(script.ask("a").tokens(10, 20, 15).withReplyLost().tokensAt(later))
                .isEqualTo(15);
        assertThat(script.ask("a").tokens(10, 20, 0).tokensAt(later)).isZero();
        assertThat(script.ask("b").tokens(10, 20, 25).tokensAt(later)).isEqualTo(20);
    }

    /** As those of a node that has died. */
    @Test
    void tokensOfALostReplyStayLostWhenItsNodeDoesNotComeAgainInTime() {
        script.ask("a").tokens(0.001, 20, 0).unused(20).at(START);
        script.ask("a").tokens(0.001, 20, 15).withReplyLost().at(START);
        script.ask("b").tokens(0.001, 20, 0).at(START + HOLD);
        assertThat(script.ask("a").tokens(0.001, 20, 20).unused(3).tokensAt(START + HOLD))
                .as("what it brings counts all the same")
                .isEqualTo(8);
    }

    /** It knows no sums, and is written again as it was until its node asks. */
    @Test
    void lineOfAnOlderVersionIsTakenAndKept() {
        String old = "old 7 " + (START + HOLD) + " 1 1 0 0 0 0";
        server.command("HSET", "l", "n", old, "b", "5", "t", "" + START);
        assertThat(script.ask("b").slots(3, 0, 0, 2).tokens(0.001, 20, 0).slotsAt(START))
                .isEqualTo(2);
        assertThat(server.command("HGET", "l", "n")).asString().startsWith(old + "\n");
        script.ask("old")
                .number(8)
                .slots(3, 1, 1, 1)
                .tokens(0.001, 20, 0)
                .unused(2)
                .at(START);
        assertThat(script.ask("old").number(9).tokens(0.001, 20, 9).tokensAt(START))
                .isEqualTo(7);
    }

    @Test
    void tokensGivenBackAreNoMoreThanTheBurst() {
        script.ask("a").tokens(10, 3, 0).unused(1_000).at(START);
        assertThat(script.ask("a").tokens(10, 3, 9).at(START)).isEqualTo(new Lent(0, 3, 3, 0));
    }

    @Test
    void whoWaitsForATokenComesBeforeThoseWhoAskedLater() {
        assertThat(script.ask("a").tokens(1, 1, 9).at(START)).isEqualTo(new Lent(0, 1, 1, 0));
        assertThat(script.ask("b").tokens(1, 1, 9).at(START + 10 * MS)).isEqualTo(new Lent(0, 0, 0.01, 940 * MS));
        assertThat(script.ask("a").tokens(1, 1, 9).at(START + 20 * MS)).isEqualTo(new Lent(0, 0, 0.02, SECOND));
        assertThat(script.ask("a").tokens(1, 1, 9).tokensAt(START + 950 * MS)).isZero();
        assertThat(script.ask("b").tokens(1, 1, 9).tokensAt(START + 950 * MS)).isEqualTo(1);
        assertThat(script.ask("b").tokens(1, 1, 9).tokensAt(START + 1_950 * MS)).isZero();
        assertThat(script.ask("a").tokens(1, 1, 9).tokensAt(START + 1_950 * MS)).isEqualTo(1);
    }

    @Test
    void whoWaitsForTokensAndDoesNotComeAgainIsPassedOver() {
        script.ask("a").tokens(1, 1, 1).at(START);
        script.ask("b").tokens(1, 1, 1).at(START);
        // It was to come again 950 ms later, and had 200 ms more.
        assertThat(script.ask("a").tokens(1, 1, 1).tokensAt(START + 1_150 * MS - 1))
                .isZero();
        assertThat(script.ask("a").tokens(1, 1, 1).tokensAt(START + 1_150 * MS)).isEqualTo(1);
    }

    @Test
    void nodesThatAskAtOnceShareTheNextMoment() {
        script.ask("a").tokens(1_000, 50, 500).at(START);
        script.ask("b").tokens(1_000, 50, 500).at(START);
        script.ask("c").tokens(1_000, 50, 500).at(START);
        long again = START + 50 * MS;
        // In the order in which they began to wait, what each waits for: of the first one, what others left of 51.
        assertThat(script.ask("c").tokens(1_000, 50, 500).tokensAt(again)).isBetween(0L, 17L);
        assertThat(script.ask("b").tokens(1_000, 50, 500).tokensAt(again)).isBetween(17L, 26L);
    }

    @Test
    void otherRateCountsFromTheNextQuestion() {
        script.ask("a").tokens(1_000, 50, 51).at(START);
        assertThat(script.ask("a").tokens(10, 1, 51).tokensAt(START + 50 * MS)).isZero();
        assertThat(script.ask("a").tokens(10, 1, 51).tokensAt(START + 150 * MS)).isEqualTo(1);
    }

    @Test
    void queueThatHadNoRateMeanwhileBeginsWithOneToken() {
        script.ask("a").tokens(10, 20, 1).at(START);
        script.ask("a").slots(1, 0, 0, 1).at(START + 100 * SECOND);
        assertThat(script.ask("a").tokens(10, 20, 9).at(START + 200 * SECOND)).isEqualTo(new Lent(0, 1, 1, 0));
    }

    @Test
    void clockThatIsSetBackMakesNoTokens() {
        script.ask("a").tokens(10, 20, 1).at(START);
        assertThat(script.ask("a").tokens(10, 20, 9).tokensAt(START - 100 * SECOND))
                .isZero();
        assertThat(script.ask("a").tokens(10, 20, 9).tokensAt(START - 99 * SECOND))
                .isBetween(9L, 10L);
    }

    @Test
    void tokensForWhichThereIsNoSlotAreNotLent() {
        assertThat(script.ask("a").slots(3, 1, 1, 10).tokens(1_000, 50, 9).at(START))
                .isEqualTo(new Lent(3, 2, 1, 100 * MS));
        assertThat(script.ask("b").slots(3, 0, 0, 10).tokens(1_000, 50, 9).tokensAt(START))
                .isZero();
        assertThat(script.ask("b").tokens(1_000, 50, 49).tokensAt(START + 200 * MS))
                .isEqualTo(49);
        assertThat(script.ask("b").slots(3, 3, 3, 10).tokens(1_000, 50, 49).tokensAt(START + 200 * MS))
                .isZero();
    }

    @Test
    void keyGoesWhenNothingIsAskedForADay() {
        script.ask("a").slots(3, 0, 0, 1).at(START);
        assertThat(script.livesMs()).isBetween(86_300_000L, 86_400_000L);
        script.ask("a").tokens(0.001, 10, 1).at(START);
        // The bucket is full after 10,000 s.
        assertThat(script.livesMs()).isBetween(96_300_000L, 96_400_000L);
    }
}
