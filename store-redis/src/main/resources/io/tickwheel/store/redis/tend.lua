-- What the owner of a partition does again and again: renews the lease, takes the near inserts, learns which claims have run
-- out, and loads what is due soon.
-- KEYS  m n f i slice...
-- ARGV  1 epoch, 2 lease (ms), 3 deadline (ms), 4 how many near inserts and claims at most
--       5 from, 6 to (ms, exclusive): the due times to load, 7 how many at most; then the names of the slices
-- Answers { now, state, live timers, { field, due... } near inserts, { field... } claims that have run out,
--           { slice... } that touch the range, to: everything due before is in the next, { field, due... } in order, lowest slice }
-- where state is 0, or 1 when the caller is not the owner, or 2 after the deadline: then nothing follows.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[3]) then
  return {now, 2}
end
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'live', 'hz')
if meta[1] ~= ARGV[1] then
  return {now, 1}
end
-- First what needs no memory, so that a full server takes the rest too.
local near = redis.call('ZPOPMIN', KEYS[2], ARGV[4])
-- A claim that holds for so long was made before the clock was set back: it counts from now.
for _, field in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], now + 4 * ARGV[2], '+inf', 'LIMIT', 0, ARGV[4])) do
  redis.call('ZADD', KEYS[3], now + ARGV[2], field)
end
local from, to, limit = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

-- Two lists of members and scores, each in the order of a sorted set, in one.
local function merged(a, b)
  local both, i, j = {}, 1, 1
  while a[i] or b[j] do
    local left, right = tonumber(a[i + 1] or math.huge), tonumber(b[j + 1] or math.huge)
    if a[i] and (left < right or left == right and a[i] < (b[j] or '')) or not b[j] then
      both[#both + 1], both[#both + 2] = a[i], a[i + 1]
      i = i + 2
    else
      both[#both + 1], both[#both + 2] = b[j], b[j + 1]
      j = j + 2
    end
  end
  return both
end

local touched, loaded = {}, {}
if from < to and limit > 0 then
  local declared = {}
  for j = 8, #ARGV do
    declared[ARGV[j]] = KEYS[j - 3]
  end
  -- The far slice that `from` lies in may begin long before; every other slice begins in or behind the near slice of `from`.
  local farFirst, nearFirst = math.floor(from / 4194304) * 4194304, math.floor(from / 65536) * 65536
  local farName = string.format('f%.0f', farFirst / 4194304)
  local function touch(name, first)
    touched[#touched + 1] = name
    if not declared[name] then
      to = math.min(to, math.max(from, first))
    end
  end
  if farFirst < nearFirst and redis.call('ZSCORE', KEYS[4], farName) then
    touch(farName, farFirst)
  end
  local names = redis.call('ZRANGEBYSCORE', KEYS[4], nearFirst, '(' .. ARGV[6], 'WITHSCORES', 'LIMIT', 0, 32)
  if #names == 64 then
    to = math.max(from, tonumber(names[64]))
  end
  for j = 1, #names, 2 do
    touch(names[j], tonumber(names[j + 1]))
  end
  -- Near slices follow one another, and so do far ones: each kind comes in order.
  local kinds = {n = {}, f = {}}
  for _, name in ipairs(touched) do
    if declared[name] and from < to then
      local kind = string.sub(name, 1, 1)
      local members = redis.call(
        'ZRANGEBYSCORE', declared[name], from, string.format('(%.0f', to), 'WITHSCORES', 'LIMIT', 0, limit + 1)
      local before = kinds[kind]
      if not before[1] then
        kinds[kind] = members
      else
        for j = 1, #members do
          before[#before + 1] = members[j]
        end
      end
    end
  end
  loaded = kinds.n
  if kinds.f[1] then
    loaded = merged(kinds.n, kinds.f)
  end
  local more = loaded[2 * limit + 2]
  if more then
    to = math.min(to, tonumber(more))
    for j = #loaded, 2 * limit + 1, -1 do
      loaded[j] = nil
    end
  end
  if to > (tonumber(meta[3]) or -math.huge) then
    redis.call('HSET', KEYS[1], 'hz', to)
  end
end
redis.call('HSET', KEYS[1], 'lease', now + ARGV[2])
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, ARGV[4])
local lowest = redis.call('ZRANGE', KEYS[4], 0, 0)[1] or ''
return {now, 0, tonumber(meta[2]) or 0, near, over, touched, to, loaded, lowest}
