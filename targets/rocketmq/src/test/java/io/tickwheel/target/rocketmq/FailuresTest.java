package io.tickwheel.target.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.java.exception.BadRequestException;
import org.apache.rocketmq.client.java.exception.ForbiddenException;
import org.apache.rocketmq.client.java.exception.InternalErrorException;
import org.apache.rocketmq.client.java.exception.NotFoundException;
import org.apache.rocketmq.client.java.exception.PayloadTooLargeException;
import org.apache.rocketmq.client.java.exception.PaymentRequiredException;
import org.apache.rocketmq.client.java.exception.TooManyRequestsException;
import org.apache.rocketmq.client.java.exception.UnauthorizedException;
import org.junit.jupiter.api.Test;

/** What the client says of a message that it has given up, and what that says of the topic. */
final class FailuresTest {

    @Test
    void whatIsTheMessagesIsForGoodAndSaysNothingOfTheTopic() {
        for (Throwable failure : List.of(
                new BadRequestException(40_000, "r", "m"),
                new PayloadTooLargeException(41_300, "r", "m"),
                new IllegalArgumentException("Current message type not match with topic accept message types"),
                new IOException("Message body size exceeds the threshold, max size=4194304 bytes"))) {
            assertThat(Failures.isForGood(failure)).as(failure.toString()).isTrue();
            assertThat(Failures.isAway(failure)).as(failure.toString()).isFalse();
            assertThat(Failures.isSilence(failure)).as(failure.toString()).isFalse();
        }
    }

    @Test
    void whoIsRefusedOrHasToWaitHasReachedTheTopic() {
        for (Throwable failure : List.of(
                new UnauthorizedException(40_100, "r", "m"),
                new PaymentRequiredException(40_200, "r", "m"),
                new ForbiddenException(40_300, "r", "m"),
                new TooManyRequestsException(42_900, "r", "m"))) {
            assertThat(Failures.isForGood(failure)).as(failure.toString()).isFalse();
            assertThat(Failures.isAway(failure)).as(failure.toString()).isFalse();
            assertThat(Failures.isSilence(failure)).as(failure.toString()).isFalse();
        }
    }

    @Test
    void aTopicIsAwayThatIsNotThereOrWhoseBrokerFails() {
        for (Throwable failure : List.of(
                new NotFoundException(40_402, "r", "m"),
                new InternalErrorException(50_000, "r", "m"),
                new ClientException("no producer could be made"))) {
            assertThat(Failures.isAway(failure)).as(failure.toString()).isTrue();
            assertThat(Failures.isSilence(failure)).as(failure.toString()).isFalse();
        }
    }

    @Test
    void onlyNoAnswerIsSilence() {
        for (Throwable failure : List.of(
                new TimeoutException("nobody has confirmed it"),
                new IOException("connection reset"),
                new IllegalArgumentException("another"))) {
            assertThat(Failures.isAway(failure)).as(failure.toString()).isTrue();
            assertThat(Failures.isSilence(failure)).as(failure.toString()).isTrue();
        }
    }

    @Test
    void theFailureIsWhatAFutureHasWrapped() {
        Throwable failure = new NotFoundException(40_402, "r", "m");
        assertThat(Failures.cause(new CompletionException(failure))).isSameAs(failure);
        assertThat(Failures.cause(failure)).isSameAs(failure);
    }
}
