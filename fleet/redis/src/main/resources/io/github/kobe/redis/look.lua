-- Reads. Changes nothing, not even the clock.
-- keys: those of the shard, groups:<session>..., group:<group>...; arguments: number of sessions, sessions, number of groups, groups

local asked = tonumber(ARGV[1])
local groups = tonumber(ARGV[asked + 2])

local meta = read_meta()
if meta.incarnation == '' then
  return { 'snapshot', '', 0, redis.call('HGET', CONFIG, 'version') or '0', {}, {} }
end
local groups_of = {}
for i = 1, asked do
  groups_of[ARGV[i + 1]] = redis.call('SMEMBERS', KEYS[5 + i])
end
local sessions = redis.call('ZRANGE', SESSIONS, 0, -1, 'WITHSCORES')
local session_snapshots = {}
for i = 1, #sessions, 2 do
  local name = sessions[i]
  session_snapshots[#session_snapshots + 1] = {
    name,
    redis.call('HGET', NODES, name) or '',
    tonumber(sessions[i + 1]) - meta.clock,
    groups_of[name] or {},
  }
end
local names = {}
for i = 1, groups do
  names[i] = ARGV[asked + 2 + i]
end
local settings = read_settings(names)
local group_snapshots = {}
for i = 1, groups do
  local group = read_group(KEYS[5 + asked + i], names[i], settings)
  if #group.entries > 0 then
    local shares = {}
    for j = 1, #group.entries do
      local e = group.entries[j]
      shares[j] = { e.session, e.granted, tonumber(e.used), e.wanted }
    end
    group_snapshots[#group_snapshots + 1] =
      { i, limit_of(group), group.version, group.paused and 1 or 0, shares }
  end
end
return {
  'snapshot', meta.incarnation, learning_left(meta), redis.call('HGET', CONFIG, 'version') or '0',
  session_snapshots, group_snapshots,
}
