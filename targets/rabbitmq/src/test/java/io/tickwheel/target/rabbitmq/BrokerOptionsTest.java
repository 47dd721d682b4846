package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which virtual host is meant, and who is taken for the broker over TLS. */
final class BrokerOptionsTest {

    /** What a client of AMQP says first, and what it never says to somebody it does not trust. */
    private static final String GREETING = "AMQP";

    private static final String NOTHING = "";

    @TempDir
    private Path directory;

    private final Map<String, String> options = new HashMap<>();

    @ParameterizedTest
    @CsvSource({"'', /", "/, /", "/%2f, /", "/shop, shop", "/%2fshop, /shop"})
    void virtualHostIsThatOfTheUriOrTheDefaultOne(String path, String expected) {
        options.put("uri", "amqp://user:canary@127.0.0.1:5672" + path);
        assertThat(read().factory("test").getVirtualHost()).isEqualTo(expected);
    }

    private BrokerOptions read() {
        return BrokerOptions.read(new OptionReader(new TargetOptions(Clock.system(), 10, options)));
    }

    @Test
    void whoeverIsVouchedForByNobodyIsNotTrusted() throws Exception {
        try (SSLServerSocket broker = broker(made -> made.addSanIpAddress("127.0.0.1"))) {
            place(broker);
            assertThat(heardBy(broker)).isEqualTo(NOTHING);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"amqps", "AMQPS"})
    void whoeverAnAuthorityVouchesForIsTrusted(String scheme) throws Exception {
        try (SSLServerSocket broker = broker(made -> made.addSanIpAddress("127.0.0.1"))) {
            options.put("uri", scheme + "://user:canary@127.0.0.1:" + broker.getLocalPort() + "/");
            options.put("tlsCa", directory.resolve("broker.crt").toString());
            assertThat(heardBy(broker)).isEqualTo(GREETING);
        }
    }

    @Test
    void whoeverHasTheCertificateOfAnotherHostIsNotTrusted() throws Exception {
        try (SSLServerSocket broker = broker(made -> made.addSanDnsName("elsewhere"))) {
            place(broker);
            options.put("tlsCa", directory.resolve("broker.crt").toString());
            assertThat(heardBy(broker)).isEqualTo(NOTHING);
        }
    }

    private void place(SSLServerSocket broker) {
        options.put("host", "127.0.0.1");
        options.put("port", Integer.toString(broker.getLocalPort()));
        options.put("tls", "true");
    }

    /** What somebody who takes one connection and says nothing is told on it. */
    private String heardBy(SSLServerSocket broker) throws Exception {
        CompletableFuture<String> heard = CompletableFuture.supplyAsync(() -> {
            try (Socket connection = broker.accept()) {
                return new String(connection.getInputStream().readNBytes(GREETING.length()), StandardCharsets.US_ASCII);
            } catch (IOException e) {
                return NOTHING;
            }
        });
        BrokerOptions read = read();
        assertThatThrownBy(() -> read.factory("test").newConnection()).isInstanceOf(IOException.class);
        return heard.get(20, TimeUnit.SECONDS);
    }

    /** Somebody with a certificate that signs itself, which is beside it as {@code broker.crt}. */
    private SSLServerSocket broker(UnaryOperator<CertificateBuilder> named) throws Exception {
        X509Bundle made = named.apply(
                        new CertificateBuilder().subject("CN=broker").setIsCertificateAuthority(true))
                .buildSelfSigned();
        Files.writeString(directory.resolve("broker.crt"), made.getCertificatePEM());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(made.toKeyManagerFactory().getKeyManagers(), null, null);
        return (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }
}
