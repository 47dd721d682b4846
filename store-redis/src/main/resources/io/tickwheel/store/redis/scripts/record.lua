-- Stands before each script that reads members of sorted sets, or records.

-- The field of a member: those of slices and near inserts begin with a route and its length, but for those of layout 1.
local function fieldOf(member)
  local first = string.byte(member)
  return first == 0 and string.sub(member, 2) or first == 4 and string.sub(member, 6) or member
end

-- A record without its content.
local function headOf(record)
  if #record < 30 then
    return record
  end
  local flags = string.byte(record, 1)
  local length = 30
  if flags % 64 >= 32 then
    length = length + 8
  end
  if flags % 8 == 1 or flags % 8 == 6 then
    length = length + 8
  end
  if flags >= 128 and #record >= length + 2 then
    length = length + 2 + struct.unpack('>I2', record, length + 1)
  end
  return string.sub(record, 1, length)
end

