package io.tickwheel.server.config;

import io.tickwheel.server.access.Token;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.tls.TlsFiles;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Who may call a server, and what lies between him and it. Immutable.
 *
 * @param admin the token that settings name; null when none is asked for
 * @param openMetrics whether metrics are for everybody
 * @param tls where the server has its certificate; null when it speaks plain HTTP
 * @param tlsElsewhere whether something before the server does TLS
 * @param insecure whether the server may listen to everybody all the same
 * @param audit what is written of who did what; null for nothing
 * @param connectionsPerAddress how many connections one address may have open; null for half of those that there may be in all
 */
public record EdgeConfig(
        @Nullable Token admin,
        boolean openMetrics,
        @Nullable TlsFiles tls,
        boolean tlsElsewhere,
        boolean insecure,
        @Nullable AuditConfig audit,
        @Nullable Integer connectionsPerAddress) {

    /** For this machine: without tokens, and without TLS. */
    public static final EdgeConfig LOCAL = new EdgeConfig(null, false, null, false, false, null);

    /** One of which an address may have half of the connections. */
    public EdgeConfig(
            @Nullable Token admin,
            boolean openMetrics,
            @Nullable TlsFiles tls,
            boolean tlsElsewhere,
            boolean insecure,
            @Nullable AuditConfig audit) {
        this(admin, openMetrics, tls, tlsElsewhere, insecure, audit, null);
    }

    private boolean hasTls() {
        return tls != null || tlsElsewhere;
    }

    /**
     * Refuses to have strangers reach a server that does not ask who they are, or has them send their tokens in the clear.
     *
     * @throws StartException when the address is one that others than this machine reach, and something is missing
     */
    public void check(String host) {
        if (insecure || isLoopback(host) || (admin != null && hasTls())) {
            return;
        }
        String missing = admin == null ? (hasTls() ? "access.admin" : "access.admin and TLS") : "TLS";
        throw new StartException("server.host is " + host + ", which others than this machine reach, and " + missing
                + (admin == null && !hasTls() ? " are" : " is") + " not set: must be a loopback address, or "
                + EdgeSettings.ADMIN + " with "
                + EdgeSettings.CERTIFICATE + " or " + EdgeSettings.TLS + " " + EdgeSettings.ELSEWHERE + ", or "
                + EdgeSettings.INSECURE + " true");
    }

    /** One whose name stands for no address may be anything. */
    public static boolean isLoopback(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            // To listen on it fails too, and says so.
            return false;
        }
    }
}
