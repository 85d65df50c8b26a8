-- Load by wrk, from a file: each line is a request, as method, path and body. Its last line is the result as JSON.
-- Arguments after `--`: the file, the field Authorization, the expected status.

local threads = {}

function setup(thread) table.insert(threads, thread) end

function init(args)
  requests, nth, wrong, expected = {}, 0, 0, tonumber(args[3])
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    local headers = { Authorization = args[2] }
    if body ~= "" then headers["Content-Type"] = "application/json" end
    table.insert(requests, wrk.format(method, path, headers, body ~= "" and body or nil))
  end
end

function request()
  nth = nth % #requests + 1
  return requests[nth]
end

function response(status)
  if status ~= expected then wrong = wrong + 1 end
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
