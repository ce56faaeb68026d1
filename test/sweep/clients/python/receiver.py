"""Receives callbacks: verifies, stores, acknowledges, and only then processes them."""
import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The secret that the sandbox publishes: `field-sandbox listen --print-secret`.
SECRET = "whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ="


class Receiver:
    def __init__(self, handle):
        self.stored = {}  # In production: a table with webhook-id as its key.
        self.rejected = []
        self.changed = threading.Condition()
        self.handle = handle
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.receive(self.headers, body, self.respond)

            def respond(self, status):
                self.send_response(status)
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/callbacks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def receive(self, headers, body, respond):
        with self.changed:
            id = headers.get("webhook-id", "")
            if not is_signed(headers, body):
                self.rejected.append(f"callback {id} was rejected: its signature is not valid")
                respond(401)
            elif (message := parse(body)) is None:
                self.rejected.append(f"callback {id} was rejected: its body is not JSON")
                respond(400)
            else:
                is_new = id not in self.stored
                self.stored[id] = message
                respond(204)
                if is_new:
                    self.handle(message)
            self.changed.notify_all()

    def wait_until(self, is_done, seconds):
        """Waits until a callback makes `is_done` true, or was rejected."""
        with self.changed:
            self.changed.wait_for(lambda: is_done() or self.rejected, seconds)


def is_signed(headers, body):
    """Returns whether a signature matches the raw bytes of the body, and is recent."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET[len("whsec_"):])
    signed = f"{id}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode("latin-1").split()
    return any(hmac.compare_digest(signature, expected) for signature in signatures)


def parse(body):
    try:
        return json.loads(body)
    except ValueError:
        return None
