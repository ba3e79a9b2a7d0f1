// SPDX-License-Identifier: Apache-2.0
//
// How clients of the Model Context Protocol connect: one entry each, with what to
// type or to write.
#ifndef MICA_PAGE_CONNECT_PART_H
#define MICA_PAGE_CONNECT_PART_H

#include "page/site.h"

void mica_connect_write(const struct mica_site *site, struct mica_buffer *out);

#endif
