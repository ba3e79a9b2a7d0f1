// SPDX-License-Identifier: Apache-2.0
//
// A list under a lock, bounded in bytes.
#include "stdio/outbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/clock.h"

void
mica_outbox_open(struct mica_outbox *outbox, size_t max_bytes, int wake)
{
    pthread_condattr_t attributes;

    memset(outbox, 0, sizeof *outbox);
    pthread_mutex_init(&outbox->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&outbox->taken, &attributes);
    pthread_condattr_destroy(&attributes);
    outbox->tail = &outbox->head;
    outbox->max_bytes = max_bytes;
    outbox->wake = wake;
}

static void
free_all(struct mica_note *note)
{
    while (note != NULL) {
        struct mica_note *next = note->next;
        free(note);
        note = next;
    }
}

void
mica_outbox_close(struct mica_outbox *outbox)
{
    free_all(mica_outbox_take(outbox));
    pthread_cond_destroy(&outbox->taken);
    pthread_mutex_destroy(&outbox->lock);
}

// With the lock held. A single line always finds room.
static bool
has_room(const struct mica_outbox *outbox, size_t size)
{
    return outbox->bytes == 0 || outbox->bytes + size <= outbox->max_bytes;
}

static bool
wait_for_room(struct mica_outbox *outbox, size_t size, uint32_t *wait_ms)
{
    uint64_t began = mica_clock_coarse_ms(), waited;
    struct timespec deadline = mica_clock_after(*wait_ms);

    while (!has_room(outbox, size) && !outbox->closed && *wait_ms > 0 &&
           pthread_cond_timedwait(&outbox->taken, &outbox->lock, &deadline) ==
               0) {
    }
    waited = mica_clock_coarse_ms() - began;
    *wait_ms -= waited < *wait_ms ? (uint32_t)waited : *wait_ms;
    return has_room(outbox, size);
}

uint64_t
mica_outbox_put(struct mica_outbox *outbox, const void *owner,
                struct mica_text line, uint32_t *wait_ms)
{
    struct mica_note *note = malloc(sizeof *note + line.len);
    uint64_t number = 0, one = 1;

    if (note == NULL)
        return 0;
    *note = (struct mica_note){.owner = owner, .length = line.len};
    memcpy(note->text, line.ptr, line.len);
    pthread_mutex_lock(&outbox->lock);
    if (has_room(outbox, line.len) ||
        wait_for_room(outbox, line.len, wait_ms)) {
        bool first = outbox->head == NULL;
        *outbox->tail = note;
        outbox->tail = &note->next;
        outbox->bytes += line.len;
        number = ++outbox->put;
        if (first && write(outbox->wake, &one, sizeof one) < 0)
            number = 0; // an eventfd takes any number of these
    }
    pthread_mutex_unlock(&outbox->lock);
    if (number == 0)
        free(note);
    return number;
}

bool
mica_outbox_is_gone(struct mica_outbox *outbox, uint64_t number)
{
    bool gone;

    pthread_mutex_lock(&outbox->lock);
    gone = outbox->gone >= number;
    pthread_mutex_unlock(&outbox->lock);
    return gone;
}

void
mica_outbox_purge(struct mica_outbox *outbox, const void *owner)
{
    struct mica_note **at, *purged = NULL;

    pthread_mutex_lock(&outbox->lock);
    at = &outbox->head;
    while (*at != NULL) {
        struct mica_note *note = *at;
        if (note->owner != owner) {
            at = &note->next;
            continue;
        }
        *at = note->next;
        outbox->bytes -= note->length;
        note->next = purged;
        purged = note;
    }
    outbox->tail = at;
    pthread_cond_broadcast(&outbox->taken);
    pthread_mutex_unlock(&outbox->lock);
    free_all(purged);
}

struct mica_note *
mica_outbox_take(struct mica_outbox *outbox)
{
    struct mica_note *all;

    pthread_mutex_lock(&outbox->lock);
    all = outbox->head;
    outbox->head = NULL;
    outbox->tail = &outbox->head;
    outbox->bytes = 0;
    outbox->gone = outbox->put;
    pthread_cond_broadcast(&outbox->taken);
    pthread_mutex_unlock(&outbox->lock);
    return all;
}

void
mica_outbox_shut(struct mica_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->closed = true;
    pthread_cond_broadcast(&outbox->taken);
    pthread_mutex_unlock(&outbox->lock);
}
