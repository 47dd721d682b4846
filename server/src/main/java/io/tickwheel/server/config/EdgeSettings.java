package io.tickwheel.server.config;

import io.tickwheel.server.access.Token;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads who may call, and over what. */
final class EdgeSettings {

    static final String ADMIN = "access.admin";
    static final String OPEN_METRICS = "access.openMetrics";
    static final String TLS = "tls";
    static final String ELSEWHERE = "terminated-elsewhere";
    static final String CERTIFICATE = "tls.certificate";
    static final String KEY = "tls.key";
    static final String CLIENT_CERTIFICATES = "tls.clientCertificates";
    private static final String ADMINISTRATION = "admin";
    private static final String CHANGES = "changes";
    static final String INSECURE = "insecure";
    private static final String AUDIT_FILE = "audit.file";
    private static final String AUDIT_OF = "audit.of";
    private static final String AUDIT_FILE_BYTES = "audit.fileBytes";
    private static final String AUDIT_FILES = "audit.files";
    private static final String CONNECTIONS_PER_ADDRESS = "server.connectionsPerAddress";
    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final String DEFAULT_FILE_BYTES = "67108864";
    private static final String DEFAULT_FILES = "10";
    static final List<Setting> SETTINGS = List.of(
            Setting.secret(ADMIN),
            Setting.of(OPEN_METRICS, Setting.FLAG, false),
            Setting.of(TLS, ELSEWHERE),
            Setting.of(CERTIFICATE, Setting.FILE),
            Setting.of(KEY, Setting.FILE),
            Setting.of(CLIENT_CERTIFICATES, Setting.FILE),
            Setting.of(INSECURE, Setting.FLAG, false),
            Setting.of(AUDIT_FILE, Setting.FILE),
            Setting.of(AUDIT_OF, ADMINISTRATION + " or " + CHANGES, ADMINISTRATION),
            Setting.of(AUDIT_FILE_BYTES, Setting.BYTES, DEFAULT_FILE_BYTES),
            Setting.of(AUDIT_FILES, Setting.INTEGER, DEFAULT_FILES),
            Setting.of(CONNECTIONS_PER_ADDRESS, Setting.INTEGER, "half of all that there may be"));

    private final UnaryOperator<@Nullable String> values;

    private EdgeSettings(UnaryOperator<@Nullable String> values) {
        this.values = values;
    }

    static EdgeConfig read(UnaryOperator<@Nullable String> values) {
        EdgeSettings settings = new EdgeSettings(values);
        return new EdgeConfig(
                settings.admin(),
                settings.flag(OPEN_METRICS),
                settings.tls(),
                settings.isTlsElsewhere(),
                settings.flag(INSECURE),
                settings.audit(),
                settings.connectionsPerAddress());
    }

    private @Nullable Token admin() {
        String value = values.apply(ADMIN);
        if (value == null) {
            return null;
        }
        try {
            return Token.configured(value);
        } catch (IllegalArgumentException e) {
            // Without the value: somebody may have put the token itself there.
            throw new StartException(ADMIN + ": " + e.getMessage() + "; tickwheel tokens generate prints one", e);
        }
    }

    private @Nullable TlsFiles tls() {
        Path certificate = file(CERTIFICATE);
        Path key = file(KEY);
        Path clients = file(CLIENT_CERTIFICATES);
        if (certificate != null && key != null) {
            if (values.apply(TLS) != null) {
                throw new StartException(TLS + " and " + CERTIFICATE + " are there, must be at most one");
            }
            return new TlsFiles(certificate, key, clients);
        }
        if (certificate != null || key != null || clients != null) {
            throw new StartException((certificate == null ? CERTIFICATE : KEY) + " is not set, must be with "
                    + (certificate != null ? CERTIFICATE : key != null ? KEY : CLIENT_CERTIFICATES));
        }
        return null;
    }

    private @Nullable AuditConfig audit() {
        Path file = file(AUDIT_FILE);
        String of = value(AUDIT_OF, ADMINISTRATION);
        if (!of.equals(ADMINISTRATION) && !of.equals(CHANGES)) {
            throw Settings.broken(AUDIT_OF, of, "must be " + ADMINISTRATION + " or " + CHANGES);
        }
        long bytes = Settings.number(AUDIT_FILE_BYTES, value(AUDIT_FILE_BYTES, DEFAULT_FILE_BYTES), 4_096, 1 << 30);
        int files = Settings.integer(AUDIT_FILES, value(AUDIT_FILES, DEFAULT_FILES), 1, 1_000);
        if (file != null) {
            return new AuditConfig(file, of.equals(CHANGES), bytes, files);
        }
        for (String name : List.of(AUDIT_OF, AUDIT_FILE_BYTES, AUDIT_FILES)) {
            if (values.apply(name) != null) {
                throw new StartException(AUDIT_FILE + " is not set, must be with " + name);
            }
        }
        return null;
    }

    private @Nullable Integer connectionsPerAddress() {
        String value = values.apply(CONNECTIONS_PER_ADDRESS);
        return value == null ? null : Settings.integer(CONNECTIONS_PER_ADDRESS, value, 1, MOST_CONNECTIONS);
    }

    private String value(String name, String absent) {
        String value = values.apply(name);
        return value == null ? absent : value;
    }

    private @Nullable Path file(String name) {
        String value = values.apply(name);
        return value == null ? null : Settings.file(name, value);
    }

    private boolean isTlsElsewhere() {
        String value = values.apply(TLS);
        if (value != null && !value.equals(ELSEWHERE)) {
            throw Settings.broken(TLS, value, "must be " + ELSEWHERE);
        }
        return value != null;
    }

    private boolean flag(String name) {
        String value = values.apply(name);
        return value != null && Settings.flag(name, value);
    }
}
