package io.tickwheel.server.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;

/** Certificates that sign themselves, as PEM files. */
public record TestIdentity(Path certificate, Path key) {

    /** For localhost and 127.0.0.1. */
    public static TestIdentity make(Path directory, String name) {
        return make(directory, name, Algorithm.ecp256);
    }

    /** The same with a key of this algorithm. */
    public static TestIdentity make(Path directory, String name, Algorithm algorithm) {
        CertificateBuilder builder = new CertificateBuilder()
                .algorithm(algorithm)
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .addSanDnsName("localhost")
                .addSanIpAddress("127.0.0.1");
        try {
            X509Bundle made = builder.buildSelfSigned();
            return new TestIdentity(
                    Files.writeString(directory.resolve(name + ".crt"), made.getCertificatePEM()),
                    Files.writeString(directory.resolve(name + ".key"), made.getPrivateKeyPEM()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
