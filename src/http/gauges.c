// SPDX-License-Identifier: Apache-2.0
//
// The gauges and counters of the server: what is open and waits in this process now, and
// what was refused or dropped for a limit. Each reader reads a counter that exists
// anyway.
#include "fetch/fetch_service.h"
#include "http/http.h"
#include "http/http_sse/http_sse.h"
#include "http/sessions/session_table.h"
#include "keep/keep_service.h"
#include "model/model_service.h"
#include "publish/published_apps.h"
#include "serve/operator_rules.h"
#include "serve/stored_sessions.h"

// Defines read_<name>, which gives `expression` of the server `http`.
#define READER(name, expression)           \
    static int64_t read_##name(void *data) \
    {                                      \
        struct mica_http *http = data;     \
        return (int64_t)(expression);      \
    }

READER(active, atomic_load(&http->active))
READER(leaving, atomic_load(&http->leaving))
READER(exchanges, atomic_load(&http->counts.exchanges))
READER(tasks, mica_workers_busy(http->workers))
READER(body_bytes, atomic_load(&http->body_bytes))
READER(streams, atomic_load(&http->counts.streams))
READER(subscriptions, atomic_load(&http->counts.subscriptions))
READER(unsubscribed, atomic_load(&http->counts.unsubscribed))
READER(unread, atomic_load(&http->counts.unread))
READER(missed, atomic_load(&http->counts.missed))

READER(sessions_begun, mica_session_store_counts(http->session_store).begun)
READER(sessions_ended, mica_session_store_counts(http->session_store).ended)
READER(sessions_refused, mica_session_store_counts(http->session_store).refused)
READER(session_streams, mica_session_table_counts(http->sessions).streams)
READER(session_replayed, mica_session_table_counts(http->sessions).replayed)
READER(session_calls, mica_session_table_counts(http->sessions).calls)
READER(session_lost, mica_session_table_counts(http->sessions).lost)

static struct mica_call_store_counts
http_kept(struct mica_http *http)
{
    return mica_call_store_counts(mica_call_store_of(http->server));
}

static struct mica_turn_queue_counts
http_turned(struct mica_http *http)
{
    return mica_turn_queue_counts(http->turn_queue);
}

// All zero until the store is open.
static struct mica_store_statistics
http_statistics(struct mica_http *http)
{
    struct mica_store_statistics now = {.keys = 0};
    struct mica_store *store = mica_session_store_backing(http->session_store);

    if (store != NULL && mica_store_statistics(store, NULL, &now) != MICA_OK)
        now = (struct mica_store_statistics){.keys = 0}; // busy: next time
    return now;
}

READER(store_sessions, http_statistics(http).sessions)
READER(store_events, http_statistics(http).events)
READER(store_event_bytes, http_statistics(http).event_bytes)
READER(store_subscriptions, http_statistics(http).subscriptions)
READER(store_apps, http_statistics(http).apps)
READER(store_published_apps, http_statistics(http).published_apps)
READER(store_events_dropped, http_statistics(http).events_dropped)
READER(store_displaced, http_statistics(http).sessions_displaced)
READER(store_expired, http_statistics(http).sessions_expired)

READER(calls_open, http_statistics(http).open_calls)
READER(calls_expired, http_statistics(http).calls_expired)
READER(calls_begun, http_kept(http).begun)
READER(calls_refused, http_kept(http).refused)
READER(calls_busy, http_kept(http).busy)
READER(calls_crashed, http_kept(http).crashed)
READER(calls_stranded, http_kept(http).stranded)
READER(calls_freed, http_kept(http).freed)
READER(turns, http_turned(http).turns)
READER(turns_ended, http_turned(http).ended)
READER(answers, http_turned(http).answers)
READER(answers_lost, http_turned(http).lost)
READER(answers_large, http_turned(http).large)
READER(turns_refused, http_turned(http).refused)
READER(turn_bytes, http_turned(http).bytes)
READER(late, http_turned(http).timeouts)
READER(waiting, mica_session_table_counts(http->sessions).waiting +
                    mica_http_sse_counts(http->http_sse).waiting)
READER(asked, mica_session_table_counts(http->sessions).asked +
                  mica_http_sse_counts(http->http_sse).asked)

struct gauge {
    const char *name, *help;
    int64_t (*read)(void *data);
};

