-- Load by wrk. Its last line is the result as JSON. Arguments after `--`: the request, and then status, expected, from,
-- fromPair, items and tokens of a plan (plan.ts).

local STEP, RANGE, LEAST = 173961102589771, 2 ^ 48, 100000000000000 -- as in plan.ts
local threads = {}

function setup(thread) table.insert(threads, thread) end

function init(args)
  template, status, expected = args[1], tonumber(args[2]), args[3]
  spread, pair, items = tonumber(args[4]), tonumber(args[5]), tonumber(args[6])
  tokens = { unpack(args, 7) }
  wrong = 0
end

function request()
  spread = (spread + STEP) % RANGE
  local values = { n = string.format("%.0f", LEAST + spread), item = pair % items }
  values.token = tokens[math.floor(pair / items) % math.max(#tokens, 1) + 1]
  pair = pair + 1
  return (string.gsub(template, "{(%l+)}", values))
end

function response(answered, headers, body)
  if answered ~= status or not string.find(body, expected, 1, true) then wrong = wrong + 1 end
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
