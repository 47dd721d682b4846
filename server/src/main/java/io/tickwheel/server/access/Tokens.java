package io.tickwheel.server.access;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens, as this node knows them: one document of the engine, which is read anew when it is another one, and the one that settings name. A change is answered when it
 * is durable and applies here; whoever calls {@link #look} has it apply on the other nodes. For one event loop, on which the engine answers.
 */
public final class Tokens {

    /** How often {@link #look} is to be called. */
    public static final long LOOK_MS = 250;

    /** How many tokens there may be in the store. */
    public static final int MOST = TokenList.MOST;

    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);
    private static final String DOCUMENT = "tokens";
    private static final int MOST_ROUNDS = 20;

    private final Clock clock;
    private final LongSupplier random;
    private final @Nullable Token configured;
    private final boolean insecure;
    private TokenList known = TokenList.EMPTY;
    private @Nullable String knownId;
    private boolean isUnreadable;
    private volatile boolean loaded;
    private boolean looking;

    /** Changes that were made here: what was read before one of them does not count. */
    private long changedHere;

    /** What was made. */
    public record Created(Token token, TokenSecret secret) {}

    /**
     * @param random 64 secure random bits at each call
     * @param configured the token that settings name; null when none is asked for and everybody may do everything
     * @param insecure whether everybody may though the store keeps tokens
     */
    public Tokens(Clock clock, LongSupplier random, @Nullable Token configured, boolean insecure) {
        this.clock = clock;
        this.random = random;
        this.configured = configured;
        this.insecure = insecure;
    }

    /** Whether tokens are asked for. */
    public boolean isAsked() {
        return configured != null;
    }

    /** Whether the tokens of the store are known: one that is not among them may be one else. */
    public boolean isLoaded() {
        return loaded;
    }

    /** Who brings a token; null when it is none, or is not worth anything any more. */
    public @Nullable Caller callerOf(String text) {
        String id = TokenSecret.idOf(text);
        Token token = id == null ? null : find(id);
        if (token == null || !token.hasHash(TokenSecret.hash(text)) || token.isExpired(clock.wallMs())) {
            return null;
        }
        return token.caller();
    }

    /** Whether the token that somebody brought, which was good then, still is. */
    public boolean isStillGood(Caller caller) {
        Token token = find(caller.id());
        return token != null && token.caller().equals(caller) && !token.isExpired(clock.wallMs());
    }

    private @Nullable Token find(String id) {
        return configured != null && configured.id().equals(id) ? configured : known.find(id);
    }

    /** Whether it is the one that settings name. */
    public boolean isConfigured(String id) {
        return configured != null && configured.id().equals(id);
    }

    /** Whether the store keeps tokens, readable or not. */
    public boolean areKept() {
        return isUnreadable || !known.all().isEmpty();
    }

    /** Whether the store keeps tokens, nobody is asked for one, and no setting says that it shall be so. */
    public boolean areLeftOpen() {
        return configured == null && !insecure && areKept();
    }

    /** All tokens, also those that have expired. */
    public List<Token> all() {
        List<Token> all = new ArrayList<>(known.all());
        if (configured != null) {
            all.add(0, configured);
        }
        return all;
    }

    /** Looks whether others have changed the tokens, and reads them if so. The answer is for those who wait for the first time. */
    public CompletableFuture<?> look(Tickwheel timers) {
        if (looking) {
            return CompletableFuture.completedFuture(null);
        }
        looking = true;
        long before = changedHere;
        return timers.documentId(DOCUMENT)
                .thenCompose(id -> loaded && id.equals(Optional.ofNullable(knownId))
                        ? CompletableFuture.completedFuture(null)
                        : read(timers, before))
                .whenComplete((done, failure) -> {
                    looking = false;
                    if (failure != null) {
                        // The store says itself what it cannot do; until it can, the tokens are those that are known.
                        LOG.debug("the tokens were not looked at: {}", failure.getMessage());
                    }
                });
    }

    private CompletableFuture<@Nullable Void> read(Tickwheel timers, long before) {
        return timers.document(DOCUMENT).thenAccept(found -> {
            if (changedHere == before) {
                take(
                        found.map(document -> document.id()).orElse(null),
                        found.map(document -> document.text()).orElse(null));
            }
        });
    }

    private void take(@Nullable String id, @Nullable String text) {
        knownId = id;
        known = TokenList.EMPTY;
        isUnreadable = false;
        loaded = true;
        if (text != null) {
            try {
                known = TokenList.read(text);
            } catch (IllegalArgumentException e) {
                isUnreadable = true;
                LOG.error("no token counts but the one that settings name: {}", e.getMessage());
            }
        }
    }

    /** Makes a token; empty when there are as many as there may be. */
    public CompletableFuture<Optional<Created>> create(Tickwheel timers, TokenWish wish) {
        TokenSecret secret = TokenSecret.create(random);
        Token token = new Token(
                new Caller(secret.id(), wish.name(), wish.scopes(), wish.queuePrefix(), wish.rate()),
                secret.hash(),
                clock.wallMs(),
                wish.expiresAt() == null ? null : wish.expiresAt().toEpochMilli());
        return change(timers, list -> list.isFull() ? null : list.with(token), MOST_ROUNDS)
                .thenApply(before -> before == null ? Optional.empty() : Optional.of(new Created(token, secret)));
    }

    /** Has a token be worth nothing from now on; the answer is that one, and empty when there is none of that id. */
    public CompletableFuture<Optional<Token>> revoke(Tickwheel timers, String id) {
        return change(timers, list -> list.find(id) == null ? null : list.without(id), MOST_ROUNDS)
                .thenApply(before -> before == null ? Optional.empty() : Optional.ofNullable(before.find(id)));
    }

    /** What becomes of the list; null when it stays. */
    private interface Change {

        @Nullable
        TokenList of(TokenList list);
    }

    /** The answer is the list before the change; null when it stayed. */
    private CompletableFuture<@Nullable TokenList> change(Tickwheel timers, Change change, int roundsLeft) {
        return timers.document(DOCUMENT).thenCompose(found -> {
            TokenList before = found.map(document -> readable(document.text())).orElse(TokenList.EMPTY);
            TokenList after = change.of(before);
            if (after == null) {
                return CompletableFuture.completedFuture((@Nullable TokenList) null);
            }
            String seen = found.map(document -> document.id()).orElse(null);
            return timers.writeDocument(DOCUMENT, after.write(), seen)
                    .thenApply(written -> {
                        changedHere++;
                        known = after;
                        loaded = true;
                        knownId = written.id();
                        return (@Nullable TokenList) before;
                    })
                    .exceptionallyCompose(failure -> again(timers, change, roundsLeft, failure));
        });
    }

    /** A list that cannot be read is not written over, and that is no fault of whoever makes a call. */
    private static TokenList readable(String text) {
        try {
            return TokenList.read(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("the tokens of the store cannot be changed: " + e.getMessage(), e);
        }
    }

    private CompletableFuture<@Nullable TokenList> again(
            Tickwheel timers, Change change, int roundsLeft, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? Objects.requireNonNull(failure.getCause()) : failure;
        if (!(cause instanceof IdMismatchException)) {
            return CompletableFuture.failedFuture(cause);
        }
        return roundsLeft == 1
                ? CompletableFuture.failedFuture(new StoreUnavailableException(
                        "the tokens were changed by others " + MOST_ROUNDS + " times meanwhile", false))
                : change(timers, change, roundsLeft - 1);
    }
}
