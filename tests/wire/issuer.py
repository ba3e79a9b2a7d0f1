#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in authorization server: authorization code with PKCE, refresh tokens,
revocation and the end of a session, with metadata (RFC 8414) and `iss` (RFC 9207).
It signs with the key of tokens.py, so its tokens are real and mean nothing.

As a program it shows a person a page with a button, and prints its port:

    issuer.py --client mica --secret s3cret

In a test its fields say what it does wrong.
"""
import argparse
import base64
import hashlib
import html
import http.server
import json
import secrets
import threading
import time
import urllib.parse

import tokens

KEY = {"kty": "OKP", "crv": "Ed25519", "kid": "1", "use": "sig",
       "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}


def plain(bytes_):
    return base64.urlsafe_b64encode(bytes_).rstrip(b"=").decode()


class Issuer:
    def __init__(self, client="mica", secret="s3cret", auto=True, port=0):
        self.client, self.secret, self.auto = client, secret, auto
        self.lifetime, self.refreshes, self.names_itself = 3600, True, True
        self.says_issuer = self.signs_issuer = self.audience = None
        self.methods, self.slow_s, self.refuses = ["S256"], 0, None
        self.person = "ada"
        self.codes, self.refresh, self.revoked, self.ended = {}, {}, [], []
        self.asked = []  # grant types
        handler = type("Handler", (Handler,), {"issuer": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()

    def metadata(self):
        return {"issuer": self.url, "authorization_endpoint": self.url + "/authorize",
                "token_endpoint": self.url + "/token", "jwks_uri": self.url + "/jwks",
                "end_session_endpoint": self.url + "/end",
                "revocation_endpoint": self.url + "/revoke",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": self.methods,
                "authorization_response_iss_parameter_supported": self.names_itself}

    def redirect(self, asked, **reply):
        """Where the browser goes back to."""
        if self.names_itself:
            reply["iss"] = self.says_issuer or self.url
        return asked["redirect_uri"] + "?" + urllib.parse.urlencode(
            {**reply, "state": asked["state"]})

    def authorize(self, asked, person):
        code = secrets.token_urlsafe(16)
        self.codes[code] = (asked, person)
        return self.redirect(asked, code=code)

    def token(self, form):
        self.asked.append(form.get("grant_type"))
        if form.get("grant_type") == "authorization_code":
            asked, person = self.codes.pop(form.get("code"), (None, None))
            if asked is None or asked["redirect_uri"] != form.get("redirect_uri"):
                return 400, {"error": "invalid_grant"}
            proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
            if plain(proof) != asked["code_challenge"]:
                return 400, {"error": "invalid_grant"}
            return 200, self.grant(person, asked["resource"], asked.get("scope", ""),
                                   asked.get("nonce"))
        if form.get("grant_type") == "refresh_token" and not self.refuses:
            found = self.refresh.pop(form.get("refresh_token"), None)
            if found:
                return 200, self.grant(*found)
        return 400, {"error": self.refuses or "invalid_grant"}

    def grant(self, person, resource, scope, nonce=None):
        now = int(time.time())
        shared = {"iss": self.signs_issuer or self.url, "sub": person, "iat": now,
                  "exp": now + self.lifetime}
        answer = {"token_type": "Bearer", "expires_in": self.lifetime,
                  "access_token": tokens.token(json.dumps(
                      {**shared, "aud": self.audience or resource, "scope": scope}))}
        if "openid" in scope.split():
            answer["id_token"] = tokens.token(json.dumps(
                {**shared, "aud": self.client, "nonce": nonce,
                 "name": person.capitalize() + " <of> Example"}))
        if self.refreshes:
            answer["refresh_token"] = secrets.token_urlsafe(16)
            self.refresh[answer["refresh_token"]] = (person, resource, scope)
        return answer


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, status, value):
        self.reply(status, json.dumps(value).encode(), Content_Type="application/json")

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if path == "/.well-known/oauth-authorization-server":
            self.json(200, self.issuer.metadata())
        elif path == "/jwks":
            self.json(200, {"keys": [KEY]})
        elif path == "/authorize":
            self.authorize(asked, query)
        elif path == "/end":
            self.issuer.ended.append(asked)
            self.reply(303, Location=asked["post_logout_redirect_uri"])
        else:
            self.reply(404)

    def authorize(self, asked, query):
        need = {"client_id": self.issuer.client, "response_type": "code",
                "code_challenge_method": "S256"}
        if any(asked.get(name) != value for name, value in need.items()) or not all(
                asked.get(name) for name in ("state", "code_challenge", "redirect_uri",
                                             "resource")):
            self.reply(400)
        elif self.issuer.auto:
            self.reply(303, Location=self.issuer.authorize(asked, self.issuer.person))
        else:
            self.reply(200, ("<!doctype html><title>Who are you?</title>"
                             "<link rel=icon href='data:,'><form method=post "
                             "action='/authorize?%s'><button>Continue as ada</button>"
                             "</form>" % html.escape(query)).encode(),
                       Content_Type="text/html; charset=utf-8")

    def do_POST(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(query))
            self.reply(303, Location=self.issuer.authorize(asked, self.issuer.person))
            return
        if self.issuer.slow_s:
            time.sleep(self.issuer.slow_s)
        basic = "Basic " + base64.b64encode(("%s:%s" % (
            self.issuer.client, self.issuer.secret)).encode()).decode()
        if self.headers.get("Authorization") != basic:
            self.json(401, {"error": "invalid_client"})
        elif path == "/token":
            self.json(*self.issuer.token(form))
        elif path == "/revoke":
            self.issuer.revoked.append(form["token"])
            self.reply(200)
        else:
            self.reply(404)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--client", default="mica")
    words.add_argument("--secret", default="s3cret")
    given = words.parse_args()
    issuer = Issuer(given.client, given.secret, auto=False)
    print("port %s" % issuer.url.rsplit(":", 1)[1], flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
