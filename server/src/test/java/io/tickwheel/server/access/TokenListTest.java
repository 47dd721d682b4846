package io.tickwheel.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.RateLimit;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written of tokens is read, as a whole or not at all. */
final class TokenListTest {

    private static final String HASH = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    private static final String LINE = "8f1d0c2b6a597e43 " + HASH + " 1 - read,pull =orders- shop";

    private final SplittableRandom random = new SplittableRandom(5);

    private Token token(String prefix, Long expiresAtMs) {
        TokenSecret secret = TokenSecret.create(random::nextLong);
        return new Token(
                new Caller(secret.id(), "a-name_.1", EnumSet.of(Scope.PULL, Scope.READ), prefix),
                secret.hash(),
                5,
                expiresAtMs);
    }

    @Test
    void whatIsWrittenIsRead() {
        Token one = token(null, null);
        Token two = token("-", 7L);
        TokenList list = TokenList.read(TokenList.EMPTY.with(one).with(two).write());
        assertThat(list.all()).containsExactly(one, two);
        assertThat(TokenList.read(list.without(one.id()).write()).all()).containsExactly(two);
        assertThat(TokenList.read(TokenList.EMPTY.write()).all()).isEmpty();
    }

    @Test
    void rateIsReadAsItWasWritten() {
        for (RateLimit rate :
                new RateLimit[] {new RateLimit(RateLimit.LEAST, 1), new RateLimit(RateLimit.MOST, 1_000_000)}) {
            Caller slow = new Caller("8f1d0c2b6a597e43", "slow", EnumSet.of(Scope.READ), null, rate);
            Token token = new Token(slow, HASH, 5, null);
            assertThat(TokenList.read(TokenList.EMPTY.with(token).write()).all())
                    .containsExactly(token);
        }
        Token token =
                TokenList.read("tickwheel tokens 1\n" + LINE + " 50.0/100").find("8f1d0c2b6a597e43");
        assertThat(token.caller().rate()).isEqualTo(new RateLimit(50, 100));
    }

    @Test
    void theLineIsAsTheDrawingHasIt() {
        Token token = TokenList.read("tickwheel tokens 1\n" + LINE).find("8f1d0c2b6a597e43");
        assertThat(token).isNotNull();
        assertThat(token.scopeWords()).containsExactly("read", "pull");
        assertThat(token.caller().queuePrefix()).isEqualTo("orders-");
        assertThat(token.toString()).doesNotContain(HASH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tickwheel tokens 2\n" + LINE,
                "tickwheel tokens 1\n",
                "tickwheel tokens 1\n" + LINE + "\n",
                "tickwheel tokens 1\n" + LINE + " more",
                "tickwheel tokens 1\n" + LINE + " 50.0",
                "tickwheel tokens 1\n" + LINE + " 0/1",
                "tickwheel tokens 1\n" + LINE + " 50.0/100 more",
                "tickwheel tokens 1\n8f1d0c2b6a597e43 " + HASH + " 1 - read,write - shop",
                "tickwheel tokens 1\n8f1d0c2b6a597e43 " + HASH + " 1 -  - shop",
                "tickwheel tokens 1\n8f1d0c2b6a597e43 " + HASH + " x - read - shop",
                "tickwheel tokens 1\n8f1d0c2b6a597e43 short 1 - read - shop"
            })
    void aListThatIsDamagedHasNoTokens(String text) {
        assertThatThrownBy(() -> TokenList.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(HASH);
    }

    @Test
    void aTokenHasItsFormAndNoTwoAreAlike() {
        TokenSecret one = TokenSecret.create(random::nextLong);
        TokenSecret two = TokenSecret.create(random::nextLong);
        assertThat(one.reveal()).matches("tw_[0-9a-f]{16}_[A-Za-z0-9_-]{43}").isNotEqualTo(two.reveal());
        assertThat(one.toString()).doesNotContain(one.reveal().substring(20));
        assertThat(TokenSecret.idOf(one.reveal())).isEqualTo(one.id());
        assertThat(TokenSecret.idOf(one.reveal() + "A")).isNull();
        assertThat(TokenSecret.idOf("x" + one.reveal().substring(1))).isNull();
    }
}
