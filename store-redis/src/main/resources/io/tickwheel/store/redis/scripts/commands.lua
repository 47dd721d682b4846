-- Carries out commands on the timers of some partitions, in their order. The commands of a partition are taken in rounds, in
-- which no timer comes twice: a round reads all that is needed, decides each command on what was read, and only then writes, so
-- that no error can come between two writes.
--
-- KEYS  a, then for each partition: m r i n f x e q slice...
-- ARGV  1 deadline (ms): nothing is done after it
--       2 1 when something must be written in any case, so that a WAIT has something to wait for
--       3 how many finished timers are remembered
--       4 how long a claim holds (ms)
--       5 channel of an owner, without its name
--       6 number of the call when it has commands that must not come late, else empty: those of one node and a rise
--       7 1 when it has commands of clients that may have been carried out by a call before
--       8 1 when it has a command that takes memory: one that makes a timer, or has one pending at another time
--       then for each partition: its number in two bytes, how many slices and how many commands it has in one byte each, how long
--       the epoch is in one byte, and the epoch of the caller when it owns the partition; and then its commands
-- A command is a letter, the field with its length in two bytes, and:
--   S schedule: rule (0 replace, 1 keep, 2 fail, 3 earliest, 4 latest, 5 once), far, due, operation, what there is (1 a hash,
--     2 an expected seq, or both), route (its length, 0 or 4, and its bytes), hash, expected seq (7 bytes), content
--   C cancel: operation, and an expected seq or nothing    F find    Q find, with the content
--   E change: operation, what (0 reschedule, 1 redrive, 2 purge), what there is (1 a content, 2 an expected seq, 4 with that an
--     expected time of the attempt, or more of them), far, due, expected seq, expected time, route and content
--   A acknowledge an attempt whose claim the caller does not hold: operation, expected seq, token, number of the attempt, attempt as the
--     fields that it becomes
--   L claim: due, token    D finish: token, state, attempt    T retry: token, far, due, attempt: the one that ends, as the fields
--     that it becomes, or nothing
--   P as T without the attempt, which does not count
--   U release: token    X extend: token
--   O release with another route: token, route    R reap: back to pending when its claim has run out
--   N next, of a plan: operation, token, the field of its run with its length in two bytes, far, due, length of the content in four
--     bytes, content, and then of the run: far, due, what there is (1 a hash), route, hash, content; without a run its field is empty,
--     and nothing follows the content of the plan
-- Answers { now (ms), then for each partition: live timers, an answer for each of its commands }; just { -1 } after the deadline,
-- or when a later call of the node was carried out already. Each answer begins with a letter:
--   S: C created, R replaced, K kept, F conflict, then what stood there before (0 none, 1 pending, 2 claimed, 3 cancelled while its
--      last attempt runs, 4 dead), then the record
--   E: C changed, then the length of the content in four bytes, then the record; W in another state (record); N not found
--   A: C completed, W in another state, or tried again, rescheduled to a later time or ended since (record)
--   N: D done, then the length of the plan's record in two bytes, the record, and for a run C or K with what follows it in the answer
--     to S; Y there is no such claim, or it was the last one of a timer that is cancelled now (record, or nothing when none is known)
--   S E N: O when there is no memory for a timer: nothing was done
--   S C E A: Y not the one with the expected seq (record, or nothing when none is known): nothing was done
--   C: C cancelled, W cancelled but its last attempt runs, L too late (all with the record), N not found    F Q: V (record), N
--   L: G granted (record and content), E not due (record), N nothing pending, X not the owner; a record with optional fields comes
--      without the G, as it cannot be taken for a letter
--   D X: D done    T P U O R: D done (record)    all of these: S there is no such claim, or it was the
--      last one of a timer that is cancelled now; where there is none, D gets the state of what stands there behind it
--   any: M, and the name of a slice that must be declared first, or A, as the call has done enough: nothing was done
local call, ARGV = redis.call, ARGV
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return {-1}
end
local micros = time[1] * 1000000 + time[2]

