// SPDX-License-Identifier: Apache-2.0
//
// The content security policy of a view, as MCP Apps 2026-01-26 sets it: what a browser
// lets the document of a view load and reach. The document comes from a server that the
// host does not trust, and so do the domains that it declares. Each is checked before it
// becomes a word of the policy, and one that fails refuses the view.
#ifndef MICA_VIEW_CSP_H
#define MICA_VIEW_CSP_H

#include <mica/base.h>
#include <mica/view.h>

enum {
    MICA_CSP_BYTES = 8 << 10 // of a policy: it is one header
};

struct mica_csp_domains {
    const struct mica_text *items;
    size_t count;
};

// What a resource declares as _meta.ui.csp.
struct mica_csp {
    bool declared; // false: it declares nothing, and may reach nothing
    struct mica_csp_domains connect, resource, frame, base_uri;
};

// What a host adds.
struct mica_csp_host {
    // Origins that no view may reach: those of the host, of its sandbox and of its server.
    // One on this machine stands for its port under every name of this machine.
    const struct mica_text *origins;
    size_t origin_count;
    bool development; // views may reach http:// and ws:// of this machine
    bool wasm;        // views may compile WebAssembly
};

// Reads {connectDomains, resourceDomains, frameDomains, baseUriDomains}; other members are
// ignored. Errors: those of mica_json_read, MICA_E_TYPE. Owner: the texts are in `json`
// and in `arena`.
enum mica_status mica_csp_read(struct mica_arena *arena, struct mica_text json,
                               struct mica_error *error,
                               struct mica_csp *csp_out) MICA_MUST_USE;

// Appends the policy. An error names the domain, its list and what is wrong: MICA_E_FORMAT
// (no origin, or of this machine without .development), MICA_E_FORBIDDEN (one of the
// host's), MICA_E_LIMIT (MICA_VIEW_DOMAINS, MICA_CSP_BYTES). Then nothing was appended.
enum mica_status mica_csp_write(const struct mica_csp *csp,
                                const struct mica_csp_host *host,
                                struct mica_buffer *buffer,
                                struct mica_error *error) MICA_MUST_USE;

// Appends the attribute `allow` of the frames of a view with these permissions (enum
// mica_view_permission, or-ed): "camera; clipboard-write".
void mica_csp_write_allow(struct mica_buffer *buffer, unsigned permissions);

#endif
