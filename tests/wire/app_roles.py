# SPDX-License-Identifier: Apache-2.0
"""Who may do what with an app: each operation of /api/apps and each tool of the builder, by
the role of the caller (app_api.py)."""
import os
import pathlib
import re

# By stranger, viewer, editor, owner: "-" there is no such app, "r" another role, "y" yes.
ROUTES = [("GET", "", None, "-yyy"),
          ("PATCH", "", {"description": "x"}, "-ryy"),
          ("GET", "/check", None, "-ryy"),
          ("POST", "/check", {}, "-ryy"),
          ("GET", "/preview", None, "-yyy"),
          ("POST", "/preview", {}, "-yyy"),
          ("POST", "/test", {"message": "m"}, "-ryy"),
          ("POST", "/publish", {}, "-ryy"),
          ("POST", "/rollback", {"version": 1}, "-ryy"),
          ("GET", "/versions", None, "-yyy"),
          ("GET", "/versions/1", None, "-yyy"),
          ("GET", "/difference", None, "-yyy"),
          ("GET", "/export", None, "-yyy"),
          ("GET", "/usage", None, "-yyy"),
          ("POST", "/unpublish", {}, "-ryy"),
          ("POST", "/owner", {"owner": "olga"}, "-rry"),
          ("PUT", "/owner", {"owner": "olga"}, "-rry"),
          ("DELETE", "", None, "-rry")]
WRITES = {"PATCH", "DELETE", "PUT"}

# The same for /api/collections/{collection}, with the app "inside" in it and "outside" not.
COLLECTION_ROUTES = [("GET", "", None, "-yyy"),
                     ("PATCH", "", {"description": "x"}, "-ryy"),
                     ("POST", "/apps", {"app": "outside"}, "-ryy"),
                     ("DELETE", "/apps/inside", None, "-ryy"),
                     ("POST", "/owner", {"owner": "olga"}, "-rry"),
                     ("PUT", "/owner", {"owner": "olga"}, "-rry"),
                     ("DELETE", "", None, "-rry")]

# Operations without one app, and the case that has them.
APART = {("GET", "/api/apps"): "lives, people", ("POST", "/api/apps"): "lives",
         ("GET", "/api/collections"): "api of app_collections.py",
         ("POST", "/api/collections"): "api of app_collections.py",
         ("GET", "/api/apps/-/layouts"): "layouts", ("POST", "/api/apps/-/check"): "lives",
         ("POST", "/api/apps/-/draft"): "drafted and limits of app_drafts.py"}
REQUEST_C = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "http", "app_request.c")


def operations():
    """The table of the API: (kind, segment, method)."""
    text = pathlib.Path(REQUEST_C).read_text(encoding="utf-8")
    text = re.search(r"operations\[\] = \{\n(.*?)\n\};", text, re.S).group(1)
    rows = re.findall(r'\{(\w+),\s+(?:NULL|one_member|"(\w+)"),\s+"(\w+)",\s+MICA_ACT_', text)
    assert len(rows) == text.count("MICA_ACT_"), "a row that this does not read"
    # Those of collections are asked for by app_collections.py.
    return [row for row in rows if not row[0].endswith("COLLECTION")]


# As ROUTES, for the tools of the builder: the arguments beside `app`.
TOOLS = {"get_app": ({}, "-yyy"), "edit_app": ({"changes": {"description": "x"}}, "-ryy"),
         "check_app": ({}, "-ryy"), "preview_app": ({}, "-yyy"),
         "test_app": ({"message": "m"}, "-ryy"), "publish_app": ({}, "-ryy"),
         "unpublish_app": ({}, "-ryy"), "rollback_app": ({"version": 1}, "-ryy"),
         "list_app_versions": ({}, "-yyy"), "get_app_version": ({"version": 1}, "-yyy"),
         "compare_app_versions": ({}, "-yyy"), "hand_over_app": ({"owner": "olga"}, "-rry"),
         "delete_app": ({}, "-rry"), "export_app": ({}, "-yyy"),
         "get_app_usage": ({}, "-yyy")}
NO_ROLE = {"create_app", "draft_app", "import_app", "list_apps", "list_layouts", "create_collection",
           "list_collections"}  # without one app
# And for those of collections: the arguments beside `collection` (app_collections.py).
COLLECTION_TOOLS = {"get_collection": ({}, "-yyy"),
                    "edit_collection": ({"changes": {"description": "x"}}, "-ryy"),
                    "add_app_to_collection": ({"app": "outside"}, "-ryy"),
                    "remove_app_from_collection": ({"app": "inside"}, "-ryy"),
                    "hand_over_collection": ({"owner": "olga"}, "-rry"),
                    "delete_collection": ({}, "-rry")}
