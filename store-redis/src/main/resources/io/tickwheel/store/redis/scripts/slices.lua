-- How many timers some slices have, at one moment.
--
-- KEYS  1 meta, 2 directory, 3 in flight, 4 records, 5.. slices
-- ARGV  the names of the slices
--
-- Gives the count of live timers or nothing; how many slices the directory has; how many live timers are in flight; for each slice
-- its score in the directory or nothing, and how many timers it has.
local call = redis.call

-- The state of a timer that was cancelled while its last attempt runs: it is in flight, and not live. Its record has no content, so
-- one that is longer than all optional fields together is of another.
local ENDING = 6
local SHORT = 4096

local flight = 0
for _, field in ipairs(call('ZRANGE', KEYS[3], 0, -1)) do
  local record = call('HSTRLEN', KEYS[4], field) <= SHORT and call('HGET', KEYS[4], field)
  if not (record and record ~= '' and string.byte(record) % 8 == ENDING) then
    flight = flight + 1
  end
end
local result = {call('HGET', KEYS[1], 'live') or '', call('ZCARD', KEYS[2]), flight}
for at, slice in ipairs(ARGV) do
  result[#result + 1] = call('ZSCORE', KEYS[2], slice) or ''
  result[#result + 1] = call('ZCARD', KEYS[4 + at])
end
return result
