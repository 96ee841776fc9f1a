-- wrk's script for several kinds of requests: wrk --latency -s mixed.lua URL -- (COUNT TARGET JSON)...
-- Each kind is sent COUNT times in a cycle, spread over it; by POST where JSON is not empty.
local requests, last = {}, 0
function init(arguments)
  local cycle = {}
  for i = 1, #arguments, 3 do
    local count, target, json = tonumber(arguments[i]), arguments[i + 1], arguments[i + 2]
    local headers = {}
    for name, value in pairs(wrk.headers) do headers[name] = value end
    if json ~= "" then headers["Content-Type"] = "application/json" end
    local request = wrk.format(json == "" and "GET" or "POST", target, headers, json ~= "" and json or nil)
    for n = 1, count do table.insert(cycle, { place = (n - 0.5) / count, request = request }) end
  end
  table.sort(cycle, function(a, b) return a.place < b.place end)
  for i, each in ipairs(cycle) do requests[i] = each.request end
end
function request()
  last = last % #requests + 1
  return requests[last]
end
