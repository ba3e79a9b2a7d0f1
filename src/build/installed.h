// SPDX-License-Identifier: Apache-2.0
//
// Where this build installs. Written when it is configured, into one source of its
// own, so that another prefix compiles one file again and not all.
#ifndef MICA_BUILD_INSTALLED_H
#define MICA_BUILD_INSTALLED_H

extern const char mica_installed_prefix[]; // "/usr/local"

// Below the prefix, or below wherever the installation was moved to: the folder of
// mica's own parts, and three of them.
extern const char mica_installed_folder[];
extern const char mica_installed_archive[];
extern const char mica_installed_headers[];
extern const char mica_installed_runtime[];

#endif
