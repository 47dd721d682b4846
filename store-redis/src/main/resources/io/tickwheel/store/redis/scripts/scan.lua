-- A piece of the records of a partition.
--
-- KEYS  1 records
-- ARGV  1 cursor
--
-- Gives the next cursor; field, record without its content, ...
local piece = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local result = {piece[1]}
for at = 1, #piece[2], 2 do
  result[#result + 1] = piece[2][at]
  result[#result + 1] = headOf(piece[2][at + 1])
end
return result
