"""An integration with the API in Python, with the standard library alone."""
import json
import re
import time
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

TIMEOUT = 0.5  # Seconds for a whole attempt, doubled with each one.
MAX_ATTEMPTS = 3
MAX_WAIT = 2  # Seconds. A server that asks for a longer wait is reported instead.
EXISTS = re.compile(r"exists already|^its route .* failed$")


class ApiError(Exception):
    pass


class Client:
    def __init__(self, url, api_key, project, weakness=None):
        self.address = urlsplit(url)
        self.headers = {"apikey": api_key, "content-type": "application/json"}
        self.project = project
        self.weakness = weakness
        self.failures = {}  # Reason by operation and id: a failure that is reported twice counts once.
        self.uncertain = set()  # Ids that an attempt without an answer may have created.

    def call(self, operation, method, path, body):
        """Sends a request with retries, and keeps the failed entries of its result."""
        is_uncertain = False
        for attempt in range(1, MAX_ATTEMPTS + 1):
            if attempt > 1 and self.weakness == "retries-with-new-ids":
                body = json.loads(re.sub(r'"id": "(?!FAIL)([^"]+)"', r'"id": "\1-AGAIN"', json.dumps(body)))
            status, result, retry_after = self.try_once(method, path, body, TIMEOUT * 2 ** (attempt - 1))
            if status is not None and (status < 300 or self.weakness == "ignores-status"):
                for entry in result.get("failed", []):
                    self.add_failure(operation, entry)
                return
            if status == 409 and is_uncertain:
                return  # An earlier attempt created it.
            if status is None or status >= 500:
                is_uncertain = True
                self.uncertain.update(ids_in(body))
            wait = max(retry_after, 0.05 * attempt)
            is_retried = status is None or status >= 500 or status in (408, 425, 429)
            if not is_retried or attempt == MAX_ATTEMPTS or wait > MAX_WAIT:
                raise ApiError(f"{operation} answered {status or 'nothing'}: {result} (attempt {attempt})")
            time.sleep(wait)

    def try_once(self, method, path, body, timeout):
        """Returns status, result and seconds to wait; the status is None if there is no complete answer."""
        deadline = None if self.weakness == "no-timeout" else time.monotonic() + timeout
        connection = HTTPConnection(self.address.hostname, self.address.port, timeout=deadline and timeout)
        try:
            target = path.replace("{projectId}", self.project)
            connection.request(method, target, json.dumps(body).encode(), {**self.headers, "connection": "close"})
            response = connection.getresponse()
            text = read(response, deadline)
            if response.status >= 300 and self.weakness != "ignores-status":
                return response.status, text, to_seconds(response.getheader("retry-after"))
            return response.status, json.loads(text), 0
        except (OSError, HTTPException, ValueError) as error:
            return None, repr(error), 0
        finally:
            connection.close()

    def add_failure(self, operation, entry):
        if not (EXISTS.search(entry["reason"]) and entry["id"] in self.uncertain):
            self.failures[f"{operation} {entry['id']}"] = entry["reason"]

    def handle(self, message):
        """Processes a callback."""
        for entry in message["data"]["failed"]:
            self.add_failure(message["data"]["operation"], entry)

    def register_user(self, user):
        self.call("registerUser", "POST", "/projects/{projectId}/users", user)

    def import_jobs(self, jobs):
        self.call("asyncImportJobs", "POST", "/async/projects/{projectId}/jobs", {"jobs": jobs})

    def import_routes(self, routes):
        self.call("asyncImportRoutes", "POST", "/async/projects/{projectId}/routes", {"routes": routes})

    def create_job(self, job):
        self.call("syncCreateJob", "POST", "/sync/projects/{projectId}/jobs", job)

    def update_job(self, job):
        self.call("syncUpdateJob", "PATCH", "/sync/projects/{projectId}/jobs", job)

    def submit_location(self, location):
        self.call("submitLocation", "POST", "/projects/{projectId}/locations", location)


def read(response, deadline):
    """Reads the body in pieces: a timeout of the socket alone starts again with each byte."""
    text = b""
    while chunk := response.read1(65536):
        text += chunk
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError("the body is too slow")
    if response.length:
        raise ValueError("the body is not complete")
    return text.decode()


def to_seconds(header):
    return int(header) if header and header.isdigit() else 0


def ids_in(value):
    """Returns the ids in a body, at any depth."""
    if isinstance(value, list):
        return [one for item in value for one in ids_in(item)]
    if not isinstance(value, dict):
        return []
    own = [value["id"]] if isinstance(value.get("id"), str) else []
    return own + [one for item in value.values() for one in ids_in(item)]
