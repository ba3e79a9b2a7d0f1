#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edits of apps over HTTP, and what no edit sets; prints TAP.

    app_edits.py --mica build/mica
"""
import json
import sys

from app_api import Mica, main, need, refused, same


def revisions(options, folder):
    """An edit of an old revision is refused with the current one."""
    with Mica(options, folder) as mica:
        here = "/api/apps/" + mica.made()
        tag = mica.ask("GET", here).headers["ETag"]
        same(mica.ask("PATCH", here, {"description": "a"}, {"If-Match": tag}).status, 200,
             "the first")
        for method, path, body in (("PATCH", here, {"description": "b"}),
                                   ("POST", here + "/publish", {}),
                                   ("POST", here + "/owner", {"owner": "eve"}),
                                   ("DELETE", here, None)):
            late = mica.ask(method, path, body, {"If-Match": tag})
            same(refused(late, 412, "REVISION_CONFLICT")["details"], {"revision": 2},
                 method + path)
            same(late.headers["ETag"], '"2"', "the tag of the refusal")
        # Who says no revision is told the one of now, and what to send.
        reply = mica.ask("PATCH", here, {"description": "b"}, {"If-Match": None})
        error = refused(reply, 428, "REVISION_REQUIRED")
        now = mica.ask("GET", here).json["revision"]
        same((error["details"]["revision"], reply.headers["ETag"]), (now, '"%d"' % now), error)
        need('If-Match: "%d"' % now in error["message"] and "If-Match: *" in error["message"],
             error)
        same(mica.ask("PATCH", here, {"description": "a"}, {
            "If-Match": '"%d"' % now, "Content-Type": "application/merge-patch+json"}).status,
             200, "the media type of RFC 7396")
        same(mica.ask("PATCH", here, {"description": "b"}, {"If-Match": "*"}).status, 200,
             "any revision")
        for wrong in ("7", 'W/"3"', '"x"', '"1", "2"', '""', '"-1"'):
            refused(mica.ask("PATCH", here, {}, {"If-Match": wrong}), 422,
                    "INVALID_CONFIG", wrong)
        same(mica.ask("GET", here).json["description"], "b", "at the end")


def fixed(options, folder):
    """What no edit sets is refused unless it is as it was; a new app may choose its slug."""
    with Mica(options, folder) as mica:
        made = mica.ask("POST", "/api/apps", {"name": "Support", "mcpSlug": "help-desk"})
        same((made.status, made.json["mcpSlug"]), (201, "help-desk"), made.text)
        again = mica.ask("POST", "/api/apps", {"name": "Support", "mcpSlug": "help-desk"})
        same(again.json["mcpSlug"], "help-desk-2", "a slug that is taken")
        for wrong in ("Help", "-a", "a--b", "api", "a" * 65, "\u65e5"):
            refused(mica.ask("POST", "/api/apps", {"name": "x", "mcpSlug": wrong}), 422,
                    "INVALID_CONFIG", wrong)
        same(refused(mica.ask("POST", "/api/apps", {"name": "x", "status": "published"}), 422,
                     "INVALID_CONFIG")["details"]["path"], "/status", "a new app")
        here = "/api/apps/help-desk"
        for name, value in (("mcpSlug", "other"), ("status", "published"), ("owner", "eve"),
                            ("publishVersion", 3), ("publishedAt", "2026-01-01T00:00:00Z"),
                            ("id", "x"), ("mcpSlug", None)):
            error = refused(mica.ask("PATCH", here, {"description": "lost", name: value}), 422,
                            "INVALID_CONFIG", name)
            same(error["details"]["path"], "/" + name, error)
        # What was read can be sent back.
        read = mica.ask("GET", here).json
        need("description" not in read, "nothing was changed")
        edited = mica.ask("PATCH", here, {**read, "description": "d"})
        same((edited.status, edited.json["description"]), (200, "d"), edited.text)
        for name in ("edit_app", "create_app"):
            result = mica.tool(name, {"app": "help-desk", "changes": {"mcpSlug": "x"}}
                               if name == "edit_app" else {"name": "y", "mcpSlug": "x-y"})
            text = json.dumps(result)
            need(("/mcpSlug" in text) == (name == "edit_app"), text)


if __name__ == "__main__":
    sys.exit(main([revisions, fixed]))
