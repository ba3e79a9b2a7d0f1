-- SPDX-License-Identifier: Apache-2.0
--
-- For wrk: one call of the percentage calculator over REST, by the method and with
-- the body or the tag that the environment has, and counts replies of another status
-- than 200, or 304 where a tag is sent. (wrk takes 4xx and 5xx for failures itself.)
wrk.method = os.getenv("BENCH_METHOD")
if wrk.method == "POST" then
    wrk.body = os.getenv("BENCH_BODY")
    wrk.headers["Content-Type"] = "application/json"
end
if os.getenv("BENCH_TAG") then
    wrk.headers["If-None-Match"] = os.getenv("BENCH_TAG")
end

function done(summary, latency, _)
    local errors = summary.errors
    -- requests, microseconds, failures, p50, p99
    io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests,
        summary.duration,
        errors.connect + errors.read + errors.write + errors.status +
        errors.timeout, latency:percentile(50), latency:percentile(99)))
end