local byte, char, find, format, sub = string.byte, string.char, string.find, string.format, string.sub
local floor, max, min = math.floor, math.max, math.min
local pack, unpackFrom = struct.pack, struct.unpack
local HEAD = '>BI4i8I7c8I2'
local PENDING, CLAIMED, COMPLETED, CANCELLED, DEAD = 0, 1, 2, 3, 4
-- Cancelled while an attempt ran: its last one, which holds as a claim does. The timer is neither live nor counted.
local ENDING = 6
local NEAR, FAR = 65536, 4194304
-- Flags of a record.
local HAS_HASH, IS_FAR, HAS_EXTRA = 32, 64, 128
-- Optional fields: when it was due before its attempts failed, its route, an attempt that has ended, and that a dead timer stood
-- there before.
local FIRST_DUE, ROUTE, PAST, OVER_DEAD = 1, 2, 3, 4
-- The optional field of a timer of layout 1 that gets some: its route is still unknown.
local UNKNOWN_ROUTE = '\2\0'
-- So many attempts of a timer are remembered, and each takes that many bytes at least.
local PASTS, PAST_BYTES = 8, 23
-- What a change makes of a timer.
local RESCHEDULE, PURGE = 0, 2
-- The letter of a command with two timers, and where behind the field commands of clients have their operation.
local NEXT, OPERATION_AT = 'N', {S = 10, C = 0, E = 0, N = 0, A = 0}
-- How the counts of a queue begin.
local LETTERS = {'p', 'c', 'd'}
-- Contents of more than this are large: who loads such a timer must know.
local SMALL = 4096
-- So many bytes of records are read, and no more.
local ENOUGH = 1048576
-- So many finished timers more than are remembered are forgotten together.
local FORGOTTEN = 16
-- How long answers are remembered (ms): nobody asks for them again after that.
local REMEMBERED = 600000

-- Numbers go to Redis as texts, because it takes long to print them: until when a claim holds from now on, and when what ends has ended.
local held, ended = format('%.0f', now + ARGV[4]), format('%.0f', micros)
-- Of what it schedules itself, the owner is not told.
local NOTHING_NEAR = {-math.huge}

-- What clients of this node were answered by its last call: when the reply was lost, it is the answer to the repetition too, whatever
-- others have done meanwhile.
local remembered, answered = '', {}
if ARGV[6] ~= '' then
  local last = call('GETRANGE', KEYS[1], 0, 15)
  if last ~= '' and tonumber(last) >= tonumber(ARGV[6]) then
    return {-1}
  end
  if ARGV[7] == '1' then
    remembered = call('GETRANGE', KEYS[1], 16, -1)
    local at = 1
    while at < #remembered do
      local operation, answer
      operation, answer, at = unpackFrom('>c8I2c0', remembered, at)
      answered[operation] = answer
    end
  end
end

-- Redis asks whether there is memory only until a script has written. So the first write needs some when a timer may be made, and
-- none when there is none: what comes then is carried out in any case.
local isFull = false
if ARGV[8] == '1' then
  local reply = redis.pcall('SETRANGE', KEYS[1], 0, '')
  if type(reply) == 'table' then
    if not find(reply.err, 'OOM', 1, true) then
      return reply
    end
    isFull = true
  end
end
if isFull or ARGV[8] ~= '1' then
  call('HDEL', KEYS[2], '')
end

-- The value of an optional field, or nothing. They stand behind one another, with the length of all of them in front.
local function tagged(extra, tag)
  local at = 3
  while at < #extra do
    local found, length = byte(extra, at, at + 1)
    if found == tag then
      return sub(extra, at + 2, at + 1 + length)
    end
    at = at + 2 + length
  end
end