static const struct gauge always[] = {
    {"mica_http_requests_active",
     "HTTP requests that have begun and not ended.", read_active},
    {"mica_draining", "1 from the signal that ends this server.", read_leaving},
    {"mica_http_exchanges",
     "HTTP requests that hold memory of their own: all but idle streams.",
     read_exchanges},
    {"mica_tasks", "Calls that wait for a worker or run on one.", read_tasks},
    {"mica_body_bytes", "In large request bodies, of all requests together.",
     read_body_bytes},
    {"mica_streams", "Responses of events that are open.", read_streams},
    {"mica_streams_unread_total",
     "Streams that the server ended because no client read them.", read_unread},
    {"mica_notifications_missed_total",
     "Notifications left out, as they were read too slowly.", read_missed},
    {"mica_subscriptions", "Open subscriptions/listen.", read_subscriptions},
    {"mica_subscriptions_refused_total",
     "Subscriptions that were refused: there were too many.",
     read_unsubscribed},
};

static const struct gauge of_calls[] = {
    {"mica_calls_open", "Kept calls that have not ended, of all processes.",
     read_calls_open},
    {"mica_calls_begun_total", "Calls that were begun here and kept.",
     read_calls_begun},
    {"mica_calls_refused_total",
     "Calls that were not kept: too many, or too large.", read_calls_refused},
    {"mica_calls_busy_total",
     "Claims refused because another process runs the call.", read_calls_busy},
    {"mica_calls_crashed_total",
     "Calls that were not run again: the server had ended in the middle.",
     read_calls_crashed},
    {"mica_calls_stranded_total",
     "Calls that expired and ended because no server had their build.",
     read_calls_stranded},
    {"mica_calls_freed_total",
     "Calls that were taken over at once from a process that had died.",
     read_calls_freed},
    {"mica_calls_expired_total", "Calls that expired.", read_calls_expired},
    {"mica_call_turns", "Turns without a request that wait or run.",
     read_turns},
    {"mica_call_turns_total", "Turns without a request that have ended.",
     read_turns_ended},
    {"mica_call_answers_total", "Answers that a turn was run for.",
     read_answers},
    {"mica_call_answers_lost_total",
     "Answers that were given up: their call was busy for too long.",
     read_answers_lost},
    {"mica_call_answers_large_total",
     "Answers that were larger than a call can keep.", read_answers_large},
    {"mica_call_answer_bytes", "Bytes of answers that wait or run.",
     read_turn_bytes},
    {"mica_call_turns_refused_total",
     "Times that an answer, or a call that was due, found no room.",
     read_turns_refused},
    {"mica_call_timeouts_total", "Calls whose questions came to TIMEOUT.",
     read_late},
};

static struct mica_operator_counts
http_ruled(struct mica_http *http)
{
    return mica_operator_counts(mica_operator_rules_of(http->server));
}

READER(rate_buckets, http_ruled(http).buckets)
READER(rate_displaced, http_ruled(http).displaced)
READER(audit_lines, http_ruled(http).audit.lines)
READER(audit_lost, http_ruled(http).audit.lost)
READER(cache_hits, http_ruled(http).cache.hits)
READER(cache_misses, http_ruled(http).cache.misses)
READER(cache_slower, http_ruled(http).cache.slower)
READER(cache_displaced, http_ruled(http).cache.displaced)
READER(cache_different, http_ruled(http).cache.different)
READER(cache_entries, http_ruled(http).cache.entries)
READER(cache_bytes, http_ruled(http).cache.bytes)

static const struct gauge of_rules[] = {
    {"mica_rate_buckets", "Callers whose calls rules count.",
     read_rate_buckets},
    {"mica_rate_buckets_displaced_total",
     "Callers whose calls were forgotten for others'.", read_rate_displaced},
    {"mica_audit_lines_total", "Lines of the audit log.", read_audit_lines},
    {"mica_audit_lost_total", "Lines that the audit log had no room for.",
     read_audit_lost},
    {"mica_cache_hits_total", "Calls that found the result of an earlier call.",
     read_cache_hits},
    {"mica_cache_misses_total", "Results of engines that were not kept before.",
     read_cache_misses},
    {"mica_cache_slower_total",
     "Results that are not kept: the engine is as fast.", read_cache_slower},
    {"mica_cache_displaced_total", "Results that gave way to later ones.",
     read_cache_displaced},
    {"mica_cache_different_total",
     "Kept results that the engine did not confirm.", read_cache_different},
    {"mica_cache_entries", "Results that are kept.", read_cache_entries},
    {"mica_cache_bytes", "Their bytes, with arguments.", read_cache_bytes},
};

