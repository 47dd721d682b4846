package io.tickwheel.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clients of stores and brokers that warn of each connection that is closed: what goes wrong with these is said once, by whoever uses the client. */
final class LoudClientsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.rabbitmq.client.impl.ForgivingExceptionHandler",
                "io.lettuce.core.protocol.ConnectionWatchdog",
                "org.apache.kafka.clients.NetworkClient"
            })
    void theySayErrorsOnly(String name) {
        Logger client = LoggerFactory.getLogger(name);
        assertThat(client.isWarnEnabled()).isFalse();
        assertThat(client.isErrorEnabled()).isTrue();
    }
}
