-- Executes the claims of an exchange. Follows exchange.lua.

-- Notes the limit that a node has in its policy. A newer version takes the place of the older ones.
local function state_limit(group, entry, limit, version)
  if not group.version or larger(version, group.version) then
    group.version, group.limit = version, limit
    for i = 1, #group.entries do
      local e = group.entries[i]
      e.limit, e.changed = 0, true
    end
  end
  entry.limit = version == group.version and limit or 0
  adopt_limit(group)
end

-- Permits that were granted before, but without the node's knowledge: it does not queue again for them.
local function grant_again(group, entry, unheard)
  if unheard > 0 and not group.paused and not is_learning(meta) then
    local free = limit_of(group) - sum_of(group.entries, 'granted') - sum_of(group.entries, 'debt')
    entry.granted = entry.granted + math.max(0, math.min(unheard, free))
  end
end

local function execute(group, limit, version, known, keep, used, wanted, least)
  local limit_before = limit_of(group)
  local entry = group.by_session[name]
  local is_new = not entry
  if is_new then
    entry = add_entry(group, name)
    redis.call('SADD', groups_key, group.name)
  end
  state_limit(group, entry, limit, version)
  local waited, before = is_unmet(entry), entry.granted
  entry.granted, entry.debt = keep, math.max(0, tonumber(used) - keep)
  grant_again(group, entry, math.min(before - known, wanted - keep))
  entry.wanted, entry.used, entry.least, entry.seq, entry.changed = wanted, used, least, seq, true
  if is_new or (is_unmet(entry) and (not waited or entry.granted < before)) then
    entry.turn = next_turn(group)
  end
  if entry.granted == 0 and entry.debt == 0 and entry.wanted == 0 then
    entry.target = NO_TARGET
    remove_entry(group, name)
    redis.call('SREM', groups_key, group.name)
  end
  plan(meta, group, name, limit_of(group) ~= limit_before)
  return entry
end

local names = {}
for i = 1, claims do
  names[i] = ARGV[8 * i - 2]
end
local settings = read_settings(names)
local exchanged = {}
for i = 1, claims do
  local at = 8 * i - 2
  local group = read_group(KEYS[7 + i], ARGV[at], settings)
  local entry = execute(
    group, tonumber(ARGV[at + 1]), ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4]), ARGV[at + 5],
    tonumber(ARGV[at + 6]), tonumber(ARGV[at + 7])
  )
  exchanged[i] = { entry.granted, entry.target, limit_of(group), group.paused and 1 or 0 }
end
publish_news()

local reply = answer()
for i = 1, claims do
  for j = 1, 4 do
    reply[#reply + 1] = exchanged[i][j]
  end
end
return reply
