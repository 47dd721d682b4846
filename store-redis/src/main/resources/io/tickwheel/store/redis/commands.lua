-- Carries out commands on the timers of one partition, in their order: reads all that is needed, decides each command on what
-- was read, and only then writes, so that no error can come between two writes.
--
-- KEYS  m r i n f x e q slice...
-- ARGV  1 deadline (ms): nothing is done after it
--       2 epoch of the caller when it owns the partition, else empty
--       3 1 when something must be written in any case, so that a WAIT has something to wait for
--       4 how many finished timers are remembered
--       5 how long a claim holds (ms)
--       6 channel of the owner, without its name
--       7 the partition
--       8 how many slices; then their names, then the commands
-- A command is a letter, the field with its length in two bytes, and:
--   S schedule: rule (0 replace, 1 keep, 2 fail, 3 earliest, 4 latest, 5 once), far, due, operation, has hash, hash, content
--   C cancel    F find
--   L claim: due, token    D finish: token, state    T retry: token, far, due    U release: token    X extend: token
--   R reap: back to pending when its claim has run out
-- Answers { now (ms), live timers, an answer for each command }; just { -1 } after the deadline. Each begins with a letter:
--   S: C created, R replaced, K kept, F conflict, then what stood there before (0 none, 1 pending, 2 claimed), then the record
--   C: C cancelled, L too late (with the record), N not found    F: V (record), N
--   L: G granted (record and content), E not due (record), N nothing pending, X not the owner
--   D X: D done    T U R: D done (record)    all of these: S there is no such claim
--   any: M, and the name of a slice that must be declared first, or A, as the call has done enough: nothing was done
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return {-1}
end
local micros = time[1] * 1000000 + time[2]

local byte, char, floor, format, sub = string.byte, string.char, math.floor, string.format, string.sub
local pack, unpackFrom = struct.pack, struct.unpack
local HEAD = '>BI4i8I7c8I2'
local PENDING, CLAIMED, CANCELLED, DEAD = 0, 1, 3, 4
local epoch = ARGV[2]
local firstCommand = 9 + ARGV[8]
local sliceKeys = {}
for j = 9, firstCommand - 1 do
  sliceKeys[ARGV[j]] = KEYS[j]
end

local nearNames, farNames = {}, {}
local function sliceOf(far, due)
  local names, width, letter = nearNames, 65536, 'n'
  if far then
    names, width, letter = farNames, 4194304, 'f'
  end
  local number = floor(due / width)
  local name = names[number]
  if not name then
    name = letter .. format('%.0f', number)
    names[number] = name
  end
  return name
end

-- ---- read

