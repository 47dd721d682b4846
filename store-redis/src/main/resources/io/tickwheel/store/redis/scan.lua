-- A piece of the records of a partition.
--
-- KEYS  1 records
-- ARGV  1 cursor
--
-- Gives the next cursor; field, beginning of the record, ...
local piece = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local result = {piece[1]}
for at = 1, #piece[2], 2 do
  result[#result + 1] = piece[2][at]
  -- As long as the longest header.
  result[#result + 1] = string.sub(piece[2][at + 1], 1, 46)
end
return result
