package io.tickwheel.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.store.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tokens that a store keeps, as its nodes know them. */
final class TokensTest {

    private static final String DOCUMENT = "tokens";

    private final SplittableRandom random = new SplittableRandom(3);
    private final Standing clock = new Standing();
    private final Tokens tokens = new Tokens(clock, random::nextLong, null, false);

    @TempDir
    private Path directory;

    private Tickwheel timers;

    @BeforeEach
    void open() {
        timers = Tickwheel.open(SmallSegments.store(directory));
    }

    @AfterEach
    void close() {
        timers.close();
    }

    private static TokenWish wish(Instant expiresAt) {
        return new TokenWish("shop", Set.of(Scope.READ), null, expiresAt, null);
    }

    private Tokens.Created create(Instant expiresAt) {
        return tokens.create(timers, wish(expiresAt)).join().orElseThrow();
    }

    private boolean isGood(Tokens.Created created) {
        return tokens.callerOf(created.secret().reveal()) != null;
    }

    @Test
    void aTokenIsWorthNothingFromTheMillisecondOfItsEnd() {
        Tokens.Created created = create(clock.now.plusMillis(10));
        clock.now = clock.now.plusMillis(9);
        assertThat(isGood(created)).isTrue();
        clock.now = clock.now.plusMillis(1);
        assertThat(isGood(created)).isFalse();
    }

    @Test
    void thereAreAsManyTokensAsThereMayBe() {
        TokenList list = TokenList.EMPTY;
        for (int i = 1; i < TokenList.MOST; i++) {
            TokenSecret secret = TokenSecret.create(random::nextLong);
            Caller caller = new Caller(secret.id(), "t" + i, EnumSet.of(Scope.READ), null);
            list = list.with(new Token(caller, secret.hash(), 0, null));
        }
        timers.writeDocument(DOCUMENT, list.write(), null).join();
        Tokens.Created last = create(null);
        assertThat(tokens.create(timers, wish(null)).join()).isEmpty();
        assertThat(tokens.all()).hasSize(TokenList.MOST).contains(last.token());
        tokens.revoke(timers, last.token().id()).join();
        assertThat(tokens.create(timers, wish(null)).join()).isPresent();
    }

    @Test
    void theTokenOfTheSettingsIsListedFirst() {
        Caller admin = new Caller("0123456789abcdef", "configured", Set.of(Scope.ADMIN), null);
        Token configured = new Token(admin, "0".repeat(64), 0, null);
        Tokens asking = new Tokens(clock, random::nextLong, configured, false);
        Token made = asking.create(timers, wish(null)).join().orElseThrow().token();
        assertThat(asking.all()).containsExactly(configured, made);
    }

    @Test
    void aLookThatFailsIsFollowedByOthers(@TempDir Path gone) {
        Tickwheel closed = Tickwheel.open(SmallSegments.store(gone));
        closed.close();
        assertThat(tokens.look(closed)).isCompletedExceptionally();
        assertThat(tokens.isLoaded()).isFalse();
        tokens.look(timers).join();
        assertThat(tokens.isLoaded()).isTrue();
    }

    @Test
    void aListThatCannotBeReadHasNoTokenThatIsGoodAndStays() {
        Tokens.Created created = create(null);
        String id = timers.document(DOCUMENT).join().orElseThrow().id();
        timers.writeDocument(DOCUMENT, "tickwheel tokens 7", id).join();
        assertThat(isGood(created)).isTrue();
        tokens.look(timers).join();
        assertThat(isGood(created)).isFalse();
        assertThat(tokens.areKept()).isTrue();
        assertThatThrownBy(() -> create(null)).hasMessageContaining("another form");
        assertThat(timers.document(DOCUMENT).join().orElseThrow().text()).isEqualTo("tickwheel tokens 7");
    }

    @Test
    void whatWasReadBeforeAChangeHereDoesNotCount() {
        Tokens.Created created = create(null);
        Tokens node = new Tokens(clock, random::nextLong, null, false);
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> wasRead = new CompletableFuture<>();
        CompletableFuture<?> look = node.look(holding(held, wasRead));
        wasRead.join();
        node.revoke(timers, created.token().id()).join();
        assertThat(look).isNotDone();
        held.complete(null);
        look.join();
        assertThat(node.callerOf(created.secret().reveal())).isNull();
        assertThat(node.all()).isEqualTo(List.of());
    }

    @Test
    void aChangeThatOthersAlwaysOvertakeIsGivenUp() {
        create(null);
        int[] writes = {0};
        Tickwheel overtaken = (Tickwheel) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Tickwheel.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("writeDocument")) {
                        return method.invoke(timers, arguments);
                    }
                    writes[0]++;
                    if (writes[0] > 100) {
                        throw new IllegalStateException("it goes on and on");
                    }
                    return timers.writeDocument(DOCUMENT, (String) arguments[1], "of another one");
                });
        CompletableFuture<?> created = tokens.create(overtaken, wish(null));
        assertThatThrownBy(created::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("changed by others 20 times");
        assertThat(writes[0]).isEqualTo(20);
        assertThat(tokens.all()).hasSize(1);
    }

    /** The engine, which tells later what it has read of a document. */
    private Tickwheel holding(CompletableFuture<Void> until, CompletableFuture<Void> wasRead) {
        return (Tickwheel) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Tickwheel.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(timers, arguments);
                    if (!method.getName().equals("document")) {
                        return answer;
                    }
                    CompletableFuture<?> read =
                            ((CompletableFuture<?>) answer).whenComplete((found, failure) -> wasRead.complete(null));
                    return until.thenCompose(told -> read);
                });
    }

    private static final class Standing implements Clock {

        private Instant now = Instant.parse("2030-01-01T00:00:00Z");

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public long monoNanos() {
            return Clock.system().monoNanos();
        }
    }

    @Test
    void aListThatCanBeReadAgainCountsAgain() {
        Tokens.Created created = create(null);
        String text = timers.document(DOCUMENT).join().orElseThrow().text();
        write("tickwheel tokens 7");
        tokens.look(timers).join();
        assertThat(isGood(created)).isFalse();
        write(text);
        tokens.look(timers).join();
        assertThat(isGood(created)).isTrue();
        tokens.revoke(timers, created.token().id()).join();
        write("tickwheel tokens 7");
        tokens.look(timers).join();
        assertThat(tokens.areKept()).isTrue();
        write(timers.document(DOCUMENT).join().map(document -> text).orElseThrow());
        tokens.look(timers).join();
        tokens.revoke(timers, created.token().id()).join();
        assertThat(tokens.areKept()).as("the list can be read, and is empty").isFalse();
    }

    private void write(String text) {
        String id = timers.document(DOCUMENT).join().orElseThrow().id();
        timers.writeDocument(DOCUMENT, text, id).join();
    }
}
