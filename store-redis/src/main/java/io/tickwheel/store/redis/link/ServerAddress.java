package io.tickwheel.store.redis.link;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers are, and how to be let in. Immutable and thread-safe.
 *
 * @param kind what listens at the endpoints
 * @param endpoints of one server, of some sentinels, or of some nodes of a cluster: at least one
 * @param tls whether connections to the endpoints are encrypted
 * @param serverTls whether those to the servers that sentinels name are; elsewhere the same
 * @param masterName the name that the sentinels know the master by; empty unless there are sentinels
 */
public record ServerAddress(
        Kind kind, List<Endpoint> endpoints, boolean tls, boolean serverTls, String masterName, Access access) {

    /** What listens. */
    public enum Kind {
        SINGLE,
        SENTINEL,
        CLUSTER
    }

    /**
     * Whom to log in as.
     *
     * @param username null for the default user
     * @param password null where one does not log in
     */
    public record Login(@Nullable String username, @Nullable String password) {

        /** One does not log in. */
        public static final Login NONE = new Login(null, null);

        public Login withUsername(String changed) {
            return new Login(changed, password);
        }

        public Login withPassword(String changed) {
            return new Login(username, changed);
        }

        /** Without anything secret. */
        @Override
        public String toString() {
            return (username == null ? "" : ", user " + username) + (password == null ? "" : ", with a password");
        }
    }

    /** How to be let in. */
    public record Access(
            Login servers,
            Login sentinels,
            @Nullable Path certificateAuthority,
            @Nullable Path clientCertificate,
            @Nullable Path clientKey,
            boolean hostnameCheck) {

        /** Without anything secret. */
        @Override
        public String toString() {
            return servers
                    + (sentinels.equals(Login.NONE) ? "" : ", for sentinels" + sentinels)
                    + (certificateAuthority == null ? "" : ", certificate authority " + certificateAuthority)
                    + (clientCertificate == null ? "" : ", client certificate " + clientCertificate)
                    + (hostnameCheck ? "" : ", without a check of host names");
        }
    }

    public ServerAddress with(Access changed) {
        return new ServerAddress(kind, endpoints, tls, serverTls, masterName, changed);
    }

    public ServerAddress withServerTls(boolean changed) {
        return new ServerAddress(kind, endpoints, tls, changed, masterName, access);
    }

    /** Whether any connection is encrypted. */
    public boolean hasTls() {
        return tls || serverTls;
    }

    /** Without the password. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (kind == Kind.SENTINEL) {
            text.append("master ").append(masterName).append(" of sentinels ");
        } else if (kind == Kind.CLUSTER) {
            text.append("cluster ");
        }
        for (int i = 0; i < endpoints.size(); i++) {
            text.append(i == 0 ? "" : ",")
                    .append(tls ? "rediss://" : "redis://")
                    .append(endpoints.get(i));
        }
        if (serverTls != tls) {
            text.append(serverTls ? ", servers with TLS" : ", servers without TLS");
        }
        return text.append(access).toString();
    }
}
