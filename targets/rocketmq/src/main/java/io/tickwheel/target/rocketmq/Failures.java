package io.tickwheel.target.rocketmq;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.java.exception.BadRequestException;
import org.apache.rocketmq.client.java.exception.ForbiddenException;
import org.apache.rocketmq.client.java.exception.PayloadEmptyException;
import org.apache.rocketmq.client.java.exception.PayloadTooLargeException;
import org.apache.rocketmq.client.java.exception.PaymentRequiredException;
import org.apache.rocketmq.client.java.exception.RequestHeaderFieldsTooLargeException;
import org.apache.rocketmq.client.java.exception.TooManyRequestsException;
import org.apache.rocketmq.client.java.exception.UnauthorizedException;
import org.apache.rocketmq.client.java.exception.UnsupportedException;

/** What becomes of an attempt that RocketMQ's client has given up. */
final class Failures {

    private Failures() {}

    /** The failure itself, which futures wrap. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Asks whether no later attempt can succeed. */
    static boolean isForGood(Throwable failure) {
        return isRefusedByClient(failure)
                || failure instanceof BadRequestException
                || failure instanceof PayloadEmptyException
                || failure instanceof PayloadTooLargeException
                || failure instanceof RequestHeaderFieldsTooLargeException;
    }

    /** The client knows by itself which types of messages a topic takes, and how large they may be; other failures of these types are not the message's. */
    private static boolean isRefusedByClient(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return (failure instanceof IllegalArgumentException && message.startsWith("Current message type not match"))
                || (failure instanceof IOException && message.startsWith("Message body size exceeds"));
    }

    /** Asks whether the message has not reached its topic because this is not there, or nobody has answered for it: others would fare the same. */
    static boolean isAway(Throwable failure) {
        return !isForGood(failure)
                && !(failure instanceof UnauthorizedException)
                && !(failure instanceof ForbiddenException)
                && !(failure instanceof PaymentRequiredException)
                && !(failure instanceof UnsupportedException)
                && !(failure instanceof TooManyRequestsException);
    }

    /** Asks whether nobody has answered at all, so that the connection may be at fault. */
    static boolean isSilence(Throwable failure) {
        return isAway(failure) && !(failure instanceof ClientException);
    }

    static String reason(String topic, Throwable failure) {
        String message = failure.getMessage();
        String name = failure.getClass().getSimpleName().replace("Exception", "");
        return "topic " + topic + ": " + name + (message == null ? "" : ": " + message);
    }
}
