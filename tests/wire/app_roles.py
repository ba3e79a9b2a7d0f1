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

# The same for a collection of Olga's, which Erin edits and Vic views; {app} is an app that
# both edit, and {other} one that is not in the collection yet.
COLLECTION_ROUTES = [("GET", "", None, "-yyy"),
                     ("PATCH", "", {"description": "x"}, "-ryy"),
                     ("POST", "/apps", {"app": "{other}"}, "-ryy"),
                     ("DELETE", "/apps/{app}", None, "-ryy"),
                     ("POST", "/owner", {"owner": "olga"}, "-rry"),
                     ("PUT", "/owner", {"owner": "olga"}, "-rry"),
                     ("DELETE", "", None, "-rry")]
COLLECTION_TOOLS = {
    "get_collection": ({}, "-yyy"),
    "edit_collection": ({"changes": {"description": "x"}}, "-ryy"),
    "add_app_to_collection": ({"app": "{other}"}, "-ryy"),
    "remove_app_from_collection": ({"app": "{app}"}, "-ryy"),
    "hand_over_collection": ({"owner": "olga"}, "-rry"),
    "delete_collection": ({}, "-rry")}
# Operations without one app or collection, and the case that has them.
APART = {("GET", "/api/apps"): "lives, people", ("POST", "/api/apps"): "lives",
         ("GET", "/api/apps/-/layouts"): "layouts", ("POST", "/api/apps/-/check"): "lives",
         ("GET", "/api/collections"): "app_collections.py",
         ("POST", "/api/collections"): "app_collections.py"}
REQUEST_C = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "http",
                         "app_request.c")
# By the kind of a row: where it is asked for, and the paths that are.
KINDS = {"NO_APP": ("/api/apps", None), "NAMELESS": ("/api/apps/-", None),
         "NO_COLLECTION": ("/api/collections", None), "AN_APP": ("", ROUTES),
         "A_COLLECTION": ("", COLLECTION_ROUTES)}


def not_asked():
    """The operations of the table of the API that no table above has."""
    text = pathlib.Path(REQUEST_C).read_text(encoding="utf-8")
    text = re.search(r"operations\[\] = \{\n(.*?)\n\};", text, re.S).group(1)
    rows = re.findall(r'\{(\w+),\s+("?\w+"?),\s+"(\w+)",\s+MICA_ACT_', text)
    assert rows and len(rows) == text.count("MICA_ACT_"), "a row that this does not read"
    missing = []
    for kind, segment, method in rows:
        where, routes = KINDS[kind]
        path = {"NULL": "", "one_member": "/apps/{app}"}.get(segment, "/" + segment.strip('"'))
        if routes is None:
            there = (method, where + path) in APART
        else:
            there = any(one[0] == method and re.sub(r"/\d+$", "", one[1]) == path
                        for one in routes)
        if not there:
            missing.append((kind, method, path))
    return missing


# As ROUTES, for the tools of the builder: the arguments beside `app`.
TOOLS = {"get_app": ({}, "-yyy"), "edit_app": ({"changes": {"description": "x"}}, "-ryy"),
         "check_app": ({}, "-ryy"), "preview_app": ({}, "-yyy"),
         "test_app": ({"message": "m"}, "-ryy"), "publish_app": ({}, "-ryy"),
         "unpublish_app": ({}, "-ryy"), "rollback_app": ({"version": 1}, "-ryy"),
         "list_app_versions": ({}, "-yyy"), "get_app_version": ({"version": 1}, "-yyy"),
         "compare_app_versions": ({}, "-yyy"), "hand_over_app": ({"owner": "olga"}, "-rry"),
         "delete_app": ({}, "-rry"), "export_app": ({}, "-yyy"),
         "get_app_usage": ({}, "-yyy")}
# Without one app or collection.
NO_ROLE = {"create_app", "import_app", "list_apps", "list_layouts", "create_collection",
           "list_collections"}
