-- Load by wrk. Its last line is the result as JSON. Arguments after `--`: before, after, expected and from of a plan
-- (plan.ts), then header fields as name, value, name, value, ...

local STEP, RANGE, LEAST = 173961102589771, 2 ^ 48, 100000000000000 -- as in plan.ts
local threads = {}

function setup(thread) table.insert(threads, thread) end

function init(args)
  before, after, expected, spread = args[1], args[2], args[3], tonumber(args[4])
  wrong = 0
  local lines = { "POST " .. wrk.path .. " HTTP/1.1", "Host: " .. wrk.headers["Host"] }
  for i = 5, #args, 2 do table.insert(lines, args[i] .. ": " .. args[i + 1]) end
  table.insert(lines, "Content-Length: " .. #before + 15 + #after)
  head = table.concat(lines, "\r\n") .. "\r\n\r\n" .. before
end

function request()
  spread = (spread + STEP) % RANGE
  return head .. string.format("%.0f", LEAST + spread) .. after
end

function response(status, headers, body)
  if status ~= 200 or body ~= expected then wrong = wrong + 1 end
end

function done(summary, latency)
  local mistakes = 0
  for _, thread in ipairs(threads) do mistakes = mistakes + thread:get("wrong") end
  local errors = summary.errors
  io.write(string.format(
    '\n{"answers":%d,"wrong":%d,"errors":%d,"seconds":%f,"p50":%f,"p99":%f}\n',
    summary.requests, mistakes, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
