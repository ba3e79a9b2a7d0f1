// SPDX-License-Identifier: Apache-2.0
//
// Reads the start tags of an HTML document, as far as a build and a check need them: which
// scripts and styles it has, and where they come from. It never fails: all but tags is
// text.
#ifndef MICA_VIEW_VIEW_DOCUMENT_H
#define MICA_VIEW_VIEW_DOCUMENT_H

#include <mica/view.h>

// All texts are in the document.
struct mica_view_tag {
    struct mica_text name;       // as written
    struct mica_text attributes; // between the name and '>'
    struct mica_text content;    // of script and style: up to the end tag
    size_t begin, end; // from '<' to behind '>', or behind the end tag
};

// Finds the first start tag from *at on, outside of comments, and moves *at behind it.
// Returns false at the end of the document.
bool mica_view_tag_next(struct mica_text document, size_t *at,
                        struct mica_view_tag *tag_out);

// Is that the name of the tag? `lowercasez` is in lower case.
bool mica_view_tag_is(const struct mica_view_tag *tag, const char *lowercasez);

// Finds an attribute by its name in lower case. A value without quotes ends at a space.
// Returns false if the tag has no such attribute; one without a value has an empty one.
bool mica_view_tag_attribute(const struct mica_view_tag *tag,
                             const char *lowercasez,
                             struct mica_text *value_out);

// The address of a script or style sheet that the document loads although its view does not
// allow that: one of another origin than .resource_domains, or a relative one, which a view has
// no server for. Reads tags, import() and the like of scripts, import maps, and @import of
// styles; an address that a script puts together is not found. A worker must come from the
// document, whatever is declared. Empty: all is declared. Owner: it is in `document`.
struct mica_text mica_view_undeclared(const struct mica_view *view,
                                      struct mica_text document);

#endif
