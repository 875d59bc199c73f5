-- In tests: the time and the run id are keys, and no other key is used than those that a script declares.
local server = redis
local declared = {}
for i = 1, #KEYS do
  declared[KEYS[i]] = true
end
local redis = {
  call = function(command, key, ...)
    if command ~= 'PUBLISH' and not declared[key] then
      error('key ' .. tostring(key) .. ' is not declared')
    end
    return server.call(command, key, ...)
  end,
}
local function server_time()
  return tonumber(server.call('GET', 'test:time'))
end
local function server_run()
  return server.call('GET', 'test:run')
end
