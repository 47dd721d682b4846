-- What the owner of a partition does again and again: renews the lease, takes the near inserts, learns which claims have run
-- out, and loads a piece of a range of due times.
--
-- KEYS  m n f i r q slice...
-- ARGV  1 epoch, 2 lease (ms), 3 deadline (ms), 4 how many near inserts and claims at most
--       5 from, 6 mark: behind what of that millisecond, or empty, 7 to (ms, exclusive): the piece
--       8 how many timers to give at most, 9 how many members to look at
--       10 + for the timers of some lanes only, - for those of all others, or empty for all; 11 how many lanes
--       12 how many queues to look for, 13 number of the call; then the lanes, as members begin, then the queues, then the names of
--       the slices
-- Answers { now, state, live timers, { member, due... } near inserts, { field... } claims that have run out, lowest slice,
--           { queue... } that have nothing pending, { slice... } that touch the range,
--           reached, mark: up to where, and behind what of that millisecond, everything was looked at, how many members that were,
--           { member... } in the order of their due times, { due... },
--           { bytes... } of the records of the near inserts and then of these; empty where all contents are small }
-- where state is 0, or 1 when the caller is not the owner, or 2 after the deadline or behind a later call of the owner, or 3 when
-- nobody has ever owned the partition, as far as is written here: then nothing is done, and nothing follows. For what a late call takes,
-- nobody waits any more.
--
-- Within a millisecond, near slices come before far ones, and each in the order of its members: a mark is the kind of the slice
-- and a member. Due times cost more than the members, so they are asked for only of what is given.
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[3]) then
  return {now, 2}
end
local meta = call('HMGET', KEYS[1], 'epoch', 'live', 'hz', 'big', 'tend')
if meta[1] ~= ARGV[1] then
  return {now, meta[1] and 1 or 3}
end
if meta[5] and tonumber(meta[5]) >= tonumber(ARGV[13]) then
  return {now, 2}
end
local byte, find, sub = string.byte, string.find, string.sub
local floor, max, min = math.floor, math.max, math.min
local NEAR, FAR = 65536, 4194304

-- First what needs no memory, so that a full server takes the rest too.
local near = call('ZPOPMIN', KEYS[2], ARGV[4])
-- A claim that holds for so long was made before the clock was set back: it counts from now.
for _, field in ipairs(call('ZRANGEBYSCORE', KEYS[3], now + 4 * ARGV[2], '+inf', 'LIMIT', 0, ARGV[4])) do
  call('ZADD', KEYS[3], now + ARGV[2], field)
end

