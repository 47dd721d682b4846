package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SyncPolicy;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Some lives of one store, each with random commands, faults and an end of some kind. All choices come from the seed. */
final class RandomLives {

    private final SimulatedStore store;
    private final Workload workload;
    private final RandomCommands commands;
    private final SplittableRandom random;

    /** Whether the last life ended so that it is certain how the store stands. */
    private boolean closedInOrder;

    RandomLives(long seed) {
        this(seed, UnaryOperator.identity());
    }

    RandomLives(long seed, UnaryOperator<Path> seam) {
        this(new SimulatedStore(seed, seam));
    }

    RandomLives(long seed, SyncPolicy syncs) {
        this(new SimulatedStore(seed, UnaryOperator.identity(), 4_096, syncs));
    }

    /** Log, background and loop come between each other at every operation on the disk. */
    static RandomLives inPieces(long seed) {
        return new RandomLives(SimulatedStore.inPieces(seed, UnaryOperator.identity()));
    }

    /** The keys of each queue have one hash. */
    static RandomLives colliding(long seed) {
        RandomLives lives = new RandomLives(seed);
        lives.workload.openAndCheck();
        lives.workload.useNames(CollidingKeys.names(lives.store.storeId(), Workload.KEYS));
        lives.store.close();
        return lives;
    }

    private RandomLives(SimulatedStore store) {
        this.store = store;
        workload = new Workload(store);
        random = store.random;
        commands = new RandomCommands(store, workload);
    }

    SimulatedStore store() {
        return store;
    }

    /** What happened, in numbers. */
    record Tally(int lives, int crashes, int failures, int commands, Set<Sighting> sightings) {}

    Tally run() {
        int lives = 3 + random.nextInt(4);
        int crashes = 0;
        int failures = 0;
        for (int life = 0; life < lives; life++) {
            plan();
            try {
                live();
            } catch (SimulatedStore.Died crashed) {
                crashes++;
                store.crash(store.anyKind());
            } catch (StoreFailedException failed) {
                failures++;
                dieOfFault();
            } catch (StoreException notOpened) {
                failures++;
                assertThat(notOpened).isNotInstanceOfAny(StoreCorruptedException.class, StoreFormatException.class);
                assertThat(store.disk.openChannels()).as("left open").isEmpty();
                endAfterFault();
            }
            store.disk.heal();
        }
        // A file system that has become read-only stays so until then.
        store.crash(random.nextBoolean() ? CrashKind.POWER_LOSS : CrashKind.POWER_LOSS_MINIMAL);
        Recoveries.recoverAndGoOn(store, workload);
        heal();
        return new Tally(lives, crashes, failures, workload.answered(), store.sightings());
    }

    /** Nothing fails any more: all is delivered, its files are dropped, and it does not come back. */
    private void heal() {
        store.close();
        workload.deliverAll();
        assertThat(store.disk.visibleNames(store.directory().resolve("schedulelog")))
                .as("runs of live timers")
                .filteredOn(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                .hasSizeLessThanOrEqualTo(workload.ledger().hasDead() ? 2 * Workload.KEYS : 0);
        store.close();
        workload.openAndCheck();
        assertThat(store.calendar().liveCount()).as("live").isZero();
    }

    private void plan() {
        if (random.nextInt(4) != 0) {
            // Short lives are common, so that a crash strikes in a recovery, and in the recovery from that one.
            int horizon = random.nextInt(4) == 0 ? 40 : 300;
            store.crashAfter(random.nextInt(horizon), store.anyKind());
        }
        if (random.nextInt(4) == 0) {
            store.disk.failRandomly(DiskFault.SHORT_WRITE, 0.2);
        }
        if (random.nextInt(4) == 0) {
            store.disk.failAfter(random.nextInt(40), store.anyFault());
        }
        if (random.nextInt(8) == 0) {
            store.disk.failRandomly(store.anyFault(), 0.05);
        }
    }

    private void live() {
        boolean certain = closedInOrder;
        closedInOrder = false;
        if (certain && random.nextBoolean()) {
            // Not all is loaded then, as it is by a check.
            workload.open();
            deliverWhileIndexing();
        } else {
            workload.openAndCheck();
        }
        commands.load();
        for (int left = random.nextInt(80); left > 0; left--) {
            commands.next();
            for (int steps = random.nextInt(5); steps > 0; steps--) {
                store.step();
            }
        }
        switch (random.nextInt(4)) {
            case 0 -> store.crash(store.anyKind());
            case 1 -> {
                store.settle();
                store.crash(store.anyKind());
            }
            default -> {
                store.close();
                assertThat(store.disk.openChannels()).as("left open").isEmpty();
                closedInOrder = true;
            }
        }
    }

    private void deliverWhileIndexing() {
        for (int turns = random.nextInt(12); turns > 0; turns--) {
            commands.load();
            workload.claimAny();
            store.step();
            commands.endAnyClaim();
        }
    }

    private void dieOfFault() {
        assertThat(workload.unanswered()).as("commands without an answer").isZero();
        try {
            store.runOut();
            store.closeNow();
        } catch (SimulatedStore.Died crashed) {
            store.crash(store.anyKind());
        } catch (StoreFailedException failedAgain) {
            // What cannot be written cannot be closed in order either.
        }
        assertThat(store.disk.openChannels()).as("left open").isEmpty();
        endAfterFault();
    }

    /** The system may stay up, and then show what a failed sync has not brought to the disk. */
    private void endAfterFault() {
        store.failed();
        if (random.nextBoolean()) {
            store.crash(store.anyKind());
        }
        if (random.nextBoolean()) {
            store.disk.dropCache();
        }
    }
}
