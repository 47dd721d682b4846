package io.tickwheel.store.redis.partition;

/**
 * What this node has given back and was granted of the tokens of a queue since it was opened, or has forgotten the account before. Each question brings both sums along, so that the server sees what was lost on the
 * way: an answer with tokens, or a question with some that were given back. Used by the loop only.
 */
final class TokenAccount {

    /** Under which the server keeps the other side of it, in the line of this node. */
    final byte[] name;

    /** When it was asked with last. */
    long askedNanos;

    private long returned;
    private long received;

    TokenAccount(byte[] name) {
        this.name = name;
    }

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