READER(fetch_requests, mica_fetch_counts(http->server).requests)
READER(fetch_refused, mica_fetch_counts(http->server).refused)
READER(fetch_failed, mica_fetch_counts(http->server).failed)

static const struct gauge of_fetches[] = {
    {"mica_fetch_requests_total",
     "Requests that tools sent: each attempt and each redirect.",
     read_fetch_requests},
    {"mica_fetch_refused_total",
     "Fetches that the project, an address or a secret did not allow.",
     read_fetch_refused},
    {"mica_fetch_failed_total",
     "Fetches that got no answer, or one past a limit.", read_fetch_failed},
};

READER(model_calls, mica_server_model_counts(http->server).calls)
READER(model_open, mica_server_model_counts(http->server).open)
READER(model_busy, mica_server_model_counts(http->server).refused)
READER(model_failed, mica_server_model_counts(http->server).failed)
READER(model_late, mica_server_model_counts(http->server).late)
READER(model_large, mica_server_model_counts(http->server).large)
READER(model_cancelled, mica_server_model_counts(http->server).cancelled)
READER(model_retries, mica_server_model_counts(http->server).retries)
READER(model_prompt, mica_server_model_counts(http->server).prompt_tokens)
READER(model_words, mica_server_model_counts(http->server).completion_tokens)

static const struct gauge of_models[] = {
    {"mica_model_calls_total", "Calls of language models that were begun.",
     read_model_calls},
    {"mica_model_calls", "Calls of language models that are open.",
     read_model_open},
    {"mica_model_busy_total", "Calls of models that were refused with BUSY.",
     read_model_busy},
    {"mica_model_llm_errors_total", "Calls of models that came to LLM_ERROR.",
     read_model_failed},
    {"mica_model_timeouts_total", "Calls of models that came to TIMEOUT.",
     read_model_late},
    {"mica_model_large_total",
     "Calls of models whose answer was larger than its limit.",
     read_model_large},
    {"mica_model_cancelled_total", "Calls of models that were cancelled.",
     read_model_cancelled},
    {"mica_model_retries_total", "Attempts at providers beside the first.",
     read_model_retries},
    {"mica_model_prompt_tokens_total",
     "Tokens of prompts, as providers count them.", read_model_prompt},
    {"mica_model_completion_tokens_total",
     "Tokens of answers, as providers count them.", read_model_words},
};

READER(keep_steps, mica_keep_counts(http->server).steps)
READER(keep_replayed, mica_keep_counts(http->server).replayed)
READER(keep_failed, mica_keep_counts(http->server).failed)
READER(keep_expired, mica_keep_counts(http->server).expired)

static const struct gauge of_keeps[] = {
    {"mica_keep_steps_total", "Steps of tools in their databases.",
     read_keep_steps},
    {"mica_keep_replayed_total",
     "Of these, steps that had been done and were answered by their mark.",
     read_keep_replayed},
    {"mica_keep_failed_total", "Of these, steps that failed.",
     read_keep_failed},
    {"mica_keep_expired_total",
     "Entries that were removed, as their time had passed.", read_keep_expired},
};

static const struct gauge of_sessions[] = {
    {"mica_session_calls_waiting",
     "Streams that are open for a call that waits for answers.", read_waiting},
    {"mica_session_questions_total", "Questions that sessions were asked.",
     read_asked},
    {"mica_sessions_begun_total", "Sessions that were begun here.",
     read_sessions_begun},
    {"mica_sessions_ended_total", "Sessions that were ended here by DELETE.",
     read_sessions_ended},
    {"mica_sessions_refused_total",
     "Sessions that were refused: there were too many.", read_sessions_refused},
    {"mica_session_streams", "Streams of their own that sessions have open.",
     read_session_streams},
    {"mica_session_streams_resumed",
     "Streams that clients have come back for and that are open.",
     read_session_replayed},
    {"mica_session_calls",
     "Calls of sessions that wait for a worker or run on one.",
     read_session_calls},
    {"mica_session_changes_lost_total",
     "Changes that a session could not be told of.", read_session_lost},
    {"mica_store_sessions", "Sessions in the store, of all processes.",
     read_store_sessions},
    {"mica_store_events", "Events kept for clients that come back.",
     read_store_events},
    {"mica_store_event_bytes", "Bytes of these events.",
     read_store_event_bytes},
    {"mica_store_subscriptions", "Resources that sessions subscribe to.",
     read_store_subscriptions},
    {"mica_store_apps", "Apps in the store, published ones included.",
     read_store_apps},
    {"mica_store_published_apps", "Apps that are published.",
     read_store_published_apps},
    {"mica_store_events_dropped_total",
     "Events dropped for a limit or their age.", read_store_events_dropped},
    {"mica_store_sessions_displaced_total",
     "Idle sessions that ended to make room for another of their client.",
     read_store_displaced},
    {"mica_store_sessions_expired_total", "Sessions that expired.",
     read_store_expired},
};

