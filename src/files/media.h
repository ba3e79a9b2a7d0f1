// SPDX-License-Identifier: Apache-2.0
//
// Media types by the end of a file's name.
#ifndef MICA_FILES_MEDIA_H
#define MICA_FILES_MEDIA_H

// The type, or NULL for an end that is not known: then only the contents tell
// whether it is text.
const char *mica_media_type(const char *path);

#endif
