// SPDX-License-Identifier: Apache-2.0
//
// How clients of the Model Context Protocol connect: one entry each, with what to
// type or to write.
#ifndef MICA_PAGE_CONNECT_PART_H
#define MICA_PAGE_CONNECT_PART_H

#include "page/site.h"

// Writes the entries for the server's own endpoint, as a part of its front page.
void mica_connect_write(const struct mica_site *site, struct mica_buffer *out);

// Writes the entries as a <template> for scripts. Name and address of an endpoint are
// left open: <span data-app-key> and <span data-app-url>, both empty.
void mica_connect_write_template(struct mica_buffer *out);

#endif
