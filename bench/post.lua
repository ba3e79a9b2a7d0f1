-- SPDX-License-Identifier: Apache-2.0
--
-- For wrk: posts one tools/call of the percentage calculator, as a client of the
-- stateless revision does, and counts replies other than 200.
local file = assert(io.open(os.getenv("BENCH_REQUEST")))
local body = file:read("l")
file:close()

wrk.method = "POST"
wrk.body = body
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
wrk.headers["Mcp-Method"] = "tools/call"
wrk.headers["Mcp-Name"] = "percentage-calculator"

function done(summary, latency, _)
    local errors = summary.errors
    -- requests, microseconds, failures, p50, p99
    io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests,
        summary.duration,
        errors.connect + errors.read + errors.write + errors.status +
        errors.timeout, latency:percentile(50), latency:percentile(99)))
end
