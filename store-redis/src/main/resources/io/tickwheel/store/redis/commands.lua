-- Carries out commands on the timers of one partition, in their order: reads all that is needed, decides each command on what
-- was read, and only then writes, so that no error can come between two writes. It has few functions of its own, because Redis
-- makes each of them anew for every call.
--
-- KEYS  m r i n f x e q a slice...
-- ARGV  1 deadline (ms): nothing is done after it
--       2 epoch of the caller when it owns the partition, else empty
--       3 1 when something must be written in any case, so that a WAIT has something to wait for
--       4 how many finished timers are remembered
--       5 how long a claim holds (ms)
--       6 channel of the owner, without its name
--       7 the partition
--       8 how many slices
--       9 number of the call: those of one node to one partition rise
--       10 1 when it has commands that may have been carried out by a call before; then the names of the slices, then the commands
-- A command is a letter, the field with its length in two bytes, and:
--   S schedule: rule (0 replace, 1 keep, 2 fail, 3 earliest, 4 latest, 5 once), far, due, operation, has hash, route (its
--     length, 0 or 4, and its bytes), hash, content
--   C cancel: operation    F find
--   L claim: due, token    D finish: token, state    T retry: token, far, due    U release: token    X extend: token
--   O release with another route: token, route    R reap: back to pending when its claim has run out
-- Answers { now (ms), live timers, an answer for each command }; just { -1 } after the deadline, or when a later call of the node
-- was carried out already. Each begins with a letter:
--   S: C created, R replaced, K kept, F conflict, then what stood there before (0 none, 1 pending, 2 claimed), then the record
--   C: C cancelled, L too late (with the record), N not found    F: V (record), N
--   L: G granted (record and content), E not due (record), N nothing pending, X not the owner
--   D X: D done    T U O R: D done (record)    all of these: S there is no such claim
--   any: M, and the name of a slice that must be declared first, or A, as the call has done enough: nothing was done
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return {-1}
end
local micros = time[1] * 1000000 + time[2]

local byte, char, format, sub = string.byte, string.char, string.format, string.sub
local floor, max, min = math.floor, math.max, math.min
local pack, unpackFrom = struct.pack, struct.unpack
local HEAD = '>BI4i8I7c8I2'
local PENDING, CLAIMED, CANCELLED, DEAD = 0, 1, 3, 4
local NEAR, FAR = 65536, 4194304
-- Optional fields: when it was due before its attempts failed, and its route.
local FIRST_DUE, ROUTE = 1, 2
-- Contents of more than this are large: who loads such a timer must know.
local SMALL = 4096
-- How long answers are remembered (ms): nobody asks for them again after that.
local REMEMBERED = 600000

-- ---- read

local firstCommand = 11 + ARGV[8]
local sliceKeys = {}
for j = 11, firstCommand - 1 do
  sliceKeys[ARGV[j]] = KEYS[j - 1]
end

local names, firsts = {}, {}
local function sliceOf(far, due)
  local width = far and FAR or NEAR
  local first = due - due % width
  local name = names[far and -first - 1 or first]
  if not name then
    name = format(far and 'f%.0f' or 'n%.0f', first / width)
    names[far and -first - 1 or first] = name
    firsts[name] = first
  end
  return name
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

