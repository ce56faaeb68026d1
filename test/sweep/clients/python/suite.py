"""A test suite of the integration. Exits with 0 or 1.

suite.py             the robust client
suite.py random-ids  the robust client, with other ids in each run
suite.py WEAKNESS    ignores-status, no-timeout or retries-with-new-ids; checks only what the client reports
"""
import json
import os
import sys
import time
import uuid
from urllib.request import Request, urlopen

sys.dont_write_bytecode = True

from client import ApiError, Client  # noqa: E402
from receiver import Receiver  # noqa: E402

VARIANTS = ["robust", "random-ids", "ignores-status", "no-timeout", "retries-with-new-ids"]
MAX_WAIT = 6


def control(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{os.environ['SANDBOX_URL']}/_sandbox/{path}", data, {"content-type": "application/json"}, method=method)
    with urlopen(request, timeout=5) as response:
        return json.load(response)


def run(variant):
    is_thorough = variant in ("robust", "random-ids")
    prefix = f"{uuid.uuid4()}-" if variant == "random-ids" else ""
    project = f"projects/{prefix}north"
    client = Client(os.environ["SANDBOX_URL"], os.environ["SANDBOX_API_KEY"], f"{prefix}north", variant)
    receiver = Receiver(client.handle)
    control("PUT", f"{project}/callback-endpoint", {"url": receiver.url})
    work(client, prefix)

    expected = [f"asyncImportJobs FAIL-GEOCODE-{prefix}1"]
    is_pending = lambda: control("GET", f"{project}/clock")["pending"] > 0
    deadline = time.monotonic() + MAX_WAIT
    while is_pending() and not receiver.rejected and time.monotonic() < deadline:
        receiver.wait_until(lambda: False, 0.02)

    problems = [f"{key} failed: {reason}" for key, reason in client.failures.items() if key not in expected]
    if not is_thorough:
        return problems
    problems += receiver.rejected
    problems += [f"no callback reports {key}" for key in expected if key not in client.failures]
    return problems + ([] if receiver.rejected else differences(project, prefix))


def work(client, prefix):
    """Uses six operations. One job fails downstream on purpose."""
    id = lambda name: prefix + name
    user = {"username": id("m.keller"), "password": "Secret!1", "type": "driver", "visibleBy": "HO", "access": "DRIVER"}
    client.register_user(user)
    client.import_jobs([{"id": id("ORD-1")}, {"id": id("ORD-2")}, {"id": f"FAIL-GEOCODE-{prefix}1"}])
    client.import_routes([{"id": id("ROUTE-1"), "jobs": [{"id": id("ORD-3")}]}])
    client.create_job({"id": id("ORD-4"), "status": "PENDING", "address": {"streetAddress": "1 Main St"}})
    client.update_job({"id": id("ORD-4"), "status": "DELIVERED"})
    for time_of_day in ["09:00", "09:05"]:
        point = {"type": "Point", "coordinates": [144.96, -37.81]}
        location = {"deviceId": id("VAN-1"), "eventDateTime": f"2026-03-02T{time_of_day}:00Z", "geoJson": point}
        client.submit_location(location)


def differences(project, prefix):
    expected = {
        "jobs": ["ORD-1", "ORD-2", "ORD-3", "ORD-4 DELIVERED"],
        "routes": ["ROUTE-1"],
        "users": ["m.keller"],
        "locations": ["VAN-1 2026-03-02T09:05:00Z"],
    }
    problems = []
    for collection, names in expected.items():
        items = control("GET", f"{project}/{collection}")["items"]
        found = sorted(describe(item).removeprefix(prefix) for item in items)
        if found != names:
            problems.append(f"stored {collection}: expected {', '.join(names)}; got {', '.join(found) or 'none'}")
    return problems


def describe(item):
    id = item.get("id") or item.get("username") or item.get("deviceId")
    return f"{id} {item.get('status') or item.get('eventDateTime') or ''}".strip()


def main(variant="robust"):
    if variant not in VARIANTS:
        sys.exit(f"expected one of {', '.join(VARIANTS)}; got {variant}")
    try:
        problems = run(variant)
    except ApiError as error:
        problems = [str(error)]
    for problem in problems:
        print(f"failed: {problem}", file=sys.stderr)
    if not problems:
        print("passed")
    sys.exit(1 if problems else 0)


main(*sys.argv[1:2])
