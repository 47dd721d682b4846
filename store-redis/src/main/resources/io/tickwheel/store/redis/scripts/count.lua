-- Counts the live timers of a partition that are due in [from, to), by buckets, at one moment.
--
-- KEYS  1 records, 2 directory, 3 in flight, 4.. the slices
-- ARGV  1 how the fields begin, empty for all
--       2 from, 3 to
--       4 where the first bucket begins, 5 how long a bucket is
--       6 how many members to look at
--       7 how the keys of slices begin
--
-- Gives nothing when a slice is missing among the keys. Else: up to where it counted, which is less than asked for when too
-- many timers are due; score and field in flight behind which more are to be counted, or empty; bucket, count, ...
local call = redis.call

-- The state of a timer that was cancelled while its last attempt runs: it is in flight, and counted no more.
local ENDING = 6

local NEAR_MS, FAR_MS = 65536, 4194304
-- So many timers in flight are counted, and so many bytes of their records read, in one go.
local FLIGHT_LOOKS = 1000
local MOST_BYTES = 262144
local BATCH = 64
-- Slices with fewer timers than that are counted one by one.
local SMALL = 16

local prefix = ARGV[1]
local from, to = tonumber(ARGV[2]), tonumber(ARGV[3])
local first, length = tonumber(ARGV[4]), tonumber(ARGV[5])

local declared = {}
for set = 4, #KEYS do
  declared[KEYS[set]] = true
end
local slices = call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%.0f', from - FAR_MS), '(' .. ARGV[3], 'WITHSCORES')
for at = 1, #slices, 2 do
  local width = string.byte(slices[at]) == 102 and FAR_MS or NEAR_MS
  if slices[at + 1] + width > from and not declared[ARGV[7] .. slices[at]] then
    return {}
  end
end

local counts = {}
local function count(due, number)
  local bucket = math.floor((due - first) / length)
  counts[bucket] = (counts[bucket] or 0) + number
end

local function due(key, low, high)
  return call('ZCOUNT', key, string.format('%.0f', low), '(' .. string.format('%.0f', high))
end

-- Jumps from timer to bucket to timer, so that empty buckets cost nothing.
local function countDense(key)
  local low = from
  while low < to do
    local found = call('ZRANGEBYSCORE', key, string.format('%.0f', low), '(' .. ARGV[3], 'WITHSCORES', 'LIMIT', 0, 1)
    if #found == 0 then
      return
    end
    local high = math.min(to, first + (math.floor((found[2] - first) / length) + 1) * length)
    -- Numbers that a double does not hold may not rise.
    if high <= low then
      high = to
    end
    count(tonumber(found[2]), due(key, low, high))
    low = high
  end
end

local reached = ARGV[3]
if prefix == '' then
  for set = 4, #KEYS do
    local got = call('ZRANGEBYSCORE', KEYS[set], ARGV[2], '(' .. ARGV[3], 'WITHSCORES', 'LIMIT', 0, SMALL)
    if #got < 2 * SMALL then
      for at = 2, #got, 2 do
        count(tonumber(got[at]), 1)
      end
    else
      countDense(KEYS[set])
    end
  end
else
  local most = tonumber(ARGV[6])
  while true do
    local timers = 0
    for set = 4, #KEYS do
      timers = timers + due(KEYS[set], from, to)
    end
    local middle = from + math.floor((to - from) / 2)
    -- What is due in one millisecond is counted together, however much it is.
    if timers <= most or middle <= from or middle >= to then
      break
    end
    to = middle
    reached = string.format('%.0f', to)
  end
  for set = 4, #KEYS do
    local got = call(
      'ZRANGEBYSCORE', KEYS[set], string.format('%.0f', from), '(' .. reached, 'WITHSCORES')
    for at = 1, #got, 2 do
      if string.sub(fieldOf(got[at]), 1, #prefix) == prefix then
        count(tonumber(got[at + 1]), 1)
      end
    end
  end
end

local score, field = '', ''
local looked, bytes = 0, 0
while true do
  local got = call('ZRANGE', KEYS[3], looked, looked + BATCH - 1, 'WITHSCORES')
  local fields = {}
  for at = 1, #got, 2 do
    looked = looked + 1
    if string.sub(got[at], 1, #prefix) == prefix then
      fields[#fields + 1] = got[at]
    end
  end
  if #fields > 0 then
    for _, record in ipairs(call('HMGET', KEYS[1], unpack(fields))) do
      if record and #record >= 30 then
        bytes = bytes + #record
        local at = struct.unpack('>i8', record, 6)
        if at >= from and at < to and string.byte(record) % 8 ~= ENDING then
          count(at, 1)
        end
      end
    end
  end
  if #got < 2 * BATCH then
    break
  end
  if looked >= FLIGHT_LOOKS or bytes > MOST_BYTES then
    score, field = got[#got], got[#got - 1]
    break
  end
end

local result = {reached, score, field}
for bucket, number in pairs(counts) do
  result[#result + 1] = bucket
  result[#result + 1] = number
end
return result
