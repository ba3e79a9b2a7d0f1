-- SPDX-License-Identifier: Apache-2.0
--
-- For wrk: post.lua, with each request at another of BENCH_COUNT endpoints, by chance.
-- All requests are made before the first is sent, so that the load costs the same as
-- that of one address.
dofile(os.getenv("BENCH_POST"))

local count = tonumber(os.getenv("BENCH_COUNT"))
local made, last = {}, 0

function init(_)
    math.randomseed(1)
    for i = 1, 4096 do
        local path = count == 0 and "/mcp" or
            string.format("/servers/%d/mcp", math.random(0, count - 1))
        made[i] = wrk.format(nil, path)
    end
end

function request()
    last = last % #made + 1
    return made[last]
end
