# SPDX-License-Identifier: Apache-2.0
"""Access tokens for transcripts: JWTs signed with Ed25519, as an issuer would.

The key is the one that RFC 8037, appendix A, publishes for this; its public half
is in auth/keys.json. Signing is RFC 8032, section 5.1.6, written for clarity: it
is slow, and it must never hold a secret.
"""
import base64
import hashlib
import json

SEED = base64.urlsafe_b64decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=")
CLAIMS = {"iss": "https://login.example", "aud": "https://mcp.example/mcp",
          "exp": 4102444800}  # 2100
HEADER = {"alg": "EdDSA", "kid": "1"}

# ---- The curve: points as (x, y) -----------------------------------------------

P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE = (15112221349535400772501151409588531511454012693041857206046113283949847762202,
        4 * pow(5, -1, P) % P)


def add(a, b):
    product = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + product, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def times(number, point):
    total = (0, 1)
    while number:
        if number & 1:
            total = add(total, point)
        point = add(point, point)
        number >>= 1
    return total


def pack(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def digest(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def sign(seed, message):
    both = hashlib.sha512(seed).digest()
    secret = int.from_bytes(both[:32], "little") & (1 << 254) - 8 | 1 << 254
    nonce = digest(both[32:], message) % ORDER
    point = pack(times(nonce, BASE))
    challenge = digest(point, pack(times(secret, BASE)), message)
    return point + ((nonce + challenge * secret) % ORDER).to_bytes(32, "little")


# ---- Tokens --------------------------------------------------------------------


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(text):
    """The token with these claims beside CLAIMS. Two members are no claims:
    "header" changes the header, and "forged" signs with another issuer's key."""
    claims = json.loads(text)
    header = {**HEADER, **claims.pop("header", {})}
    seed = bytes(32) if claims.pop("forged", False) else SEED
    signed = b".".join(encode(json.dumps(part).encode())
                       for part in (header, {**CLAIMS, **claims}))
    return (signed + b"." + encode(sign(seed, signed))).decode()
