package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FailuresTest {

    private final Readiness readiness = new Readiness();
    private final Failures failures =
            new Failures(readiness, new RandomKeys(() -> 7), new Traffic(code -> {}, when -> {}, null));

    @Test
    void aFailedDiskSaysWhetherTheCommandTookEffect() {
        Problem unknown = failures.problem(
                new CompletionException(new StoreFailedException("write failed", true, new IOException("gone"))));
        assertThat(unknown.code()).isEqualTo(ProblemCode.STORAGE_FAILED);
        assertThat(unknown.applied()).isEqualTo(Problem.Applied.UNKNOWN);
        Problem not = failures.problem(new StoreFailedException("stopped", false, new IOException("gone")));
        assertThat(not.applied()).isEqualTo(Problem.Applied.NO);
        assertThat(not.detail()).doesNotContain("gone");
    }

    @Test
    void aFullDiskIsADefiniteNoThatPasses() {
        Problem full = failures.problem(new CompletionException(new StoreFullException("12 bytes are left")));
        assertThat(full.code()).isEqualTo(ProblemCode.STORAGE_FULL);
        assertThat(full.code().status()).isEqualTo(503);
        assertThat(full.code().isPassing()).isTrue();
        assertThat(full.applied()).isEqualTo(Problem.Applied.NO);
    }

    @Test
    void aStoreThatCannotBeReachedSaysWhetherTheCommandTookEffect() {
        Problem unknown = failures.problem(
                new CompletionException(new StoreUnavailableException("no reply from 10.0.0.1:6379", true)));
        assertThat(unknown.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE);
        assertThat(unknown.code().status()).isEqualTo(503);
        assertThat(unknown.code().isPassing()).isTrue();
        assertThat(unknown.applied()).isEqualTo(Problem.Applied.UNKNOWN);
        Problem not = failures.problem(new StoreUnavailableException("no connection to 10.0.0.1:6379", false));
        assertThat(not.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE);
        assertThat(not.applied()).isEqualTo(Problem.Applied.NO);
        assertThat(unknown.detail() + not.detail()).doesNotContain("10.0.0.1");
    }

    @Test
    void aStoreWhoseContentIsGoneSaysWhetherTheCommandTookEffect() {
        Problem unknown = failures.problem(new CompletionException(new StoreGoneException("it is gone", true)));
        assertThat(unknown.code()).isEqualTo(ProblemCode.STORAGE_GONE);
        assertThat(unknown.applied()).isEqualTo(Problem.Applied.UNKNOWN);
        Problem not = failures.problem(new StoreGoneException("it is gone", false));
        assertThat(not.code()).isEqualTo(ProblemCode.STORAGE_GONE);
        assertThat(not.applied()).isEqualTo(Problem.Applied.NO);
    }

    @Test
    void aStoreThatRefusesACommandMayHaveTakenIt() {
        Problem problem = failures.problem(new CompletionException(new StoreException("secret")));
        assertThat(problem.code()).isEqualTo(ProblemCode.STORAGE_FAILED);
        assertThat(problem.applied()).isEqualTo(Problem.Applied.UNKNOWN);
        assertThat(problem.detail()).doesNotContain("secret");
    }

    @Test
    void aValueThatAnEngineRefusesHasItsRule() {
        Problem problem = failures.problem(new IllegalArgumentException("must be at most 5"));
        assertThat(problem.code()).isEqualTo(ProblemCode.OUT_OF_RANGE);
        assertThat(problem.detail()).isEqualTo("must be at most 5");
        assertThat(failures.problem(new IllegalArgumentException()).detail()).isEqualTo("a value is out of range");
    }

    @Test
    void aClosedEngineIsClosing() {
        readiness.draining();
        Problem problem = failures.problem(new IllegalStateException("closed"));
        assertThat(problem.code()).isEqualTo(ProblemCode.CLOSING);
        assertThat(problem.applied()).isEqualTo(Problem.Applied.NO);
    }

    /** A run that is not begun as too many go on may be tried again; one that a closed engine has refused may not. */
    @Test
    void aBulkRunThatAClosedEngineRefusesIsNotOneTooMany(@TempDir Path directory) {
        IllegalStateException refusal = new IllegalStateException("no");
        Tickwheel timers = Tickwheel.open(SmallSegments.store(directory));
        assertThat(BulkCalls.tooMany(timers, refusal).code()).isEqualTo(ProblemCode.TOO_MANY_BULK_RUNS);
        timers.close();
        assertThatThrownBy(() -> BulkCalls.tooMany(timers, refusal)).isSameAs(refusal);
    }

    @Test
    void whatNobodyExpectedIsHiddenBehindAnId() {
        Problem problem = failures.problem(new ArithmeticException("secret"));
        assertThat(problem.code()).isEqualTo(ProblemCode.INTERNAL);
        assertThat(problem.detail()).contains("AAAAAAAAAAcAAAAAAAAABw").doesNotContain("secret", "Exception");
    }
}
