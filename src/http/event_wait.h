// SPDX-License-Identifier: Apache-2.0
//
// libmicrohttpd 0.9.75 takes at most 128 events from one epoll_wait. If it gets as many, it
// asks for the rest before it handles any, and may wait: with exactly 128 there is no rest,
// so all those connections stood still until another client sent something, or for as long
// as an idle connection may last. Here the second epoll_wait returns at once.
#ifndef MICA_HTTP_EVENT_WAIT_H
#define MICA_HTTP_EVENT_WAIT_H

// Call this before the first daemon starts; again does nothing more. No effect if
// libmicrohttpd is linked statically.
void mica_event_wait_install(void);

#endif