-- Optional fields with another value of one of them, or without it.
local function retagged(extra, tag, value)
  local kept, at = '', 3
  while at < #extra do
    local found, length = byte(extra, at, at + 1)
    if found ~= tag then
      kept = kept .. sub(extra, at, at + 1 + length)
    end
    at = at + 2 + length
  end
  if value then
    kept = kept .. char(tag, #value) .. value
  end
  return pack('>I2', #kept) .. kept
end

-- Whether the field at some place is the excerpt of an answer: as an attempt it would have the number 0.
local function isExcerpt(fields, at)
  local found, _, high, low = byte(fields, at, at + 3)
  return found == PAST and high == 0 and low == 0
end

-- Optional fields, without the length of all of them, to which an attempt that has ended can come. They stand in the order of time; the first
-- one goes when there are too many.
local function withRoom(kept)
  if #kept >= PASTS * PAST_BYTES then
    local count, at, oldest, rest = 0, 1, nil, nil
    while at < #kept do
      local found, length = byte(kept, at, at + 1)
      local behind = at + 2 + length
      if found == PAST and not isExcerpt(kept, at) then
        count = count + 1
        if not oldest then
          oldest, rest = at, isExcerpt(kept, behind) and behind + 2 + byte(kept, behind + 1) or behind
        end
      end
      at = behind
    end
    if count >= PASTS then
      kept = sub(kept, 1, oldest - 1) .. sub(kept, rest)
    end
  end
  return kept
end

-- Optional fields with one more attempt that has ended, and with its excerpt if there is one.
local function remember(extra, past)
  local kept = extra == '' and UNKNOWN_ROUTE or withRoom(sub(extra, 3))
  return pack('>I2', #kept + #past) .. kept .. past
end

-- Whether an attempt with that number, or a later one, is among those that are remembered.
local function hasEnded(extra, number)
  local at = 3
  while at < #extra do
    local found, length = byte(extra, at, at + 1)
    if found == PAST and unpackFrom('>I2', extra, at + 2) >= number then
      return true
    end
    at = at + 2 + length
  end
  return false
end

-- Whether a timer is not the one whose seq a command has at some place, or is none.
local function isOther(record, bytes, at)
  return not record or sub(record, 14, 20) ~= sub(bytes, at, at + 6)
end

-- What stands between the length and the content of a record: the optional fields, what members of slices begin with, and where the
-- content begins. A member begins with the route and its length, but for those of layout 1 and of unknown route.
local function extraOf(bytes, flags, at)
  if flags < HAS_EXTRA then
    return '', '', at
  end
  local high, low = byte(bytes, at, at + 1)
  local length = high * 256 + low
  if length == 0 then
    return '\0\0', '\0', at + 2
  end
  local extra = sub(bytes, at, at + 1 + length)
  local route = tagged(extra, ROUTE)
  return extra, route == '' and '' or route and '\4' .. route or '\0', at + 2 + length
end

-- Just what members of slices begin with; as a rule the route is the first of the optional fields.
local function routeOf(bytes, flags, at)
  if flags >= HAS_EXTRA then
    local high, low, tag, length = byte(bytes, at, at + 3)
    if high + low > 0 and tag == ROUTE and length > 0 then
      return sub(bytes, at + 3, at + 3 + length)
    end
  end
  local _, route = extraOf(bytes, flags, at)
  return route
end

-- Just where the content begins.
local function contentOf(bytes, flags, at)
  if flags < HAS_EXTRA then
    return at
  end
  local high, low = byte(bytes, at, at + 1)
  return at + 2 + high * 256 + low
end

local function parse(bytes)
  local flags, version, due, seq, operation, attempts, at = unpackFrom(HEAD, bytes)
  local hash, token = '', ''
  if flags % 64 >= HAS_HASH then
    hash = sub(bytes, at, at + 7)
    at = at + 8
  end
  if flags % 8 == CLAIMED or flags % 8 == ENDING then
    token = sub(bytes, at, at + 7)
    at = at + 8
  end
  local extra, route, content = extraOf(bytes, flags, at)
  return {
    state = flags % 8, before = floor(flags / 8) % 4, far = flags % 128 >= IS_FAR, version = version, due = due, seq = seq,
    operation = operation, attempts = attempts, hash = hash, token = token, extra = extra, route = route, content = content
  }
end

local function headOf(t)
  local flags = t.state + 8 * t.before + (t.hash ~= '' and HAS_HASH or 0) + (t.far and IS_FAR or 0)
    + (t.extra ~= '' and HAS_EXTRA or 0)
  return pack(HEAD, flags, t.version, t.due, t.seq, t.operation, t.attempts) .. t.hash
    .. ((t.state == CLAIMED or t.state == ENDING) and t.token or '') .. t.extra
end

local names = {}
-- The name of a slice, and its first millisecond.
local function sliceOf(far, due)
  local width = far and FAR or NEAR
  local first = due - due % width
  local mark = far and -first - 1 or first
  local name = names[mark]
  if not name then
    name = format(far and 'f%.0f' or 'n%.0f', first / width)
    names[mark] = name
  end
  return name, first
end

local answers, entries, size, wrote = {now}, {}, 0, false

-- ---- of the partition

local m, r, n, f, x, e, sliceKey, declared, horizon, seq, live, big
-- By how much the counts of its queues change, by how their fields begin, and the same of the queue that was asked for last.
local counts, counted, count

-- By so many more timers of the queue of a field are pending, claimed and dead.
local function tally(field, pending, claimed, dead)
  if not count or find(field, counted, 1, true) ~= 1 then
    counted = sub(field, 1, find(field, '\0', 1, true))
    count = counts[counted]
    if not count then
      count = {0, 0, 0}
      counts[counted] = count
    end
  end
  count[1], count[2] = count[1] + pending, count[2] + claimed
  if dead ~= 0 then
    count[3] = count[3] + dead
  end
end

-- ---- of the round: what leaves which set, what comes to which with its score in front, which records change, and which go. Lists are those
-- of the round before, as it takes long to have new ones grow, and each says how much of it counts

local leaves, comes, near, purged
local changed, changes, notNear, passed = {}, 0, {}, 0
local lists, taken = {}, 0

local function listOf(byKey, key)
  taken = taken + 1
  local list = lists[taken] or {}
  lists[taken], byKey[key], list.size = list, list, 0
  return list
end

local function leave(from, member)
  local list = leaves[from] or listOf(leaves, from)
  local size = list.size + 1
  list[size], list.size = member, size
end

local function come(to, score, member)
  local list = comes[to] or listOf(comes, to)
  local size = list.size
  list[size + 1], list[size + 2], list.size = score, member, size + 2
end

local function write(field, record)
  changed[changes + 1], changed[changes + 2] = field, record
  changes = changes + 2
end

-- The last attempt of a timer that was cancelled is over, or one that never began.
local function cease(field, t, unused, past)
  leave(f, field)
  come(e, ended, field)
  t.state, t.attempts = CANCELLED, t.attempts - unused
  if past ~= '' then
    t.extra = remember(t.extra, past)
  end
  write(field, headOf(t))
end

-- Leaves its slice; a near insert stands for a timer that is pending now, at that time and in that lane.
local function unpend(from, member)
  leave(from, member)
  passed = passed + 1
  notNear[passed] = member
end

local function pend(to, due, member)
  local score = format('%d', due)
  come(to, score, member)
  if not horizon then
    horizon = call('HMGET', m, 'hz', 'owner')
    horizon[1] = tonumber(horizon[1]) or -math.huge
  end
  if due < horizon[1] then
    near = near or {}
    local at = #near
    near[at + 1], near[at + 2] = score, member
  end
end

-- Says that there is a content of that size.
local function weigh(content)
  if #content > SMALL and big then
    big = '1'
  end
end

-- What stands under a key, as an answer tells it.
local function stoodOf(t)
  local state = t and t.state
  return state and (state <= CLAIMED and state + 1 or state == ENDING and 3 or state == DEAD and 4) or 0
end

-- Makes a timer in the place of what stood there, which was in that slice if it was pending; gives its record without the content.
local function make(field, t, stood, slice, far, due, operation, route, hash, content)
  local state = t and t.state
  local flags = 8 * (stood % 4) + 64 * far + HAS_EXTRA + (hash ~= '' and HAS_HASH or 0)
  local extra = #route == 1 and '\0\0' or '\0\6\2' .. route
  if state == DEAD then
    extra = retagged(extra, OVER_DEAD, char(stood))
  end
  seq = max(seq + 1, micros)
  local head = pack(HEAD, flags, t and t.version + 1 or 1, due, seq, operation, 0) .. hash .. extra
  weigh(content)
  if state == PENDING then
    unpend(declared[slice], t.route .. field)
  elseif state then
    leave((state == CLAIMED or state == ENDING) and f or state == DEAD and x or e, field)
  end
  pend(sliceKey .. sliceOf(far == 1, due), due, route .. field)
  write(field, head .. content)
  if stood ~= 1 and stood ~= 2 then
    live = live + 1
  end
  if state ~= PENDING then
    tally(field, 1, state == CLAIMED and -1 or 0, state == DEAD and -1 or 0)
  end
  return head
end

-- The letter of each command of a round, and where its timer is among all that are read, behind which its run is if it has one; all of these,
-- and their records; and in which round each was last seen.
local kinds, places, wanted, records, seen, round = {}, {}, {}, {}, {}, 0
local key, argument = 1, 9
while ARGV[argument] do
  local partition, sliceCount, commandCount, epoch = unpackFrom('>I2BBBc0', ARGV[argument])
  local directory, q
  m, r, directory, n, f, x, e, q = unpack(KEYS, key + 1, key + 8)
  sliceKey, declared, counts = sub(m, 1, -2) .. 'z', {}, {}
  count = nil
  for j = key + 9, key + 8 + sliceCount do
    declared[sub(KEYS[j], #sliceKey + 1)] = KEYS[j]
  end
  local meta = call('HMGET', m, 'epoch', 'seq', 'live', 'big')
  local isOwner = epoch ~= '' and epoch == meta[1]
  horizon = isOwner and NOTHING_NEAR or nil
  seq, live = tonumber(meta[2]) or 0, tonumber(meta[3]) or 0
  local seqWas, liveWas = seq, live
  -- Nothing says whether there are large contents in a partition that was filled by layout 1.
  big = meta[4] or not meta[2] and '0'
  local step = big == '0' and 64 or 4
  local blocked, hasEnds
  local liveAt = #answers + 1
  answers[liveAt] = 0

  local done = 0
  while done < commandCount do
    -- ---- read
    round = round + 1
    local commands, last, reads = 0, 0, 0
    for j = done + 1, commandCount do
      local bytes = ARGV[argument + j]
      local kind, field, after = unpackFrom('>c1I2c0', bytes)
      local run = kind == NEXT and unpackFrom('>I2c0', bytes, after + 16) or ''
      if seen[field] == round or seen[run] == round then
        break
      end
      commands, last = commands + 1, last + 1
      kinds[commands], places[commands], wanted[last], seen[field] = kind, last, field, round
      if run ~= '' then
        last = last + 1
        wanted[last], seen[run] = run, round
      end
    end
    places[commands + 1] = last + 1
    while reads < last and size <= ENOUGH do
      local first = reads + 1
      reads = min(reads + step, last)
      local some = call('HMGET', r, unpack(wanted, first, reads))
      for j = first, reads do
        local bytes = some[j - first + 1]
        records[j] = bytes
        size = size + (bytes and #bytes or 0)
      end
    end

    -- ---- decide
    taken, leaves, comes, changes, near, passed, purged = 0, {}, {}, 0, nil, 0, nil
    for j = 1, commands do
      local place, lastPlace = places[j], places[j + 1] - 1
      local bytes, kind, field, record = ARGV[argument + done + j], kinds[j], wanted[place], records[place]
      local run = lastPlace > place and wanted[lastPlace]
      local at = 4 + #field
      -- Without an answer, this slice must be declared first: the one that a pending timer leaves, or that another goes back to.
      local slice
      local answer = blocked and (blocked[field] or run and blocked[run])
      local operationAt = OPERATION_AT[kind]
      local operation = operationAt and sub(bytes, at + operationAt, at + operationAt + 7)
      local before = operation and answered[operation]
      -- Nothing is done, and the caller is to ask again.
      local again = answer
      if before then
        answer, again = before, nil
      elseif answer then
        -- It waits.
      elseif lastPlace > reads then
        answer, again = 'A', true
      elseif kind == 'L' then
        local flags = record and byte(record)
        local state = record and flags % 8
        local hashed = record and flags % 64 >= HAS_HASH and 8 or 0
        if not isOwner then
          answer = 'X'
        elseif state == CLAIMED and sub(record, 31 + hashed, 38 + hashed) == sub(bytes, at + 8, at + 15) then
          -- Asked for again: it holds from now on, and is the same attempt.
          come(f, held, field)
          answer = flags >= HAS_EXTRA and record or 'G' .. record
        elseif state ~= PENDING then
          if state == ENDING and sub(record, 31 + hashed, 38 + hashed) == sub(bytes, at + 8, at + 15) then
            -- Asked for again, and cancelled since: nobody has begun it.
            cease(field, parse(record), 1, '')
          end
          answer = 'N'
        else
          local due, token = unpackFrom('>i8c8', bytes, at)
          if unpackFrom('>i8', record, 6) ~= due or due > now then
            answer = 'E' .. sub(record, 1, contentOf(record, flags, 31 + hashed) - 1)
          else
            slice = sliceOf(flags % 128 >= IS_FAR, due)
            local from = declared[slice]
            if from then
              local route = routeOf(record, flags, 31 + hashed)
              local high, low = byte(record, 29, 30)
              if low < 255 then
                low = low + 1
              elseif high < 255 then
                high, low = high + 1, 0
              end
              local claimed = char(flags + CLAIMED) .. sub(record, 2, 28) .. char(high, low)
                .. (hashed > 0 and sub(record, 31, 38) or '') .. token .. sub(record, 31 + hashed)
              local member = route .. field
              unpend(from, member)
              come(f, held, field)
              write(field, claimed)
              tally(field, -1, 1, 0)
              answer = flags >= HAS_EXTRA and claimed or 'G' .. claimed
            end
          end
        end
      elseif kind == 'D' then
        local flags = record and byte(record)
        local stood = record and flags % 8
        local tokenAt = record and (flags % 64 >= HAS_HASH and 39 or 31)
        local token, state, pastAt = unpackFrom('>c8B', bytes, at)
        local past = sub(bytes, pastAt)
        if stood ~= CLAIMED and stood ~= ENDING or sub(record, tokenAt, tokenAt + 7) ~= token then
          answer = record and 'S' .. char(stood) or 'S'
        elseif stood == ENDING and state ~= COMPLETED then
          cease(field, parse(record), 0, past)
          answer = 'S'
        else
          leave(f, field)
          local content = contentOf(record, flags, tokenAt + 8)
          local over
          if past == '' then
            over = char(flags - stood + state) .. sub(record, 2, tokenAt - 1) .. sub(record, tokenAt + 8, content - 1)
          else
            -- As remember does it, with fewer texts between.
            local kept = flags < HAS_EXTRA and UNKNOWN_ROUTE or withRoom(sub(record, tokenAt + 10, content - 1))
            local length = #kept + #past
            over = char(flags % HAS_EXTRA + HAS_EXTRA - stood + state) .. sub(record, 2, tokenAt - 1)
              .. char(floor(length / 256), length % 256) .. kept .. past
          end
          write(field, state == DEAD and over .. sub(record, content) or over)
          if state == DEAD then
            come(x, format('%d', unpackFrom('>i8', record, 6)), field)
          else
            come(e, ended, field)
          end
          if stood == CLAIMED then
            tally(field, 0, -1, state == DEAD and 1 or 0)
            live = live - 1
          end
          answer = 'D'
        end
      elseif kind == 'S' then
        local rule, far, due, _, has, length
        rule, far, due, _, has, length, at = unpackFrom('>BBi8c8BB', bytes, at)
        local hashAt = at + length
        local expectedAt = has % 2 == 1 and hashAt + 8 or hashAt
        local t = record and parse(record)
        local state = t and t.state
        local stood = stoodOf(t)
        local isLive = stood == 1 or stood == 2
        local first = t and t.due
        if rule >= 3 and t and #t.extra > 2 then
          first = tagged(t.extra, FIRST_DUE)
          first = first and unpackFrom('>i8', first) or t.due
        end
        if t and t.operation == operation then
          answer = ((t.before == 1 or t.before == 2) and 'R' or 'C') .. (tagged(t.extra, OVER_DEAD) or char(t.before))
            .. sub(record, 1, t.content - 1)
        elseif has >= 2 and isOther(record, bytes, expectedAt) then
          answer = 'Y' .. (t and sub(record, 1, t.content - 1) or '')
        elseif t and (isLive
            and (rule == 1 or rule == 2 or rule == 3 and first <= due or rule == 4 and first >= due) or rule == 5) then
          answer = (rule == 2 and 'F' or 'K') .. char(stood) .. sub(record, 1, t.content - 1)
        elseif isFull then
          answer = 'O'
        else
          slice = state == PENDING and sliceOf(t.far, t.due)
          if not slice or declared[slice] then
            local hash = has % 2 == 1 and sub(bytes, hashAt, hashAt + 7) or ''
            local content = sub(bytes, has >= 2 and expectedAt + 7 or expectedAt)
            local head = make(field, t, stood, slice, far, due, operation, sub(bytes, at - 1, hashAt - 1), hash, content)
            answer = (isLive and 'R' or 'C') .. char(stood) .. head
          end
        end
      elseif kind == 'F' then
        answer = record and 'V' .. sub(record, 1, parse(record).content - 1) or 'N'
      elseif kind == 'Q' then
        answer = record and 'V' .. record or 'N'
      elseif kind == 'C' then
        local t = record and parse(record)
        if #bytes > at + 7 and isOther(record, bytes, at + 8) then
          answer = 'Y' .. (t and sub(record, 1, t.content - 1) or '')
        elseif not t then
          answer = 'N'
        elseif t.state == CLAIMED then
          t.state = ENDING
          local head = headOf(t)
          write(field, head)
          tally(field, 0, -1, 0)
          live = live - 1
          answer = 'W' .. head
        elseif t.state ~= PENDING then
          answer = (t.state == CANCELLED and 'C' or t.state == ENDING and 'W' or 'L') .. sub(record, 1, t.content - 1)
        else
          slice = sliceOf(t.far, t.due)
          if declared[slice] then
            local member = t.route .. field
            unpend(declared[slice], member)
            come(e, ended, field)
            t.state = CANCELLED
            local head = headOf(t)
            write(field, head)
            tally(field, -1, 0, 0)
            live = live - 1
            answer = 'C' .. head
          end
        end
      elseif kind == 'E' then
        local what, has, far, due, expectedAt = unpackFrom('>BBBi8', bytes, at + 8)
        local t = record and parse(record)
        if has >= 2 and (isOther(record, bytes, expectedAt)
            or has >= 4 and sub(record, 6, 13) ~= sub(bytes, expectedAt + 7, expectedAt + 14)) then
          answer = 'Y' .. (t and sub(record, 1, t.content - 1) or '')
        elseif not t then
          answer = 'N'
        elseif t.state ~= (what == RESCHEDULE and PENDING or DEAD) then
          answer = 'W' .. sub(record, 1, t.content - 1)
        elseif what == PURGE then
          leave(x, field)
          purged = purged or {}
          purged[#purged + 1] = field
          tally(field, 0, 0, -1)
          answer = 'C' .. pack('>I4', #record - t.content + 1) .. sub(record, 1, t.content - 1)
        elseif isFull then
          answer = 'O'
        else
          slice = what == RESCHEDULE and sliceOf(t.far, t.due)
          if not slice or declared[slice] then
            if slice then
              unpend(declared[slice], t.route .. field)
            else
              leave(x, field)
              t.state, t.attempts = PENDING, 0
              live = live + 1
              tally(field, 1, 0, -1)
            end
            t.due, t.far = due, far == 1
            if #t.extra > 2 then
              t.extra = retagged(t.extra, FIRST_DUE)
            end
            local content = sub(record, t.content)
            if has % 2 == 1 then
              local routeAt = expectedAt + (has >= 4 and 15 or has >= 2 and 7 or 0)
              t.route = sub(bytes, routeAt, routeAt + byte(bytes, routeAt))
              t.extra = retagged(t.extra, ROUTE, t.route ~= '\0' and sub(t.route, 2))
              content = sub(bytes, routeAt + #t.route)
              weigh(content)
            end
            local head = headOf(t)
            pend(sliceKey .. sliceOf(t.far, due), due, t.route .. field)
            write(field, head .. content)
            answer = 'C' .. pack('>I4', #content) .. head
          end
        end
      elseif kind == 'A' then
        local t = record and parse(record)
        local number = unpackFrom('>I2', bytes, at + 23)
        local holds = t and (t.state == CLAIMED or t.state == ENDING) and t.token == sub(bytes, at + 15, at + 22)
        -- A claim that has run out still counts as an attempt, and no end of it is remembered. What is due only later was rescheduled since.
        local waits = t and t.state == PENDING and (t.attempts == number or t.attempts == number - 1)
          and t.due <= now and not hasEnded(t.extra, number)
        slice = waits and sliceOf(t.far, t.due)
        if isOther(record, bytes, at + 8) then
          answer = 'Y' .. (t and sub(record, 1, t.content - 1) or '')
        elseif not holds and not waits then
          answer = 'W' .. sub(record, 1, t.content - 1)
        elseif holds or declared[slice] then
          if waits then
            unpend(declared[slice], t.route .. field)
          else
            leave(f, field)
          end
          if t.state ~= ENDING then
            tally(field, waits and -1 or 0, waits and 0 or -1, 0)
            live = live - 1
          end
          come(e, ended, field)
          t.state, t.attempts = COMPLETED, number
          t.extra = remember(t.extra, sub(bytes, at + 25))
          local head = headOf(t)
          write(field, head)
          answer = 'C' .. head
        end
      elseif kind == 'N' then
        local t = record and parse(record)
        if not t or t.state ~= CLAIMED and t.state ~= ENDING or t.token ~= sub(bytes, at + 8, at + 15) then
          answer = 'Y' .. (t and sub(record, 1, t.content - 1) or '')
        elseif t.state ~= CLAIMED then
          cease(field, t, 1, '')
          answer = 'Y' .. headOf(t)
        else
          local far, due, length, contentAt = unpackFrom('>Bi8I4', bytes, at + 18 + #(run or ''))
          local there = run and records[lastPlace]
          local o = there and parse(there)
          local stood = stoodOf(o)
          local makes = run and stood ~= 1 and stood ~= 2
          local runFar, runDue, has, routeLength, routeAt
          local goes = sliceOf(far == 1, due)
          slice = goes
          if makes then
            runFar, runDue, has, routeLength, routeAt = unpackFrom('>Bi8BB', bytes, contentAt + length)
            slice = declared[goes] and sliceOf(runFar == 1, runDue) or goes
          end
          if makes and isFull then
            answer = 'O'
          elseif declared[slice] then
            local content = sub(bytes, contentAt, contentAt + length - 1)
            weigh(content)
            t.state, t.attempts, t.far, t.due = PENDING, 0, far == 1, due
            t.extra = #t.extra > 2 and retagged(t.extra, FIRST_DUE) or t.extra
            local head = headOf(t)
            leave(f, field)
            pend(sliceKey .. goes, due, t.route .. field)
            write(field, head .. content)
            tally(field, 1, -1, 0)
            answer = 'D' .. pack('>I2', #head) .. head
            if makes then
              local hashAt = routeAt + routeLength
              local restAt = has == 1 and hashAt + 8 or hashAt
              answer = answer .. 'C' .. char(stood) .. make(run, o, stood, nil, runFar, runDue, operation,
                sub(bytes, routeAt - 1, hashAt - 1), sub(bytes, hashAt, restAt - 1), sub(bytes, restAt))
            elseif run then
              answer = answer .. 'K' .. char(stood) .. sub(there, 1, o.content - 1)
            end
          end
        end
      else
        -- T P X U O R: of a claim.
        local t = record and parse(record)
        if not t or t.state ~= CLAIMED and t.state ~= ENDING or kind ~= 'R' and t.token ~= sub(bytes, at, at + 7) then
          answer = 'S'
        elseif kind == 'X' then
          come(f, held, field)
          answer = 'D'
        elseif kind == 'R' and not (isOwner and (tonumber(call('ZSCORE', f, field) or now)) <= now) then
          answer = 'S'
        elseif t.state == ENDING then
          cease(field, t, (kind == 'T' or kind == 'R') and 0 or 1, kind == 'T' and sub(bytes, at + 17) or '')
          answer = 'S'
        else
          if kind == 'T' or kind == 'P' then
            local far, due = unpackFrom('>Bi8', bytes, at + 8)
            if due ~= t.due and (#t.extra <= 2 or not tagged(t.extra, FIRST_DUE)) then
              if t.extra == '' then
                t.extra = '\0\2' .. UNKNOWN_ROUTE
              end
              t.extra = retagged(t.extra, FIRST_DUE, pack('>i8', t.due))
            end
            t.far, t.due = far == 1, due
          end
          if kind ~= 'T' and kind ~= 'R' then
            t.attempts = t.attempts - 1
          end
          slice = sliceOf(t.far, t.due)
          if declared[slice] then
            if kind == 'O' then
              t.route = sub(bytes, at + 8)
              t.extra = retagged(t.extra, ROUTE, t.route ~= '\0' and sub(t.route, 2))
            end
            if kind == 'T' and #bytes > at + 16 then
              t.extra = remember(t.extra, sub(bytes, at + 17))
            end
            t.state = PENDING
            local head = headOf(t)
            leave(f, field)
            pend(sliceKey .. slice, t.due, t.route .. field)
            write(field, head .. sub(record, t.content))
            tally(field, 1, -1, 0)
            answer = 'D' .. head
          end
        end
      end
      if not answer then
        answer, again = 'M' .. slice, true
      end
      if again then
        -- What follows on the same timers must wait with it.
        blocked = blocked or {}
        blocked[field] = answer
        if run then
          blocked[run] = answer
        end
      elseif operation and not before and answer ~= 'O' then
        entries[#entries + 1] = pack('>c8I2', operation, #answer) .. answer
      end
      answers[liveAt + done + j] = answer
    end

    -- ---- write
    for from, members in pairs(leaves) do
      call('ZREM', from, unpack(members, 1, members.size))
      wrote = true
    end
    if passed > 0 then
      call('ZREM', n, unpack(notNear, 1, passed))
    end
    if changes > 0 then
      call('HSET', r, unpack(changed, 1, changes))
    end
    if purged then
      call('HDEL', r, unpack(purged))
    end
    for to, members in pairs(comes) do
      if to ~= f and to ~= e and to ~= x and call('EXISTS', to) == 0 then
        local name = sub(to, #sliceKey + 1)
        call('ZADD', directory, tonumber(sub(name, 2)) * (byte(name) == 102 and FAR or NEAR), name)
      end
      call('ZADD', to, unpack(members, 1, members.size))
      wrote = true
    end
    for from in pairs(leaves) do
      if from ~= f and from ~= e and from ~= x and not comes[from] and call('EXISTS', from) == 0 then
        call('ZREM', directory, sub(from, #sliceKey + 1))
      end
    end
    hasEnds = hasEnds or comes[e] ~= nil
    if near then
      local added, owner = call('ZADD', n, unpack(near)), horizon[2]
      if owner and call('ZCARD', n) == added then
        redis.pcall('PUBLISH', ARGV[5] .. owner, partition)
      end
    end
    done = done + commands
  end

  -- Only now, so that no timer is forgotten that a later command of this call is about.
  if hasEnds then
    local over = call('ZCARD', e) - ARGV[3]
    if over > 0 and (over >= FORGOTTEN or over > ARGV[3] / 8) then
      local oldest = call('ZPOPMIN', e, min(over, 500))
      local forgotten = {}
      for j = 1, #oldest, 2 do
        forgotten[#forgotten + 1] = oldest[j]
      end
      call('HDEL', r, unpack(forgotten))
    end
  end
  for queue, by in pairs(counts) do
    for j = 1, 3 do
      local name = LETTERS[j] .. sub(queue, 1, -2)
      if by[j] ~= 0 and call('HINCRBY', q, name, format('%d', by[j])) == 0 then
        call('HDEL', q, name)
      end
    end
  end
  if big and big ~= meta[4] and (seq ~= seqWas or big == '1') then
    call('HSET', m, 'seq', format('%d', seq), 'live', format('%d', live), 'big', big)
  elseif seq ~= seqWas or live ~= liveWas then
    call('HSET', m, 'seq', format('%d', seq), 'live', format('%d', live))
  end
  answers[liveAt] = live
  key = key + 8 + sliceCount
  argument = argument + 1 + commandCount
end

if entries[1] then
  call('SET', KEYS[1], format('%016.0f', ARGV[6]) .. remembered .. table.concat(entries), 'PX', REMEMBERED)
elseif ARGV[6] ~= '' then
  call('SETRANGE', KEYS[1], 0, format('%016.0f', ARGV[6]))
  call('PEXPIRE', KEYS[1], REMEMBERED)
elseif ARGV[2] == '1' and not wrote then
  call('HINCRBY', KEYS[2], 'seq', 0)
end
return answers
