// SPDX-License-Identifier: Apache-2.0
//
// The ring of exchanges for the Inspector. Every change of an exchange has a number, so
// a reader asks for what is newer than the last one that it saw.
#include "http/inspection.h"

#include <stdlib.h>

#include "http/inspected.h"

// ---- With the lock held ----------------------------------------------------------

static struct mica_inspected *
exchange_find(struct mica_inspection *inspection, uint64_t number)
{
    struct mica_inspected *exchange =
        &inspection->ring[number % MICA_INSPECTION_COUNT];

    return number != 0 && exchange->number == number ? exchange : NULL;
}

static void
forget_oldest(struct mica_inspection *inspection)
{
    struct mica_inspected *oldest =
        exchange_find(inspection, inspection->oldest++);

    if (oldest == NULL)
        return;
    inspection->bytes -= mica_inspected_bytes(oldest);
    mica_inspected_free(oldest);
}

// Text that has grown is counted, and the oldest exchanges make room for it (but never
// the one that grows).
static void
exchange_changed(struct mica_inspection *inspection,
                 struct mica_inspected *exchange, size_t before)
{
    exchange->change = ++inspection->changes;
    inspection->bytes += mica_inspected_bytes(exchange) - before;
    while (inspection->bytes > MICA_INSPECTION_ALL_BYTES &&
           inspection->oldest != exchange->number)
        forget_oldest(inspection);
}

// ---- What happens to it ------------------------------------------------------------

struct mica_inspection *
mica_inspection_open(void)
{
    struct mica_inspection *inspection = calloc(1, sizeof *inspection);

    if (inspection == NULL)
        return NULL;
    inspection->oldest = 1;
    (void)pthread_mutex_init(&inspection->lock, NULL);
    return inspection;
}

void
mica_inspection_close(struct mica_inspection **inspection)
{
    if (*inspection == NULL)
        return;
    for (size_t i = 0; i < MICA_INSPECTION_COUNT; i++)
        mica_inspected_free(&(*inspection)->ring[i]);
    (void)pthread_mutex_destroy(&(*inspection)->lock);
    free(*inspection);
    *inspection = NULL;
}

uint64_t
mica_inspection_begin(struct mica_inspection *inspection,
                      const struct mica_inspected_request *request)
{
    struct mica_inspected *exchange;
    uint64_t number;

    (void)pthread_mutex_lock(&inspection->lock);
    number = ++inspection->numbers;
    if (number - inspection->oldest >= MICA_INSPECTION_COUNT)
        forget_oldest(inspection);
    exchange = &inspection->ring[number % MICA_INSPECTION_COUNT];
    mica_inspected_init(exchange);
    exchange->number = number;
    mica_inspected_keep_request(exchange, request);
    exchange_changed(inspection, exchange, 0);
    (void)pthread_mutex_unlock(&inspection->lock);
    return number;
}

// Finds an exchange to change; returns with the lock held unless it is NULL.
static struct mica_inspected *
exchange_open(struct mica_inspection *inspection, uint64_t number,
              size_t *before_out)
{
    struct mica_inspected *exchange;

    (void)pthread_mutex_lock(&inspection->lock);
    exchange = exchange_find(inspection, number);
    if (exchange != NULL)
        *before_out = mica_inspected_bytes(exchange);
    else
        (void)pthread_mutex_unlock(&inspection->lock);
    return exchange;
}

static void
exchange_done(struct mica_inspection *inspection,
              struct mica_inspected *exchange, size_t before)
{
    exchange_changed(inspection, exchange, before);
    (void)pthread_mutex_unlock(&inspection->lock);
}

void
mica_inspection_name(struct mica_inspection *inspection, uint64_t number,
                     const struct mica_inspected_message *message)
{
    size_t before;
    struct mica_inspected *exchange =
        exchange_open(inspection, number, &before);

    if (exchange == NULL)
        return;
    mica_inspected_keep(&exchange->version, message->version);
    mica_inspected_keep(&exchange->method, message->method);
    mica_inspected_keep(&exchange->name, message->name);
    mica_inspected_keep(&exchange->code, message->code);
    exchange_done(inspection, exchange, before);
}

void
mica_inspection_session(struct mica_inspection *inspection, uint64_t number,
                        struct mica_text id)
{
    size_t before;
    struct mica_inspected *exchange =
        exchange_open(inspection, number, &before);

    if (exchange == NULL)
        return;
    mica_inspected_keep_session(exchange, id);
    exchange_done(inspection, exchange, before);
}

void
mica_inspection_reply(struct mica_inspection *inspection, uint64_t number,
                      const struct mica_inspected_reply *reply)
{
    size_t before;
    struct mica_inspected *exchange =
        exchange_open(inspection, number, &before);

    if (exchange == NULL)
        return;
    exchange->status = reply->status;
    mica_inspected_keep(&exchange->type, reply->type);
    mica_inspected_add(&exchange->reply, reply->body);
    if (reply->bytes > reply->body.len)
        exchange->reply.bytes += reply->bytes - reply->body.len;
    exchange_done(inspection, exchange, before);
}

void
mica_inspection_add(struct mica_inspection *inspection, uint64_t number,
                    struct mica_text bytes)
{
    size_t before;
    struct mica_inspected *exchange =
        exchange_open(inspection, number, &before);

    if (exchange == NULL)
        return;
    mica_inspected_add(&exchange->reply, bytes);
    exchange_done(inspection, exchange, before);
}

void
mica_inspection_end(struct mica_inspection *inspection, uint64_t number,
                    const char *outcome, uint64_t duration_ns)
{
    size_t before;
    struct mica_inspected *exchange =
        exchange_open(inspection, number, &before);

    if (exchange == NULL)
        return;
    exchange->outcome = outcome != NULL ? outcome : "closed";
    exchange->duration_ns = duration_ns;
    exchange_done(inspection, exchange, before);
}

// ---- As JSON -----------------------------------------------------------------------

uint64_t
mica_inspection_list(struct mica_inspection *inspection, uint64_t after,
                     struct mica_buffer *out)
{
    struct mica_json_writer writer;
    uint64_t change;

    mica_json_writer_init(&writer, out);
    (void)pthread_mutex_lock(&inspection->lock);
    change = inspection->changes;
    mica_json_open_object(&writer);
    mica_json_name(&writer, "change");
    mica_json_integer(&writer, (int64_t)change);
    mica_json_name(&writer, "forgotten");
    mica_json_integer(&writer, (int64_t)inspection->oldest - 1);
    mica_json_name(&writer, "exchanges");
    mica_json_open_array(&writer);
    for (uint64_t i = inspection->oldest; i <= inspection->numbers; i++) {
        const struct mica_inspected *exchange = exchange_find(inspection, i);
        if (exchange == NULL || exchange->change <= after)
            continue;
        mica_json_open_object(&writer);
        mica_inspected_write_head(&writer, exchange);
        mica_json_close_object(&writer);
    }
    (void)pthread_mutex_unlock(&inspection->lock);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    return change;
}

bool
mica_inspection_write(struct mica_inspection *inspection, uint64_t number,
                      struct mica_buffer *out)
{
    struct mica_json_writer writer;
    size_t ignored;
    const struct mica_inspected *exchange =
        exchange_open(inspection, number, &ignored);

    if (exchange == NULL)
        return false;
    mica_json_writer_init(&writer, out);
    mica_json_open_object(&writer);
    mica_inspected_write(&writer, exchange);
    mica_json_close_object(&writer);
    (void)pthread_mutex_unlock(&inspection->lock);
    return true;
}
