package io.tickwheel.benchmarks.proof;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.benchmarks.BrokenPromiseException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of leases sees each kind of broken promise, and nothing else. All leases last 1,000 ms. */
class LeaseLedgerTest {

    private final List<PlanHistory.Down> kills = new ArrayList<>();
    private final LeaseLedger ledger = new LeaseLedger(kills);

    @Test
    void aTimerThatIsAcknowledgedInTimeIsFine() throws Exception {
        ledger.read("handled\tl1\tk\t0\t1000\nsends\tl1\t10\nstatus\tl1\t200\n", List.of());
        ledger.judge(1);
    }

    @Test
    void aTimerOfAHolderThatWasStoppedIsLeasedAgainAndItsLateAcknowledgementRefused() throws Exception {
        ledger.read(
                "handled\tl1\tk\t0\t1000\nsends\tl1\t2000\nstatus\tl1\t410\n",
                List.of(new ConsumerProcess.Fault(5, 1_990)));
        ledger.read("handled\tl2\tk\t1001\t2001\nsends\tl2\t1100\nstatus\tl2\t200\n", List.of());
        ledger.judge(1);
    }

    @Test
    void aHolderThatWasStoppedMayWriteOfItsLeaseWhenAnotherHasHadTheTimer() throws Exception {
        ledger.read(
                "handled\tl1\tk\t2000\t1000\nsends\tl1\t2010\nstatus\tl1\t410\n",
                List.of(new ConsumerProcess.Fault(5, 1_990)));
        ledger.read("handled\tl2\tk\t1001\t2001\nsends\tl2\t1100\nstatus\tl2\t200\n", List.of());
        ledger.judge(1);
    }

    @Test
    void halfALineOfOneThatWasKilledIsNotRead() throws Exception {
        ledger.read("handled\tl1\tk\t0\t1000\nsends\tl1\t10\nstat", List.of());
        ledger.judge(1);
    }

    @Test
    void aTimerThatNobodyLeasedIsSeen() {
        ledger.read("handled\tl1\tk\t0\t1000\nsends\tl1\t10\nstatus\tl1\t200\n", List.of());
        broken(2, "1 of 2 timers were never leased");
    }

    @Test
    void aTimerThatNobodyAcknowledgedIsSeen() {
        ledger.read("handled\tl1\tk\t0\t1000\n", List.of());
        broken(1, "nobody has acknowledged it");
    }

    @Test
    void aLateAcknowledgementThatIsHonouredIsSeen() {
        ledger.read("handled\tl1\tk\t0\t1000\nsends\tl1\t1001\nstatus\tl1\t200\n", List.of());
        broken(1, "1 ms after its lease had expired");
    }

    @Test
    void anAcknowledgementThatIsRefusedInItsTimeIsSeen() {
        ledger.read("handled\tl1\tk\t1000\t3000\nsends\tl1\t1010\nstatus\tl1\t410\n", List.of());
        ledger.read("handled\tl2\tk\t3001\t4001\nsends\tl2\t3010\nstatus\tl2\t200\n", List.of());
        broken(1, "was held, and its acknowledgement refused");
    }

    @Test
    void aTimerThatIsLeasedAgainWithoutAFaultIsSeen() {
        ledger.read("handled\tl1\tk\t0\t1000\n", List.of());
        ledger.read("handled\tl2\tk\t1001\t2001\nsends\tl2\t1100\nstatus\tl2\t200\n", List.of());
        broken(1, "though nothing had happened to its holder");
    }

    @Test
    void aTimerThatIsLeasedAgainBeforeItsTimeIsSeen() {
        ledger.read("handled\tl1\tk\t0\t1000\n", List.of(new ConsumerProcess.Fault(5, Long.MAX_VALUE)));
        ledger.read("handled\tl2\tk\t900\t1900\nsends\tl2\t950\nstatus\tl2\t200\n", List.of());
        broken(1, "100 ms before its lease expired");
    }

    @Test
    void aKillOfTheServerExcusesIt() throws Exception {
        kills.add(new PlanHistory.Down(100, 800));
        ledger.read("handled\tl1\tk\t0\t1000\nsends\tl1\t810\nstatus\tl1\t410\n", List.of());
        ledger.read("handled\tl2\tk\t900\t1900\nsends\tl2\t950\nstatus\tl2\t200\n", List.of());
        ledger.judge(1);
    }

    private void broken(int timers, String how) {
        assertThatThrownBy(() -> ledger.judge(timers))
                .isInstanceOf(BrokenPromiseException.class)
                .hasMessageContaining(how);
    }
}