local kinds, fieldOf, starts, fields, seen, makes = {}, {}, {}, {}, {}, false
for j = firstCommand, #ARGV do
  local kind, field, at = unpackFrom('>c1I2c0', ARGV[j])
  local n = j - firstCommand + 1
  kinds[n], fieldOf[n], starts[n] = kind, field, at
  makes = makes or kind == 'S'
  if not seen[field] then
    seen[field] = true
    fields[#fields + 1] = field
  end
end

-- Large records are carried out in several calls, so that no call needs much memory.
local timers, isRead = {}, {}
local raw, size = {}, 0
for first = 1, #fields, 16 do
  if size > 1048576 then
    break
  end
  local last = math.min(first + 15, #fields)
  local some = redis.call('HMGET', KEYS[2], unpack(fields, first, last))
  for j = first, last do
    local bytes = some[j - first + 1]
    raw[j] = bytes
    isRead[fields[j]] = true
    size = size + (bytes and #bytes or 0)
  end
end
for j, field in ipairs(fields) do
  local bytes = raw[j]
  if bytes then
    local flags, version, due, seq, operation, attempts, at = unpackFrom(HEAD, bytes)
    local state = flags % 8
    local hash, token, sliceWas = '', false, false
    if flags % 64 >= 32 then
      hash = sub(bytes, at, at + 7)
      at = at + 8
    end
    if state == CLAIMED then
      token = sub(bytes, at, at + 7)
      at = at + 8
    elseif state == PENDING then
      sliceWas = sliceOf(flags >= 64, due)
    end
    -- What it was is in stateWas and sliceWas, the rest is what it comes to be.
    timers[field] = {
      state = state, before = floor(flags / 8) % 4, far = flags >= 64, version = version, due = due, seq = seq,
      operation = operation, attempts = attempts, hash = hash, token = token, content = sub(bytes, at), extended = false,
      head = sub(bytes, 1, at - 1), stateWas = state, sliceWas = sliceWas
    }
  end
end

local meta = redis.call('HMGET', KEYS[1], 'epoch', 'hz', 'seq', 'live', 'owner')
local isOwner = epoch ~= '' and epoch == meta[1]
local horizon = tonumber(meta[2]) or -math.huge
local seq = tonumber(meta[3]) or 0
local live = tonumber(meta[4]) or 0

-- ---- decide

local changed = {}
local blocked = {}

-- The slice of a pending timer that is to leave it, if the caller has not declared it.
local function missing(t)
  if t and t.state == PENDING then
    local slice = sliceOf(t.far, t.due)
    if not sliceKeys[slice] then
      return 'M' .. slice
    end
  end
  return nil
end

local function change(field, t)
  local flags = t.state + 8 * t.before + (t.hash ~= '' and 32 or 0) + (t.far and 64 or 0)
  local head = pack(HEAD, flags, t.version, t.due, t.seq, t.operation, t.attempts) .. t.hash
  if t.state == CLAIMED then
    head = head .. t.token
  end
  t.head = head
  timers[field] = t
  changed[field] = t
end

local decide = {}

function decide.S(field, bytes, at)
  local t = timers[field]
  local rule, far, due, operation, hasHash, hash
  rule, far, due, operation, hasHash, at = unpackFrom('>BBi8c8B', bytes, at)
  hash = ''
  if hasHash == 1 then
    hash = sub(bytes, at, at + 7)
    at = at + 8
  end
  if t and t.operation == operation then
    return (t.before == 0 and 'C' or 'R') .. char(t.before) .. t.head
  end
  local isLive = t and t.state <= CLAIMED
  local before = isLive and t.state + 1 or 0
  if isLive and (rule == 1 or rule == 2 or rule == 3 and t.due <= due or rule == 4 and t.due >= due) or t and rule == 5 then
    return (rule == 2 and 'F' or 'K') .. char(before) .. t.head
  end
  local refused = missing(t)
  if refused then
    return refused
  end
  seq = math.max(seq + 1, micros)
  change(field, {
    state = PENDING, before = before, far = far == 1, version = t and t.version + 1 or 1, due = due, seq = seq,
    operation = operation, attempts = 0, hash = hash, token = false, content = sub(bytes, at), extended = false,
    head = '', stateWas = t and t.stateWas or nil, sliceWas = t and t.sliceWas or false
  })
  return (isLive and 'R' or 'C') .. char(before) .. timers[field].head
end

function decide.C(field)
  local t = timers[field]
  if not t then
    return 'N'
  end
  if t.state == PENDING then
    local refused = missing(t)
    if refused then
      return refused
    end
    t.state = CANCELLED
    t.content = ''
    change(field, t)
  end
  return (t.state == CANCELLED and 'C' or 'L') .. t.head
end

function decide.F(field)
  local t = timers[field]
  return t and 'V' .. t.head or 'N'
end

function decide.L(field, bytes, at)
  if not isOwner then
    return 'X'
  end
  local t = timers[field]
  local due, token = unpackFrom('>i8c8', bytes, at)
  if t and t.state == CLAIMED and t.token == token then
    return 'G' .. t.head .. t.content
  end
  if not t or t.state ~= PENDING then
    return 'N'
  end
  if t.due ~= due or due > now then
    return 'E' .. t.head
  end
  local refused = missing(t)
  if refused then
    return refused
  end
  t.state = CLAIMED
  t.token = token
  t.attempts = math.min(t.attempts + 1, 65535)
  change(field, t)
  return 'G' .. t.head .. t.content
end

-- The timer, if that claim of it holds.
local function claimed(field, bytes, at)
  local t = timers[field]
  if t and t.state == CLAIMED and t.token == sub(bytes, at, at + 7) then
    return t
  end
  return nil
end

function decide.D(field, bytes, at)
  local t = claimed(field, bytes, at)
  if not t then
    return 'S'
  end
  t.state = byte(bytes, at + 8)
  if t.state ~= DEAD then
    t.content = ''
  end
  change(field, t)
  return 'D'
end

function decide.T(field, bytes, at)
  local t = claimed(field, bytes, at)
  if not t then
    return 'S'
  end
  local far, due = unpackFrom('>Bi8', bytes, at + 8)
  t.state = PENDING
  t.far = far == 1
  t.due = due
  change(field, t)
  return 'D' .. t.head
end

-- Back to its slice, which has to be declared.
local function giveBack(field, t, uncounted)
  local slice = sliceOf(t.far, t.due)
  if not sliceKeys[slice] then
    return 'M' .. slice
  end
  t.state = PENDING
  t.attempts = t.attempts - uncounted
  change(field, t)
  return 'D' .. t.head
end

function decide.U(field, bytes, at)
  local t = claimed(field, bytes, at)
  if not t then
    return 'S'
  end
  return giveBack(field, t, 1)
end

function decide.X(field, bytes, at)
  local t = claimed(field, bytes, at)
  if not t then
    return 'S'
  end
  t.extended = true
  changed[field] = t
  return 'D'
end

function decide.R(field)
  local t = timers[field]
  if not isOwner or not t or t.state ~= CLAIMED or t.stateWas ~= CLAIMED then
    return 'S'
  end
  local untilWhen = redis.call('ZSCORE', KEYS[5], field)
  if untilWhen and tonumber(untilWhen) > now then
    return 'S'
  end
  return giveBack(field, t, 0)
end

local answers, goesOn = {now, 0}, true
for n, kind in ipairs(kinds) do
  local field = fieldOf[n]
  local answer = blocked[field]
  goesOn = goesOn and isRead[field]
  if not goesOn then
    answer = 'A'
  elseif not answer then
    answer = decide[kind](field, ARGV[firstCommand + n - 1], starts[n])
    -- What follows on the same timer must wait with it.
    if byte(answer) == 77 then
      blocked[field] = answer
    end
  end
  answers[n + 2] = answer
end

-- ---- write: first what needs no memory, so that a full server refuses everything, and only what makes a timer

local leaves, comes, records, counts = {}, {}, {}, {}
local near, extended = {}, false
local remembered = tonumber(ARGV[4])
local untilWhen = now + tonumber(ARGV[5])

local function append(lists, name, a, b)
  local list = lists[name]
  if not list then
    list = {}
    lists[name] = list
  end
  list[#list + 1] = a
  if b then
    list[#list + 1] = b
  end
end

local function count(queue, state, by)
  local counted = counts[queue]
  if not counted then
    counted = {[PENDING] = 0, [CLAIMED] = 0, [DEAD] = 0}
    counts[queue] = counted
  end
  if counted[state] then
    counted[state] = counted[state] + by
  end
  if state <= CLAIMED then
    live = live + by
  end
end

-- The key of the set that a timer of a state lies in, and its score there.
local function place(t)
  if t.state == PENDING then
    return sliceKeys[sliceOf(t.far, t.due)], t.due
  elseif t.state == CLAIMED then
    return KEYS[5], untilWhen
  elseif t.state == DEAD then
    return KEYS[6], t.due
  end
  return KEYS[7], micros
end

local function placeWas(t)
  if t.stateWas == nil then
    return nil
  elseif t.stateWas == PENDING then
    return sliceKeys[t.sliceWas]
  elseif t.stateWas == CLAIMED then
    return KEYS[5]
  elseif t.stateWas == DEAD then
    return KEYS[6]
  end
  return KEYS[7]
end

for field, t in pairs(changed) do
  local key, score = place(t)
  local was = placeWas(t)
  if was and was ~= key then
    append(leaves, was, field)
  end
  append(comes, key, score, field)
  if not (t.extended and t.state == CLAIMED and t.stateWas == CLAIMED) then
    records[#records + 1] = field
    records[#records + 1] = t.content == '' and t.head or t.head .. t.content
  end
  if t.state ~= t.stateWas then
    local queue = sub(field, 1, string.find(field, '\0', 1, true) - 1)
    if t.stateWas then
      count(queue, t.stateWas, -1)
    end
    count(queue, t.state, 1)
  end
  if t.state == PENDING and not isOwner and t.due < horizon then
    near[#near + 1] = t.due
    near[#near + 1] = field
  end
end
answers[2] = live

if not makes then
  redis.call('HDEL', KEYS[1], '')
end
for key, members in pairs(leaves) do
  redis.call('ZREM', key, unpack(members))
end
if records[1] then
  redis.call('HSET', KEYS[2], unpack(records))
end
for key, members in pairs(comes) do
  redis.call('ZADD', key, unpack(members))
end
for name, key in pairs(sliceKeys) do
  if comes[key] then
    local first = tonumber(sub(name, 2)) * (sub(name, 1, 1) == 'f' and 4194304 or 65536)
    redis.call('ZADD', KEYS[3], first, name)
  elseif leaves[key] and redis.call('EXISTS', key) == 0 then
    redis.call('ZREM', KEYS[3], name)
  end
end
if comes[KEYS[7]] then
  local over = redis.call('ZCARD', KEYS[7]) - remembered
  if over > 0 then
    local oldest = redis.call('ZPOPMIN', KEYS[7], math.min(over, 500))
    local forgotten = {}
    for j = 1, #oldest, 2 do
      forgotten[#forgotten + 1] = oldest[j]
    end
    redis.call('HDEL', KEYS[2], unpack(forgotten))
  end
end
local LETTER = {[PENDING] = 'p', [CLAIMED] = 'c', [DEAD] = 'd'}
for queue, counted in pairs(counts) do
  for state, by in pairs(counted) do
    local name = LETTER[state] .. queue
    if by ~= 0 and redis.call('HINCRBY', KEYS[8], name, by) == 0 then
      redis.call('HDEL', KEYS[8], name)
    end
  end
end
if next(changed) or ARGV[3] == '1' then
  redis.call('HSET', KEYS[1], 'seq', seq, 'live', live)
end
if #near > 0 then
  local added = redis.call('ZADD', KEYS[4], unpack(near))
  if meta[5] and redis.call('ZCARD', KEYS[4]) == added then
    redis.pcall('PUBLISH', ARGV[6] .. meta[5], ARGV[7])
  end
end
return answers
