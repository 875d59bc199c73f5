-- Changes a live setting of a group, for all nodes.
-- keys: those of the shard, group:<group>; arguments: group, setting, value, version

local name, setting, value, version = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local meta = read_meta()
if incarnation_now(meta) == '' then
  return { 'rejoin', '' }
end
tick(meta, server_time())
write_clock(meta)
local last = redis.call('HGET', CONFIG, 'version') or '0'
if not larger(version, last) then
  return { 'configured', 0, last }
end
redis.call('HSET', CONFIG, 'version', version)
local field = (setting == 'LIMIT' and 'limit:' or 'paused:') .. name
if value == '-1' or (setting == 'PAUSED' and value == '0') then
  redis.call('HDEL', CONFIG, field)
else
  redis.call('HSET', CONFIG, field, value)
end
local group = read_group(KEYS[6], name, read_settings({ name }))
if #group.entries > 0 then
  plan(meta, group, '', true)
end
publish_news()
return { 'configured', 1, version }
