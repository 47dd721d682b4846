-- Where some timers are, at one moment.
--
-- KEYS  1 meta, 2 records, 3 in flight, 4 dead, 5 finished, 6.. slices
-- ARGV  field, member of the slice, number among the slices or 0, ...
--
-- Gives the seq of the partition; for each field: the record without its content, scores in flight, dead, finished and in the
-- slice. What is not there is empty.
local result = {redis.call('HGET', KEYS[1], 'seq') or ''}
for at = 1, #ARGV, 3 do
  local field = ARGV[at]
  result[#result + 1] = headOf(redis.call('HGET', KEYS[2], field) or '')
  for set = 3, 5 do
    result[#result + 1] = redis.call('ZSCORE', KEYS[set], field) or ''
  end
  local slice = tonumber(ARGV[at + 2])
  result[#result + 1] = slice > 0 and redis.call('ZSCORE', KEYS[5 + slice], ARGV[at + 1]) or ''
end
return result
