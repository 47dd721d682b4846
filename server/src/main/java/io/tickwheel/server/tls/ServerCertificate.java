package io.tickwheel.server.tls;

import io.tickwheel.engine.Clock;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate that a server shows, which is read anew when its files are others: connections that begin afterwards see the new one. Files that are not what
 * they must be change nothing, and are complained about once; a certificate that is good later on is shown then. For one event loop; files are read beside it.
 */
public final class ServerCertificate {

    static final long LOOK_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(ServerCertificate.class);

    private final TlsFiles files;
    private final Clock clock;
    private TlsFiles.@Nullable Contents shown;
    private TlsFiles.@Nullable Contents refused;
    private boolean isUnreadable;
    private boolean looking;

    public ServerCertificate(TlsFiles files, Clock clock) {
        this.files = files;
        this.clock = clock;
    }

    /**
     * Reads the files for a server that is to be started.
     *
     * @throws IOException when one cannot be read
     * @throws IllegalArgumentException with the file and the rule, when one is not what it must be
     */
    public void apply(HttpServerOptions options) throws IOException {
        TlsFiles.Contents contents = files.read();
        Identity identity = contents.identity(clock.now());
        // The second makes the options that the rest goes into.
        options.setSsl(true).setUseAlpn(false);
        contents.apply(identity, Objects.requireNonNull(options.getSslOptions()));
        shown = contents;
        told("shows", identity.goodUntil());
    }

    /** Looks at the files from now on. */
    public void watch(Vertx vertx, HttpServer server) {
        vertx.setPeriodic(LOOK_MS, id -> {
            if (!looking) {
                looking = true;
                vertx.executeBlocking(files::read).onComplete(read -> take(server, read), this::unreadable);
            }
        });
    }

    private void unreadable(Throwable failure) {
        looking = false;
        if (!isUnreadable) {
            isUnreadable = true;
            LOG.error("the certificate cannot be read anew, and stays as it is: {}", failure.toString());
        }
    }

    private void take(HttpServer server, TlsFiles.Contents read) {
        isUnreadable = false;
        if (read.isSame(shown)) {
            looking = false;
            return;
        }
        Identity identity;
        ServerSSLOptions options = new ServerSSLOptions();
        try {
            identity = read.identity(clock.now());
            read.apply(identity, options);
        } catch (IllegalArgumentException e) {
            refuse(read, e);
            return;
        }
        server.updateSSLOptions(options, true)
                .onComplete(
                        updated -> {
                            looking = false;
                            shown = read;
                            refused = null;
                            told("shows from now on", identity.goodUntil());
                        },
                        failure -> refuse(read, failure));
    }

    private void refuse(TlsFiles.Contents read, Throwable failure) {
        looking = false;
        if (!read.isSame(refused)) {
            refused = read;
            LOG.error("the certificate stays as it is: {}", failure.getMessage());
        }
    }

    private void told(String what, Instant goodUntil) {
        LOG.info("the server {} the certificate of {}, which is good until {}", what, files.certificate(), goodUntil);
    }
}
