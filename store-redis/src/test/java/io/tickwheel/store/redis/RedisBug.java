package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.Script;

/** A bug that is planted below a simulated course: in the text of a script, or in the way to the servers. */
enum RedisBug {
    NONE,

    // ---- in the link

    /** What too few replicas have counts as done. */
    UNMET_IS_DONE,
    /** A call without a reply counts as not carried out. */
    LOST_REPLY_IS_NOT_APPLIED,

    // ---- in the scripts

    /** A repeated claim does not hold from then on. */
    REPEATED_CLAIM_IS_NOT_RENEWED("commands", "come(f, held, field)\n          answer = flags", "answer = flags"),
    /** A claim is taken back by what was known before the same call asked for it again. */
    TOUCHED_CLAIM_IS_TAKEN_BACK(
            "commands", "(tonumber(call('ZSCORE', f, field) or now)) <= now", "(call('ZCARD', f) >= 0)"),
    /** What was answered to a call whose reply was lost is not known when it is repeated. */
    ANSWERS_ARE_FORGOTTEN("commands", "local before = operation and answered[operation]", "local before = nil"),
    /** A call that comes behind later ones is carried out. */
    LATE_CALL_IS_CARRIED_OUT("commands", "if last ~= ''", "if last == 'never'"),
    /** What makes a timer begins with a write that needs no memory. */
    FULL_SERVER_GROWS("commands", "isFull = true\n", "call('HDEL', KEYS[2], '')\n"),
    /** Who does not own a partition claims. */
    ANYBODY_CLAIMS("commands", "if not isOwner then\n          answer = 'X'", "if false then\n          answer = 'X'"),
    /** A claim is granted before the time has come. */
    CLAIMED_EARLY("commands", "record, 6) ~= due or due > now", "record, 6) ~= due"),
    /** A claim of a timer takes the one that has replaced it. */
    CLAIM_TAKES_ANOTHER_TIMER("commands", "unpackFrom('>i8', record, 6) ~= due or due > now", "due > now"),
    /** Whoever claimed once ends a later claim. */
    TOKEN_IS_NOT_ASKED_FOR("commands", "kind ~= 'R' and t.token ~= sub(bytes, at, at + 7)", "false"),
    /** An unused claim counts. */
    RELEASE_COUNTS(
            "commands",
            "elseif kind ~= 'R' then\n            t.attempts = t.attempts - 1",
            "elseif false then\n            t.attempts = t.attempts - 1"),
    /** A claimed timer is cancelled. */
    CLAIMED_TIMER_IS_CANCELLED(
            "commands",
            "t.state = ENDING\n          local head = headOf(t)",
            "t.state = CANCELLED\n          local head = headOf(t)"),
    /** A last attempt is followed by another one. */
    LAST_ATTEMPT_IS_FOLLOWED(
            "commands",
            "elseif t.state == ENDING then\n          cease(",
            "elseif t.state == DEAD then\n          cease("),
    /** A last attempt that has failed for good counts. */
    LAST_ATTEMPT_DIES("commands", "elseif stood == ENDING and state ~= COMPLETED", "elseif stood == ENDING and false"),
    /** A last attempt that is cancelled counts as live. */
    LAST_ATTEMPT_IS_LIVE("commands", "live = live - 1\n          answer = 'W' .. head", "answer = 'W' .. head"),
    /** An attempt that is cancelled before its claim is known begins all the same. */
    CANCELLED_CLAIM_IS_GRANTED(
            "commands",
            "elseif state == CLAIMED and sub(record, 31 + hashed, 38 + hashed)",
            "elseif (state == CLAIMED or state == ENDING) and sub(record, 31 + hashed, 38 + hashed)"),
    /** What leaves a set stays in it. */
    MEMBER_STAYS("commands", "call('ZREM', from, unpack(members))", "call('ZCARD', from)"),
    /** A new slice is not in the directory. */
    SLICE_IS_NOT_LISTED("commands", "call('ZADD', directory, tonumber", "local unused = (tonumber"),
    /** An empty slice stays in the directory. */
    EMPTY_SLICE_IS_LISTED("commands", "call('ZREM', directory, ", "call('ZSCORE', directory, "),
    /** A timer that has ended counts as live. */
    LIVE_COUNT_IS_WRONG(
            "commands", "live = live - 1\n          end\n          answer = 'D'", "end\n          answer = 'D'"),
    /** A further attempt has no time of its own. */
    RETRY_KEEPS_ITS_TIME("commands", "t.far, t.due = far == 1, due", "t.far = t.far"),
    /** The later one of two stays where the earlier one is to. */
    EARLIEST_IS_LATEST("commands", "rule == 3 and first <= due", "rule == 3 and first >= due"),
    /** A key is used a second time that is to be used once. */
    ONCE_IS_KEEP("commands", "or rule == 5) then", "or rule == 5 and isLive) then"),
    /** A version is given twice. */
    VERSION_STAYS("commands", "t and t.version + 1 or 1", "t and t.version or 1"),
    /** Numbers fall with the clock. */
    NUMBERS_FALL("commands", "seq = max(seq + 1, micros)", "seq = micros"),
    /** A claim holds for no time. */
    CLAIM_DOES_NOT_HOLD("commands", "format('%.0f', now + ARGV[4])", "format('%.0f', now)"),
    /** What was answered to a change whose reply was lost is not known when it is repeated. */
    CHANGES_ARE_FORGOTTEN(
            "commands", "(kind == 'C' or kind == 'E' or kind == 'N') and at", "(kind == 'C' or kind == 'N') and at"),
    /** A command that is meant for one timer takes another one. */
    EXPECTED_ID_IS_NOT_MINDED("commands", "sub(record, 14, 20) ~= sub(bytes, at, at + 6)", "false"),
    /** The owner is not told of what others reschedule or redrive. */
    CHANGES_ARE_NOT_TOLD(
            "commands",
            "pend(sliceKey .. sliceOf(t.far, due), due, t.route .. field)",
            "come(sliceKey .. sliceOf(t.far, due), format('%d', due), t.route .. field)"),
    /** A timer that is redriven has no attempt left. */
    REDRIVE_KEEPS_THE_ATTEMPTS("commands", "t.state, t.attempts = PENDING, 0", "t.state = PENDING"),
    /** A timer that is redriven does not count as live. */
    REDRIVEN_IS_NOT_LIVE("commands", "live = live + 1\n              tally(field, 1, 0, -1)", "tally(field, 1, 0, -1)"),
    /** A purged timer counts as dead. */
    PURGED_COUNTS_AS_DEAD("commands", "tally(field, 0, 0, -1)", "tally(field, 0, 0, 0)"),
    /** A pending timer is purged. */
    THE_LIVING_ARE_PURGED(
            "commands",
            "t.state ~= (what == RESCHEDULE and PENDING or DEAD)",
            "what ~= PURGE and t.state ~= (what == RESCHEDULE and PENDING or DEAD)"),
    /** A plan comes again without its run. */
    RUN_IS_NOT_MADE("commands", "local makes = run and stood ~= 1 and stood ~= 2", "local makes = false"),
    /** A run is made, and its plan stays claimed. */
    PLAN_DOES_NOT_MOVE(
            "commands",
            "tally(field, 1, -1, 0)\n            answer = 'D' .. pack",
            "changed[#changed] = record\n            answer = 'D' .. pack"),
    /** Whoever claimed a plan once makes its run. */
    TOKEN_OF_A_PLAN_IS_NOT_ASKED_FOR("commands", "or t.token ~= sub(bytes, at + 8, at + 15) then", "then"),
    /** A plan that was cancelled makes a run. */
    CANCELLED_PLAN_MAKES_A_RUN(
            "commands", "elseif t.state ~= CLAIMED then\n          cease", "elseif false then\n          cease"),
    /** A plan comes again with what it had. */
    PLAN_KEEPS_ITS_CONTENT("commands", "sub(bytes, contentAt, contentAt + length - 1)", "sub(record, t.content)"),
    /** A plan has no attempt left. */
    PLAN_KEEPS_ITS_ATTEMPTS(
            "commands", "t.state, t.attempts, t.far, t.due = PENDING, 0,", "t.state, t.far, t.due = PENDING,"),
    /** A run takes the place of a live one. */
    RUN_REPLACES("commands", "local makes = run and stood ~= 1 and stood ~= 2", "local makes = run and stood ~= 1"),
    /** A run is made though there is no memory. */
    RUN_ON_A_FULL_SERVER("commands", "if makes and isFull then", "if false then"),
    /** A spawn whose reply was lost is carried out again. */
    SPAWNS_ARE_FORGOTTEN(
            "commands", "(kind == 'C' or kind == 'E' or kind == 'N') and at", "(kind == 'C' or kind == 'E') and at"),
    /** Nobody learns that claims have run out. */
    LOST_CLAIMS_STAY("tend", "'-inf', now, 'LIMIT', 0, ARGV[4])", "'-inf', '-inf', 'LIMIT', 0, ARGV[4])"),
    /** What others schedule soon is taken from the list, and not given. */
    NEAR_INSERTS_ARE_LOST("tend", "call('ZPOPMIN', KEYS[2], ARGV[4])", "call('ZPOPMIN', KEYS[2], ARGV[4]) and {}"),
    /** A partition is taken whose owner has a lease. */
    LEASE_IS_NOT_HEEDED("own", "meta[1] and meta[1] ~= ARGV[1] and lease > now then", "false then"),
    /** A new owner has the epoch of the one before. */
    EPOCH_STAYS("own", "(tonumber(meta[2]) or 0) + 1, time", "tonumber(meta[2]) or time"),
    /** Whoever owned a partition once gives it back. */
    ANYBODY_GIVES_BACK("release", "~= ARGV[1] then", "== 'never' then"),
    /** The dead count as alive. */
    THE_DEAD_ARE_ALIVE(
            "beat", "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', alive)", "redis.call('ZCARD', KEYS[1])");

    private final String script;
    private final String right;
    private final String wrong;

    RedisBug() {
        this("", "", "");
    }

    RedisBug(String script, String right, String wrong) {
        this.script = script;
        this.right = right;
        this.wrong = wrong;
    }

    boolean isIn(Script each) {
        return !script.isEmpty() && each.name().equals(script);
    }

    /** The source of a script, with the bug if that is in it. */
    String plant(Script each) {
        if (!isIn(each)) {
            return each.source();
        }
        String planted = each.source().replace(right, wrong);
        if (planted.equals(each.source())) {
            throw new AssertionError(this + " cannot be planted: " + script + ".lua has no " + right);
        }
        return planted;
    }
}
