-- Takes the permits of an expired session back.
-- keys: those of the shard, session:<expired>, groups:<expired>, group:<group>...; arguments: incarnation, expired, number of groups, groups

local key, groups_key = KEYS[6], KEYS[7]
local incarnation, expired, count = ARGV[1], ARGV[2], tonumber(ARGV[3])

local meta, refusal = enter(incarnation)
if not meta then
  return refusal
end
local session = read_session(key)
if not session then
  return { 'reaped', 0 }
end
if not session.dead then
  if is_learning(meta) or tonumber(redis.call('ZSCORE', SESSIONS, expired)) > meta.clock then
    return { 'reaped', 1 }
  end
  redis.call('HSET', key, 'dead', 1)
end
local names = {}
for i = 1, count do
  names[i] = ARGV[3 + i]
end
local settings = read_settings(names)
for i = 1, count do
  if redis.call('SREM', groups_key, names[i]) == 1 then
    local group = read_group(KEYS[7 + i], names[i], settings)
    local limit_before = limit_of(group)
    remove_entry(group, expired)
    plan(meta, group, '', limit_of(group) ~= limit_before)
  end
end
publish_news()
return remove_if_empty(key, groups_key, expired)
