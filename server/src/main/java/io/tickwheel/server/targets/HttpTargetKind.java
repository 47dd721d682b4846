package io.tickwheel.server.targets;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * HTTP callbacks: {@code {"url": "http://shop:8080/close", "method": "PUT"}}, POST unless the method is there. The address is the
 * method, a blank and the URL as it was written.
 */
public final class HttpTargetKind implements TargetKind {

    private static final String URL = "url";
    private static final String METHOD = "method";
    private static final String POST = "POST";
    private static final String GET = "GET";
    private static final String INVALID_URL = "invalid_url";
    private static final String INVALID_METHOD = "invalid_method";
    private static final String NOT_ALLOWED = "destination_not_allowed";

    /** Whether a URL is allowed; why not, otherwise. */
    private final Recent<Optional<String>> refusals;

    /** One that takes every destination that is written right: for tools that call none. */
    public HttpTargetKind() {
        this(null);
    }

    private HttpTargetKind(@Nullable HttpSettings settings) {
        this.refusals = new Recent<>(url -> {
            HttpAddress address = HttpAddress.of(POST, url);
            return settings == null
                    ? Optional.empty()
                    : Optional.ofNullable(settings.rules().refusal(address));
        });
    }

    /** One that refuses destinations too which these options do not allow, as far as that is known without a look-up. */
    @Override
    public TargetKind configured(Map<String, String> options) {
        return new HttpTargetKind(HttpSettings.read(options));
    }

    @Override
    public List<KindOption> options() {
        return HttpSettings.OPTIONS;
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public List<String> fields() {
        return List.of(URL, METHOD);
    }

    @Override
    public String read(TargetFields fields) {
        String url = fields.text(URL);
        String method = fields.text(METHOD, POST);
        Optional<String> refusal;
        try {
            refusal = refusals.of(url);
        } catch (IllegalArgumentException e) {
            throw fields.invalid(URL, INVALID_URL, String.valueOf(e.getMessage()));
        }
        if (refusal.isPresent()) {
            throw fields.invalid(URL, NOT_ALLOWED, refusal.get());
        }
        if (!HttpAddress.METHODS.contains(method)) {
            throw fields.invalid(METHOD, INVALID_METHOD, noMethod());
        }
        return method + " " + url;
    }

    @Override
    public @Nullable Map<String, Object> write(String address) {
        int blank = address.indexOf(' ');
        if (blank <= 0) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(URL, address.substring(blank + 1));
        fields.put(METHOD, address.substring(0, blank));
        return fields;
    }

    @Override
    public String readSetting(String text) {
        int blank = text.indexOf(' ');
        String method = blank < 0 ? POST : text.substring(0, blank);
        String url = text.substring(blank + 1);
        if (!HttpAddress.METHODS.contains(method)) {
            throw new InvalidTargetException(INVALID_METHOD, noMethod());
        }
        Optional<String> refusal;
        try {
            refusal = refusals.of(url);
        } catch (IllegalArgumentException e) {
            throw new InvalidTargetException(INVALID_URL, String.valueOf(e.getMessage()));
        }
        if (refusal.isPresent()) {
            throw new InvalidTargetException(NOT_ALLOWED, refusal.get());
        }
        return method + " " + url;
    }

    @Override
    public String settingForm() {
        return "a URL, or a method and a URL";
    }

    @Override
    public void checkPayload(String address) {
        if (address.substring(0, address.indexOf(' ')).equals(GET)) {
            throw new InvalidTargetException(INVALID_METHOD, METHOD, "is GET, must be another to send a payload");
        }
    }

    /** Where callbacks may go with some options, for the log: {@code public addresses and 10.0.0.0/8, ports 80, 443}. */
    public static String reach(Map<String, String> options) {
        return HttpSettings.read(options).rules().toString();
    }

    /** Opens an event loop for all callbacks. */
    @Override
    public Target open(TargetOptions options) {
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
        return new HttpTarget(
                vertx,
                vertx.getOrCreateContext(),
                options.clock(),
                HttpSettings.read(options.settings()),
                options.attempts());
    }

    private static String noMethod() {
        return "must be one of " + String.join(", ", HttpAddress.METHODS);
    }
}
