-- In tests: all keys with a prefix, each with its type and what it contains.
local contents = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local kind = redis.call('TYPE', key).ok
  local value
  if kind == 'hash' then
    value = redis.call('HGETALL', key)
  elseif kind == 'zset' then
    value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  else
    value = redis.call('SMEMBERS', key)
  end
  contents[#contents + 1] = { string.sub(key, #ARGV[1] + 1), value }
end
return contents