local from, to, most, looks = tonumber(ARGV[5]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local markKind, markMember = sub(ARGV[6], 1, 1), sub(ARGV[6], 2)
local firstQueue = 14 + ARGV[11]
local firstSlice = firstQueue + ARGV[12]
local lanes, only, all = {}, ARGV[10] == '+', ARGV[10] == ''
for j = 14, firstQueue - 1 do
  lanes[ARGV[j]] = true
end

-- Lua compares texts by the rules of a language; Redis compares bytes.
local function precedes(a, b)
  for at = 1, min(#a, #b) do
    local x, y = byte(a, at), byte(b, at)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- How many members stand before the mark, or are it; that one need not be there any more.
local function behindMark(key)
  local low, high = call('ZCOUNT', key, '-inf', '(' .. ARGV[5]), call('ZCOUNT', key, '-inf', ARGV[5])
  while low < high do
    local middle = floor((low + high) / 2)
    if precedes(markMember, call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local looked, high = 0, ''

-- Reads on in slices of one kind, which follow one another. Gives members, their due times, and the due time and mark where it
-- stopped before the end. It reads by ranks: to find a place by its due time and an offset, Redis walks over all before it.
local function read(kind, names, keys)
  local members, dues, left = {}, {}, looks
  local start = string.format('%s%.0f', kind, floor(from / (kind == 'n' and NEAR or FAR)))
  for _, name in ipairs(names) do
    local key, last, wanted = keys[name], nil, {}
    local rank = 0
    if name == start then
      rank = kind == markKind and behindMark(key)
        or call('ZCOUNT', key, '-inf', kind == 'n' and markKind == 'f' and ARGV[5] or '(' .. ARGV[5])
    end
    local stop = call('ZCOUNT', key, '-inf', high)
    while rank < stop and not last do
      local room = most - #members - #wanted
      local size = min(left, stop - rank, all and room or max(64, 2 * room))
      local got = call('ZRANGE', key, rank, rank + size - 1)
      rank = rank + size
      for j = 1, #got do
        local member = got[j]
        local fits = all
        if not fits then
          local first = byte(member)
          local lane = sub(member, 1, find(member, '\0', first == 0 and 2 or first == 4 and 6 or 1, true))
          fits = (lanes[lane] or false) == only
        end
        left = left - 1
        if fits then
          wanted[#wanted + 1] = member
          if #members + #wanted == most then
            last = member
            break
          end
        end
      end
      if left == 0 then
        last = last or got[#got]
      end
    end
    if wanted[1] then
      for j, due in ipairs(call('ZMSCORE', key, unpack(wanted))) do
        members[#members + 1] = wanted[j]
        dues[#dues + 1] = due
      end
    end
    if last then
      looked = looked + looks - left
      return members, dues, tonumber(call('ZSCORE', key, last)), kind .. last
    end
  end
  looked = looked + looks - left
  return members, dues
end

local touched, members, dues, mark = {}, {}, {}, ''
if from < to and most > 0 then
  local keys = {}
  for j = firstSlice, #ARGV do
    keys[ARGV[j]] = KEYS[7 + j - firstSlice]
  end
  -- The far slice that `from` lies in may begin long before; every other slice begins in or behind the near slice of `from`.
  local farFirst, nearFirst = floor(from / FAR) * FAR, floor(from / NEAR) * NEAR
  local farName = string.format('f%.0f', farFirst / FAR)
  local kinds = {n = {}, f = {}}
  local function touch(name, first)
    touched[#touched + 1] = name
    if not keys[name] then
      to = min(to, max(from, first))
    elseif first < to then
      local names = kinds[sub(name, 1, 1)]
      names[#names + 1] = name
    end
  end
  if farFirst < nearFirst and call('ZSCORE', KEYS[4], farName) then
    touch(farName, farFirst)
  end
  local names = call('ZRANGEBYSCORE', KEYS[4], nearFirst, '(' .. ARGV[7], 'WITHSCORES', 'LIMIT', 0, 32)
  if #names == 64 then
    to = min(to, max(from, tonumber(names[64])))
  end
  for j = 1, #names, 2 do
    touch(names[j], tonumber(names[j + 1]))
  end
  if from < to then
    high = string.format('(%.0f', to)
    local nearMembers, nearDues, nearTo, nearMark = read('n', kinds.n, keys)
    local farMembers, farDues, farTo, farMark = read('f', kinds.f, keys)
    local stopsInFar = farTo and not (nearTo and nearTo <= farTo)
    if stopsInFar then
      to, mark = farTo, farMark
    elseif nearTo then
      to, mark = nearTo, nearMark
    end
    -- Both in one, up to where the first of them stopped, and no more than is wanted.
    local i, j = 1, 1
    while nearMembers[i] or farMembers[j] do
      local nearDue, farDue = tonumber(nearDues[i]) or math.huge, tonumber(farDues[j]) or math.huge
      local isNear = nearMembers[i] and nearDue <= farDue
      local due = isNear and nearDue or farDue
      if mark ~= '' and (due > to or due == to and not isNear and not stopsInFar) then
        break
      end
      local n = #members + 1
      if isNear then
        members[n], dues[n], i = nearMembers[i], nearDues[i], i + 1
      else
        members[n], dues[n], j = farMembers[j], farDues[j], j + 1
      end
      if n == most and (nearMembers[i] or farMembers[j]) then
        to, mark = due, (isNear and 'n' or 'f') .. members[n]
        break
      end
    end
    -- Of a millisecond that is not loaded as a whole, those who schedule must tell.
    local horizon = mark == '' and to or to + 1
    if horizon > (tonumber(meta[3]) or -math.huge) then
      call('HSET', KEYS[1], 'hz', string.format('%.0f', horizon))
    end
  else
    mark = ARGV[6]
  end
end

local bytes = {}
if meta[4] ~= '0' then
  local function ask(member)
    local first = byte(member)
    bytes[#bytes + 1] = call('HSTRLEN', KEYS[5], first == 0 and sub(member, 2) or first == 4 and sub(member, 6) or member)
  end
  for j = 1, #near, 2 do
    ask(near[j])
  end
  for j = 1, #members do
    ask(members[j])
  end
end
local gone = {}
for j = firstQueue, firstSlice - 1 do
  if not call('HGET', KEYS[6], 'p' .. ARGV[j]) then
    gone[#gone + 1] = ARGV[j]
  end
end
call('HSET', KEYS[1], 'lease', now + ARGV[2], 'tend', ARGV[13])
local over = call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, ARGV[4])
local lowest = call('ZRANGE', KEYS[4], 0, 0)[1] or ''
return {
  now, 0, tonumber(meta[2]) or 0, near, over, lowest, gone, touched, to, mark, looked, members, dues, bytes
}
