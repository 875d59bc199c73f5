-- The state of a group, and who gets its permits. docs/design/fleet.md has the grant rule; GrantRule.java is the same in Java.

local CHANNEL = string.sub(META, 1, -5) .. 'push:' -- the key of meta ends with 'meta'

local news = {} -- by session, what a push will tell it
local news_order = {}

-- The live settings of groups: for each its limit, or false, and whether it is paused.
local function read_settings(names)
  if #names == 0 then
    return {}
  end
  local fields = {}
  for i = 1, #names do
    fields[2 * i - 1] = 'limit:' .. names[i]
    fields[2 * i] = 'paused:' .. names[i]
  end
  local values = redis.call('HMGET', CONFIG, unpack(fields))
  local settings = {}
  for i = 1, #names do
    settings[names[i]] = { limit = values[2 * i - 1] and tonumber(values[2 * i - 1]), paused = values[2 * i] == '1' }
  end
  return settings
end

-- The group of a key. It has no entries if it does not exist.
local function read_group(key, name, settings)
  local group = { key = key, name = name, turns = 0, entries = {}, by_session = {}, removed = {} }
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local field, value = fields[i], fields[i + 1]
    if field == 'version' then
      group.version, group.stored_version = value, value
    elseif field == 'limit' then
      group.limit = tonumber(value)
      group.stored_limit = group.limit
    elseif field == 'turns' then
      group.turns = tonumber(value)
      group.stored_turns = group.turns
    else
      local granted, debt, wanted, used, seq, turn, target, least, limit =
        string.match(value, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%-?%d+) (%d+) (%d+)$')
      local entry = {
        session = string.sub(field, 3), -- the field is 's:' and the session
        granted = tonumber(granted),
        debt = tonumber(debt),
        wanted = tonumber(wanted),
        used = used,
        seq = seq,
        turn = tonumber(turn),
        target = tonumber(target),
        least = tonumber(least),
        limit = tonumber(limit), -- that it has stated for the version in force; 0: it has stated an older version
      }
      group.entries[#group.entries + 1] = entry
      group.by_session[entry.session] = entry
    end
  end
  group.live_limit = settings[name].limit
  group.paused = settings[name].paused
  return group
end

local function limit_of(group)
  return group.live_limit or group.limit
end

local function next_turn(group)
  group.turns = group.turns + 1
  return group.turns
end

local function add_entry(group, session)
  local entry = {
    session = session, granted = 0, debt = 0, wanted = 0, used = '0', seq = '0', turn = 0, target = NO_TARGET, least = 0, limit = 0,
  }
  group.entries[#group.entries + 1] = entry
  group.by_session[session] = entry
  return entry
end

-- Of the limits that are stated for the version in force, the lowest decides. If none is, the last one remains.
local function adopt_limit(group)
  local lowest
  for i = 1, #group.entries do
    local limit = group.entries[i].limit
    if limit > 0 and (not lowest or limit < lowest) then
      lowest = limit
    end
  end
  group.limit = lowest or group.limit
end

local function remove_entry(group, session)
  local entry = group.by_session[session]
  if not entry then
    return
  end
  group.by_session[session] = nil
  group.removed[#group.removed + 1] = 's:' .. session
  for i = 1, #group.entries do
    if group.entries[i] == entry then
      table.remove(group.entries, i)
      break
    end
  end
  adopt_limit(group)
end

-- Writes what has changed. A group without entries does not exist.
local function write_group(group)
  if #group.entries == 0 then
    redis.call('DEL', group.key)
    return
  end
  local changed = {}
  local function put(field, value)
    changed[#changed + 1] = field
    changed[#changed + 1] = value
  end
  if group.version ~= group.stored_version then
    put('version', group.version)
  end
  if group.limit ~= group.stored_limit then
    put('limit', group.limit)
  end
  if group.turns ~= group.stored_turns then
    put('turns', group.turns)
  end
  for i = 1, #group.entries do
    local e = group.entries[i]
    if e.changed then
      put('s:' .. e.session, string.format('%.0f %.0f %.0f %s %s %.0f %.0f %.0f %.0f', e.granted, e.debt, e.wanted, e.used, e.seq, e.turn, e.target, e.least, e.limit))
    end
  end
  for i = 1, #changed, 1000 do -- Lua cannot unpack any number of values
    redis.call('HSET', group.key, unpack(changed, i, math.min(i + 999, #changed)))
  end
  if #group.removed > 0 then
    redis.call('HDEL', group.key, unpack(group.removed))
  end
end

-- ---- the grant rule -----------------------------------------------------------------------------------------

local function by_turn(a, b)
  return a.turn < b.turn
end

local function largest_first(a, b)
  if a.granted ~= b.granted then
    return a.granted > b.granted
  end
  return a.turn < b.turn
end

local function sum_of(entries, field)
  local sum = 0
  for i = 1, #entries do
    sum = sum + entries[i][field]
  end
  return sum
end

local function is_unmet(entry)
  return entry.wanted > entry.granted
end

-- Grants debtors what they use, in the order of their turns, as long as all together stay within the limit.
local function settle_debts(group, limit)
  local debtors = {}
  for i = 1, #group.entries do
    if group.entries[i].debt > 0 then
      debtors[#debtors + 1] = group.entries[i]
    end
  end
  if #debtors == 0 then
    return
  end
  table.sort(debtors, by_turn)
  local free = limit - sum_of(group.entries, 'granted')
  for i = 1, #debtors do
    local e = debtors[i]
    local settled = math.min(e.debt, math.max(free, 0))
    e.granted, e.debt, e.changed = e.granted + settled, e.debt - settled, e.changed or settled > 0
    free = free - settled
  end
end

-- The sessions that want more and have the fewest permits, in the order of their turns.
local function fewest(entries)
  local found, level = {}, nil
  for i = 1, #entries do
    local e = entries[i]
    if is_unmet(e) and (not level or e.granted <= level) then
      if level and e.granted < level then
        found = {}
      end
      level = e.granted
      found[#found + 1] = e
    end
  end
  table.sort(found, by_turn)
  return found, level
end

-- The session that permits are saved for, as its next task costs more than it has: the one that has waited longest, if none that has waited longer has
-- less than an equal part of the limit.
local function favoured(entries, limit)
  local first
  for i = 1, #entries do
    local e = entries[i]
    if e.least > e.granted and e.least <= limit and e.least <= e.wanted and (not first or e.turn < first.turn) then
      first = e
    end
  end
  if not first then
    return nil
  end
  local part = math.max(1, math.floor(limit / #entries))
  for i = 1, #entries do
    local e = entries[i]
    if e.turn < first.turn and is_unmet(e) and e.granted < part then
      return nil
    end
  end
  return first
end

-- Grants free permits, as long as all together stay within the limit, debts included.
local function grant_free(group, limit)
  local entries = group.entries
  local free = limit - sum_of(entries, 'granted') - sum_of(entries, 'debt')
  local saves_for = free > 0 and favoured(entries, limit)
  if saves_for then
    local more = math.min(free, saves_for.least - saves_for.granted)
    saves_for.granted, saves_for.changed, free = saves_for.granted + more, true, free - more
    if saves_for.granted == saves_for.least then
      saves_for.turn = next_turn(group)
    end
  end
  while free > 0 do
    local first, level = fewest(entries)
    if #first == 0 then
      return
    end
    local each = math.floor(free / #first)
    for i = 1, #entries do
      local e = entries[i]
      if is_unmet(e) then
        if e.granted > level then
          each = math.min(each, e.granted - level)
        else
          each = math.min(each, e.wanted - e.granted)
        end
      end
    end
    each = math.max(1, each)
    for i = 1, math.min(#first, math.floor(free / each)) do
      local e = first[i]
      e.granted, e.turn, e.changed = e.granted + each, next_turn(group), true
      free = free - each
    end
  end
end

-- Sets each target to the max-min share of the limit, or to what the session has, if that is less.
local function set_shares(entries, limit)
  local by_want = {}
  for i = 1, #entries do
    by_want[i] = entries[i]
  end
  table.sort(by_want, function(a, b)
    return a.wanted < b.wanted
  end)
  local left, met = limit, 0
  while met < #by_want and by_want[met + 1].wanted * (#by_want - met) <= left do
    met = met + 1
    local e = by_want[met]
    e.target = math.min(e.granted, e.wanted)
    left = left - e.wanted
  end
  local others = {}
  for i = met + 1, #by_want do
    others[#others + 1] = by_want[i]
  end
  table.sort(others, largest_first) -- the remainder stays where it is
  for i = 1, #others do
    local share = math.floor(left / #others)
    if i <= left % #others then
      share = share + 1
    end
    others[i].target = math.min(others[i].granted, share)
  end
end

-- If there are more sessions than permits, those that were granted first hand them on to the sessions that have none.
local function rotate(entries, limit)
  local free = limit - sum_of(entries, 'target')
  local starved, holders = 0, {}
  for i = 1, #entries do
    local e = entries[i]
    if e.wanted > 0 and e.granted == 0 then
      starved = starved + 1
    end
    if e.target > 0 then
      holders[#holders + 1] = e
    end
  end
  table.sort(holders, by_turn)
  for i = 1, math.min(#holders, math.max(0, starved - free)) do
    holders[i].target = holders[i].target - 1
  end
end

local function set_targets(group, limit, learning)
  local entries = group.entries
  local enough = sum_of(entries, 'granted') + sum_of(entries, 'debt') <= limit
  for i = 1, #entries do
    enough = enough and not is_unmet(entries[i])
  end
  if group.paused or enough or learning then
    for i = 1, #entries do
      entries[i].target = group.paused and 0 or NO_TARGET
    end
  else
    local first = favoured(entries, limit)
    if not first then
      set_shares(entries, limit)
      rotate(entries, limit)
      return
    end
    first.target = first.granted
    local others = {}
    for i = 1, #entries do
      if entries[i] ~= first then
        others[#others + 1] = entries[i]
      end
    end
    set_shares(others, limit - first.least)
  end
end

-- Grants free permits, asks holders for permits that others should have, and writes the group. The caller gets its grant in the answer; the
-- others get a push if there is news for them, or all of them if tell_all is true.
local function plan(meta, group, caller, tell_all)
  local entries = group.entries
  for i = 1, #entries do
    local e = entries[i]
    e.granted_before, e.target_before = e.granted, e.target
  end
  if #entries > 0 then
    local limit, learning = limit_of(group), is_learning(meta)
    if not group.paused and not learning then
      settle_debts(group, limit)
      grant_free(group, limit)
    end
    set_targets(group, limit, learning)
  end
  for i = 1, #entries do
    local e = entries[i]
    e.changed = e.changed or e.target ~= e.target_before
    local asked = e.granted > 0 and e.target ~= NO_TARGET
      and (e.target_before == NO_TARGET or e.target < e.target_before)
    if e.session ~= caller and (tell_all or e.granted > e.granted_before or asked) then
      if not news[e.session] then
        news[e.session] = {}
        news_order[#news_order + 1] = e.session
      end
      table.insert(
        news[e.session],
        string.format('%s %.0f %.0f %.0f %d %d ', e.seq, e.granted, e.target, limit_of(group), group.paused and 1 or 0, #group.name)
          .. group.name
      )
    end
  end
  write_group(group)
end

-- Sends the pushes: the number of the push, and on lines of their own sequence number, granted, target, limit, whether paused, the length of
-- the name in bytes, and the name, which may contain anything.
local function publish_news()
  for i = 1, #news_order do
    local session = news_order[i]
    local number = redis.call('HINCRBY', PUSHED, session, 1)
    redis.call('PUBLISH', CHANNEL .. session, string.format('%.0f\n', number) .. table.concat(news[session], '\n'))
  end
end
