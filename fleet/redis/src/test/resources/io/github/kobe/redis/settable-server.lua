-- In tests, instead of server.lua: the time and the run id are keys.
local function server_time()
  return tonumber(server.call('GET', 'test:time'))
end
local function server_run()
  return server.call('GET', 'test:run')
end