// ---- Logins ------------------------------------------------------------------------

READER(logins, mica_login_counts(http->auth).open)
READER(logins_pending, mica_login_counts(http->auth).pending)
READER(logins_finished, mica_login_counts(http->auth).finished)
READER(logins_failed, mica_login_counts(http->auth).failed)
READER(logins_refused, mica_login_counts(http->auth).refused)
READER(logins_refreshed, mica_login_counts(http->auth).refreshed)
READER(logins_ended, mica_login_counts(http->auth).ended)

READER(apps_loaded, mica_published_apps_counts(http->apps).loaded)
READER(apps_bytes, mica_published_apps_counts(http->apps).bytes)
READER(apps_absent, mica_published_apps_counts(http->apps).absent)
READER(apps_looked, mica_published_apps_counts(http->apps).looked)
READER(apps_loads, mica_published_apps_counts(http->apps).loads)
READER(apps_failed, mica_published_apps_counts(http->apps).failed)
READER(apps_dropped, mica_published_apps_counts(http->apps).dropped)
READER(apps_replaced, mica_published_apps_counts(http->apps).replaced)
READER(apps_ended, mica_published_apps_counts(http->apps).ended)

static const struct gauge of_apps[] = {
    {"mica_apps_loaded", "Published apps in memory.", read_apps_loaded},
    {"mica_apps_loaded_bytes", "Memory of these.", read_apps_bytes},
    {"mica_apps_absent", "Slugs that are known to have no published app.",
     read_apps_absent},
    {"mica_apps_looked_total", "Slugs that were looked for in the store.",
     read_apps_looked},
    {"mica_apps_loads_total", "Apps that came into memory.", read_apps_loads},
    {"mica_apps_load_failures_total",
     "Looks into the store for an app that failed.", read_apps_failed},
    {"mica_apps_dropped_total", "Apps dropped from memory for others.",
     read_apps_dropped},
    {"mica_apps_replaced_total", "Apps in memory that got a newer version.",
     read_apps_replaced},
    {"mica_apps_ended_total", "Apps that were found to be unpublished.",
     read_apps_ended}};

static const struct gauge of_logins[] = {
    {"mica_logins", "Browsers that are signed in.", read_logins},
    {"mica_logins_pending", "Browsers that are at the issuer to sign in.",
     read_logins_pending},
    {"mica_logins_finished_total", "Sign-ins that were completed.",
     read_logins_finished},
    {"mica_logins_failed_total",
     "Sign-ins that failed, or gave way to later ones.", read_logins_failed},
    {"mica_logins_refused_total",
     "Sign-ins that were refused: there were too many.", read_logins_refused},
    {"mica_logins_refreshed_total", "Tokens of logins that were renewed.",
     read_logins_refreshed},
    {"mica_logins_ended_total",
     "Logins that were signed out, or ended by the issuer or by a limit.",
     read_logins_ended},
};

static void
http_add(struct mica_http *http, const struct gauge *gauges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mica_metrics_gauge(http->metrics, gauges[i].name, gauges[i].help,
                           gauges[i].read, http);
}

void
mica_http_gauges(struct mica_http *http)
{
    http_add(http, always, MICA_COUNT(always));
    http_add(http, of_calls, MICA_COUNT(of_calls));
    http_add(http, of_fetches, MICA_COUNT(of_fetches));
    http_add(http, of_keeps, MICA_COUNT(of_keeps));
    http_add(http, of_apps, MICA_COUNT(of_apps));
    if (mica_server_models(http->server) != NULL)
        http_add(http, of_models, MICA_COUNT(of_models));
    if (http->login_thread != NULL)
        http_add(http, of_logins, MICA_COUNT(of_logins));
    if (http->server->rules != NULL)
        http_add(http, of_rules, MICA_COUNT(of_rules));
    if (http->server->sessions != NULL)
        http_add(http, of_sessions, MICA_COUNT(of_sessions));
}
