// SPDX-License-Identifier: Apache-2.0
//
// Threads that serve many clients at once: the threads of libmicrohttpd, the connection
// watcher, the bus, the reader of stdin. None of them may wait for a store, as all its
// clients would wait. A build with MICA_DEBUG stops if one does.
#ifndef MICA_STORE_SERVING_THREAD_H
#define MICA_STORE_SERVING_THREAD_H

#include <stdbool.h>

// Marks the calling thread as a serving thread, or unmarks it.
void mica_serving_thread_set(bool serves);

bool mica_serving_thread_is(void);

#endif
