-- How many timers some slices have, at one moment.
--
-- KEYS  1 meta, 2 directory, 3 in flight, 4.. slices
-- ARGV  the names of the slices
--
-- Gives the count of live timers or nothing; how many slices the directory has; how many timers are in flight; for each slice
-- its score in the directory or nothing, and how many timers it has.
local call = redis.call
local result = {call('HGET', KEYS[1], 'live') or '', call('ZCARD', KEYS[2]), call('ZCARD', KEYS[3])}
for at, slice in ipairs(ARGV) do
  result[#result + 1] = call('ZSCORE', KEYS[2], slice) or ''
  result[#result + 1] = call('ZCARD', KEYS[3 + at])
end
return result
