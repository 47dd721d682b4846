package io.tickwheel.store.redis.partition;

/**
 * What this node has given back and was granted of the tokens of a queue since it was opened. Each question brings both sums along, so that the server sees what was lost on the
 * way: an answer with tokens, or a question with some that were given back. Used by the loop only.
 */
final class TokenAccount {

    private long returned;
    private long received;

    /** Notes that so many tokens are given back in a question, whether it arrives or not. */
    void giveBack(int tokens) {
        returned += tokens;
    }

    /** Notes that so many tokens came with an answer. */
    void receive(int tokens) {
        received += tokens;
    }

    long returned() {
        return returned;
    }

    long received() {
        return received;
    }
}
