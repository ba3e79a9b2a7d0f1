// SPDX-License-Identifier: Apache-2.0
//
// A separate listener for GET /metrics, on the loopback only: the metrics show how a
// server is used, which only its operator should know.
#ifndef MICA_HTTP_SCRAPE_H
#define MICA_HTTP_SCRAPE_H

#include "serve/metrics.h"

struct mica_scrape;

// Serves `metrics` at `listen` ("127.0.0.1:9464"); *port_out is the port. Errors:
// MICA_E_USAGE (not a loopback address), MICA_E_IO (in use).
enum mica_status mica_scrape_open(struct mica_metrics *metrics,
                                  const char *listen, struct mica_error *error,
                                  struct mica_scrape **scrape_out,
                                  unsigned *port_out) MICA_MUST_USE;

// NULL is allowed.
void mica_scrape_close(struct mica_scrape **scrape);

#endif
