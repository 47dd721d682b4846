-- Reads on in sorted sets of a partition, each from where it was left, and gives the headers of the records.
--
-- KEYS  1 records, 2 directory, 3 in flight, 4.. the other sets
-- ARGV  1 how the fields begin
--       2 how many records are wanted of the other sets, 3 how many members to look at
--       4 due time (8 bytes) and 5 seq of where the page before ended: of that due time nothing older; or empty
--       6 due time (8 bytes) and 7 seq where the page will end: of that due time nothing younger; or empty
--       8 lowest and 9 highest first millisecond, and 10 number of the slices to give; or 8 empty
--       11 score and 12 field in flight behind which to read; or 11 empty
--       from 13 on, for each other set: score and member behind which to read, highest score
--
-- Gives a list for the directory (slice, first millisecond, ...), one for what is in flight and one for each other set:
-- 1 at its end, else 0; score and member behind which to read on; how many members were looked at; field, header, ...
local call, sub = redis.call, string.sub

-- What is in flight is read as a whole each time, up to so many, beside what is wanted.
local FLIGHT_LOOKS = 250
-- Contents may be large: behind so many bytes of records a set is left.
local MOST_BYTES = 262144
local BATCH = 64

local prefix = ARGV[1]
local bytes = 0

-- Lua compares texts by the rules of a language; Redis compares bytes.
local function precedes(a, b)
  for at = 1, math.min(#a, #b) do
    local x, y = string.byte(a, at), string.byte(b, at)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- The rank of the first member behind a score and member; that one need not be there any more.
local function rank(key, score, member)
  local low = call('ZCOUNT', key, '-inf', '(' .. score)
  if member == '' then
    return low
  end
  local high = call('ZCOUNT', key, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if precedes(member, call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function passed(record)
  local due = sub(record, 6, 13)
  if due == ARGV[4] then
    return struct.unpack('>I7', record, 14) < tonumber(ARGV[5])
  end
  return due == ARGV[6] and struct.unpack('>I7', record, 14) > tonumber(ARGV[7])
end

local function add(out, fields)
  if #fields == 0 then
    return 0
  end
  local records = call('HMGET', KEYS[1], unpack(fields))
  local added = 0
  for at, record in ipairs(records) do
    if record then
      bytes = bytes + #record
      if #record < 30 or not passed(record) then
        out[#out + 1] = fields[at]
        out[#out + 1] = headOf(record)
        added = added + 1
      end
    end
  end
  return added
end

local function read(key, score, member, highest, wanted, looks)
  local out = {0, score, member, 0}
  if wanted <= 0 or looks <= 0 then
    return out, 0
  end
  local from = rank(key, score, member)
  local added, looked, size = 0, 0, math.min(wanted, 8)
  repeat
    size = math.min(size, looks - looked)
    local got = call('ZRANGE', key, from, from + size - 1, 'WITHSCORES')
    local fields = {}
    out[1] = #got < 2 * size and 1 or 0
    for at = 1, #got, 2 do
      if tonumber(got[at + 1]) > highest then
        out[1] = 1
        break
      end
      looked = looked + 1
      out[2], out[3] = got[at + 1], got[at]
      local field = fieldOf(got[at])
      if sub(field, 1, #prefix) == prefix then
        fields[#fields + 1] = field
      end
    end
    added = added + add(out, fields)
    from = from + size
    size = math.min(2 * size, BATCH)
  until out[1] == 1 or added >= wanted or looked >= looks or bytes > MOST_BYTES
  out[4] = looked
  return out, added
end

local result = {{}, {}}
if ARGV[8] ~= '' then
  result[1] = call('ZRANGEBYSCORE', KEYS[2], ARGV[8], ARGV[9], 'WITHSCORES', 'LIMIT', 0, ARGV[10])
end
if ARGV[11] ~= '' then
  result[2] = read(KEYS[3], ARGV[11], ARGV[12], math.huge, FLIGHT_LOOKS, FLIGHT_LOOKS)
  bytes = 0
end
local wanted, looks = tonumber(ARGV[2]), tonumber(ARGV[3])
for set = 4, #KEYS do
  local at = 13 + 3 * (set - 4)
  local out, added = read(KEYS[set], ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), wanted, looks)
  wanted, looks = wanted - added, looks - out[4]
  if bytes > MOST_BYTES then
    wanted = 0
  end
  result[#result + 1] = out
end
return result