local kinds, fieldOf, starts, operations, fields, timers = {}, {}, {}, {}, {}, {}
local isOfClients = false
for j = firstCommand, #ARGV do
  local kind, field, at = unpackFrom('>c1I2c0', ARGV[j])
  local n = j - firstCommand + 1
  kinds[n], fieldOf[n], starts[n] = kind, field, at
  if kind == 'S' or kind == 'C' then
    isOfClients = true
    local from = kind == 'S' and at + 10 or at
    operations[n] = sub(ARGV[j], from, from + 7)
  end
  if timers[field] == nil then
    timers[field] = false
    fields[#fields + 1] = field
  end
end

-- What clients of this node were answered by its last call: when the reply was lost, it is the answer to the repetition too, whatever
-- others have done meanwhile.
local remembered, answered = '', {}
if isOfClients then
  local last = call('GETRANGE', KEYS[9], 0, 15)
  if last ~= '' and tonumber(last) >= tonumber(ARGV[9]) then
    return {-1}
  end
  if ARGV[10] == '1' then
    remembered = call('GETRANGE', KEYS[9], 16, -1)
    local at = 1
    while at < #remembered do
      local operation, answer
      operation, answer, at = unpackFrom('>c8I2c0', remembered, at)
      answered[operation] = answer
    end
  end
end

local meta = call('HMGET', KEYS[1], 'epoch', 'hz', 'seq', 'live', 'owner', 'big')
local isOwner = ARGV[2] ~= '' and ARGV[2] == meta[1]
local horizon = not isOwner and tonumber(meta[2]) or -math.huge
local seq, live = tonumber(meta[3]) or 0, tonumber(meta[4]) or 0
local seqWas, liveWas = seq, live
-- Nothing says whether there are large contents in a partition that was filled by layout 1.
local big = meta[6] or not meta[3] and '0'

-- Large records are carried out in several calls, so that no call needs much memory.
local reads, size, step = 0, 0, big == '0' and 16 or 4
while reads < #fields and size <= 1048576 do
  local first = reads + 1
  reads = min(reads + step, #fields)
  local records = call('HMGET', KEYS[2], unpack(fields, first, reads))
  for j = first, reads do
    local bytes = records[j - first + 1]
    if bytes then
      size = size + #bytes
      local flags, version, due, seq, operation, attempts, at = unpackFrom(HEAD, bytes)
      local state = flags % 8
      local far = flags % 128 >= 64
      local hash, token, extra, route, sliceWas = '', '', '', '', false
      if flags % 64 >= 32 then
        hash = sub(bytes, at, at + 7)
        at = at + 8
      end
      if state == CLAIMED then
        token = sub(bytes, at, at + 7)
        at = at + 8
      elseif state == PENDING then
        sliceWas = sliceOf(far, due)
      end
      -- Members of slices begin with the route and its length, but for those of layout 1 and of unknown route.
      if flags >= 128 then
        local length = unpackFrom('>I2', bytes, at)
        extra = sub(bytes, at, at + 1 + length)
        at = at + 2 + length
        route = length > 0 and tagged(extra, ROUTE) or false
        route = route == '' and '' or route and '\4' .. route or '\0'
      end
      -- What it was is in the names that end so, the rest is what it comes to be.
      timers[fields[j]] = {
        state = state, before = floor(flags / 8) % 4, far = far, version = version, due = due, seq = seq,
        operation = operation, attempts = attempts, hash = hash, token = token, extra = extra, route = route,
        content = sub(bytes, at), head = sub(bytes, 1, at - 1), stateWas = state, sliceWas = sliceWas, routeWas = route,
        written = false
      }
    end
  end
end
for j = reads + 1, #fields do
  timers[fields[j]] = nil
end

-- ---- decide

local changed = {}

-- Notes that a timer is to be written as it has become, and answers its head.
local function change(field, t)
  local flags = t.state + 8 * t.before
  local hash = t.hash
  if hash ~= '' then
    flags = flags + 32
  end
  if t.far then
    flags = flags + 64
  end
  if t.extra ~= '' then
    flags = flags + 128
  end
  local head = pack(HEAD, flags, t.version, t.due, t.seq, t.operation, t.attempts) .. hash
  if t.state == CLAIMED then
    head = head .. t.token
  end
  head = head .. t.extra
  t.head = head
  if not t.written then
    changed[#changed + 1] = field
  end
  t.written = 'record'
  return head
end

-- Notes that a claim is to hold from now on.
local function touch(field, t)
  if not t.written then
    changed[#changed + 1] = field
    t.written = 'place'
  end
end

-- When a claim runs out.
local function untilWhen(field)
  local score = call('ZSCORE', KEYS[5], field)
  return score and tonumber(score)
end

local answers, blocked, isFull, entries = {now, 0}, {}, false, {}
for n, kind in ipairs(kinds) do
  local field, bytes, at = fieldOf[n], ARGV[firstCommand + n - 1], starts[n]
  local t = timers[field]
  -- Without an answer, this slice must be declared first: the one that a pending timer leaves, or that another goes back to.
  local slice
  local answer = blocked[field]
  local before = operations[n] and answered[operations[n]]
  if before then
    answer = before
  elseif answer or isFull then
    answer = answer or 'A'
  elseif t == nil then
    isFull, answer = true, 'A'
  elseif kind == 'S' then
    local rule, far, due, operation, hasHash, length
    rule, far, due, operation, hasHash, length, at = unpackFrom('>BBi8c8BB', bytes, at)
    local before = t and t.state <= CLAIMED and t.state + 1 or 0
    local first = t and t.due
    if rule >= 3 and t and #t.extra > 2 then
      first = tagged(t.extra, FIRST_DUE)
      first = first and unpackFrom('>i8', first) or t.due
    end
    if t and t.operation == operation then
      answer = (t.before == 0 and 'C' or 'R') .. char(t.before) .. t.head
    elseif t and (before > 0
        and (rule == 1 or rule == 2 or rule == 3 and first <= due or rule == 4 and first >= due) or rule == 5) then
      answer = (rule == 2 and 'F' or 'K') .. char(before) .. t.head
    else
      slice = before == 1 and sliceOf(t.far, t.due)
      if not slice or sliceKeys[slice] then
        local hash = ''
        local route = sub(bytes, at - 1, at - 1 + length)
        at = at + length
        if hasHash == 1 then
          hash = sub(bytes, at, at + 7)
          at = at + 8
        end
        local extra = length == 0 and '\0\0' or '\0\6\2' .. route
        seq = max(seq + 1, micros)
        if t then
          t.state, t.before, t.far, t.version, t.due, t.seq = PENDING, before, far == 1, t.version + 1, due, seq
          t.operation, t.attempts, t.hash, t.content = operation, 0, hash, sub(bytes, at)
          t.extra, t.route = extra, route
        else
          t = {
            state = PENDING, before = before, far = far == 1, version = 1, due = due, seq = seq,
            operation = operation, attempts = 0, hash = hash, token = '', extra = extra, route = route,
            content = sub(bytes, at), head = '', written = false
          }
          timers[field] = t
        end
        if #t.content > SMALL and big then
          big = '1'
        end
        answer = (before > 0 and 'R' or 'C') .. char(before) .. change(field, t)
      end
    end
  elseif kind == 'F' then
    answer = t and 'V' .. t.head or 'N'
  elseif kind == 'C' then
    if not t then
      answer = 'N'
    elseif t.state ~= PENDING then
      answer = (t.state == CANCELLED and 'C' or 'L') .. t.head
    else
      slice = sliceOf(t.far, t.due)
      if sliceKeys[slice] then
        t.state = CANCELLED
        t.content = ''
        answer = 'C' .. change(field, t)
      end
    end
  elseif kind == 'L' then
    local due, token = unpackFrom('>i8c8', bytes, at)
    if not isOwner then
      answer = 'X'
    elseif t and t.state == CLAIMED and t.token == token then
      -- Asked for again: it holds from now on, and is the same attempt.
      touch(field, t)
      answer = 'G' .. t.head .. t.content
    elseif not t or t.state ~= PENDING then
      answer = 'N'
    elseif t.due ~= due or due > now then
      answer = 'E' .. t.head
    else
      slice = sliceOf(t.far, due)
      if sliceKeys[slice] then
        t.state = CLAIMED
        t.token = token
        t.attempts = min(t.attempts + 1, 65535)
        answer = 'G' .. change(field, t) .. t.content
      end
    end
  elseif not t or t.state ~= CLAIMED or kind ~= 'R' and t.token ~= sub(bytes, at, at + 7) then
    answer = 'S'
  elseif kind == 'D' then
    t.state = byte(bytes, at + 8)
    if t.state ~= DEAD then
      t.content = ''
    end
    change(field, t)
    answer = 'D'
  elseif kind == 'T' then
    local far, due = unpackFrom('>Bi8', bytes, at + 8)
    if due ~= t.due and (#t.extra <= 2 or not tagged(t.extra, FIRST_DUE)) then
      if t.extra == '' then
        -- Of layout 1: its route is still unknown.
        t.extra = '\0\2\2\0'
      end
      t.extra = retagged(t.extra, FIRST_DUE, pack('>i8', t.due))
    end
    t.state, t.far, t.due = PENDING, far == 1, due
    answer = 'D' .. change(field, t)
  elseif kind == 'X' then
    touch(field, t)
    answer = 'D'
  elseif kind == 'R' and not (isOwner and not t.written and (untilWhen(field) or now) <= now) then
    -- What this call has touched holds, whatever was so before.
    answer = 'S'
  else -- U, O, and R of a claim that has run out
    slice = sliceOf(t.far, t.due)
    if sliceKeys[slice] then
      t.state = PENDING
      if kind ~= 'R' then
        t.attempts = t.attempts - 1
      end
      if kind == 'O' then
        t.route = sub(bytes, at + 8)
        t.extra = retagged(t.extra, ROUTE, t.route ~= '\0' and sub(t.route, 2))
      end
      answer = 'D' .. change(field, t)
    end
  end
  if not answer then
    -- What follows on the same timer must wait with it.
    answer = 'M' .. slice
    blocked[field] = answer
  elseif operations[n] and not before and answer ~= 'A' and answer ~= blocked[field] then
    entries[#entries + 1] = pack('>c8I2', operations[n], #answer) .. answer
  end
  answers[n + 2] = answer
end

-- ---- write

local leaves, comes, records, counts, near, notNear = {}, {}, {}, {}, {}, {}
local letters = {[PENDING] = 'p', [CLAIMED] = 'c', [DEAD] = 'd'}
for _, field in ipairs(changed) do
  local t = timers[field]
  local state, was = t.state, t.stateWas
  -- The set that it lies in, and its score and name there.
  local key, score, member = KEYS[7], micros, field
  if state == PENDING then
    key, score, member = sliceKeys[sliceOf(t.far, t.due)], t.due, t.route .. field
    if score < horizon then
      near[#near + 1] = score
      near[#near + 1] = member
    end
  elseif state == CLAIMED then
    key, score = KEYS[5], now + ARGV[5]
  elseif state == DEAD then
    key, score = KEYS[6], t.due
  end
  local list = comes[key]
  if list then
    list[#list + 1] = score
    list[#list + 1] = member
  else
    comes[key] = {score, member}
  end
  if was then
    local keyWas = was == PENDING and sliceKeys[t.sliceWas] or KEYS[was == CLAIMED and 5 or was == DEAD and 6 or 7]
    local memberWas = was == PENDING and t.routeWas .. field or field
    if was == PENDING then
      notNear[#notNear + 1] = memberWas
    end
    list = leaves[keyWas]
    if keyWas == key and memberWas == member then
      -- It stays.
    elseif list then
      list[#list + 1] = memberWas
    else
      leaves[keyWas] = {memberWas}
    end
  end
  if t.written == 'record' then
    records[#records + 1] = field
    records[#records + 1] = t.content == '' and t.head or t.head .. t.content
  end
  if state ~= was then
    local queue = sub(field, 1, string.find(field, '\0', 1, true) - 1)
    local letter = letters[state]
    if letter then
      counts[letter .. queue] = (counts[letter .. queue] or 0) + 1
    end
    letter = letters[was or '']
    if letter then
      counts[letter .. queue] = (counts[letter .. queue] or 0) - 1
    end
    live = live + (state <= CLAIMED and 1 or 0) - (was and was <= CLAIMED and 1 or 0)
  end
end
answers[2] = live

-- Redis asks whether there is memory only until a script has written: so what makes a timer begins with what needs some, and the
-- rest with what needs none.
if seq ~= seqWas then
  call('HSET', KEYS[1], 'seq', format('%d', seq), 'live', live)
else
  call('HDEL', KEYS[1], '')
end
for key, members in pairs(leaves) do
  call('ZREM', key, unpack(members))
end
if entries[1] then
  call('SET', KEYS[9], format('%016.0f', ARGV[9]) .. remembered .. table.concat(entries), 'PX', REMEMBERED)
end
-- A near insert stands for a timer that is pending now, at that time and in that lane.
if notNear[1] and call('EXISTS', KEYS[4]) == 1 then
  call('ZREM', KEYS[4], unpack(notNear))
end
if records[1] then
  call('HSET', KEYS[2], unpack(records))
end
for name, key in pairs(sliceKeys) do
  if comes[key] and call('EXISTS', key) == 0 then
    call('ZADD', KEYS[3], firsts[name], name)
  end
end
for key, members in pairs(comes) do
  call('ZADD', key, unpack(members))
end
for name, key in pairs(sliceKeys) do
  if leaves[key] and not comes[key] and call('EXISTS', key) == 0 then
    call('ZREM', KEYS[3], name)
  end
end
if comes[KEYS[7]] then
  local over = call('ZCARD', KEYS[7]) - ARGV[4]
  if over > 0 then
    local oldest = call('ZPOPMIN', KEYS[7], min(over, 500))
    local forgotten = {}
    for j = 1, #oldest, 2 do
      forgotten[#forgotten + 1] = oldest[j]
    end
    call('HDEL', KEYS[2], unpack(forgotten))
  end
end
for name, by in pairs(counts) do
  if by ~= 0 and call('HINCRBY', KEYS[8], name, by) == 0 then
    call('HDEL', KEYS[8], name)
  end
end
if seq == seqWas and (live ~= liveWas or ARGV[3] == '1' and not changed[1]) then
  call('HSET', KEYS[1], 'seq', format('%d', seq), 'live', live)
end
if big and big ~= meta[6] and seq ~= seqWas then
  call('HSET', KEYS[1], 'big', big)
end
if near[1] then
  local added = call('ZADD', KEYS[4], unpack(near))
  if meta[5] and call('ZCARD', KEYS[4]) == added then
    redis.pcall('PUBLISH', ARGV[6] .. meta[5], ARGV[7])
  end
end
return answers
