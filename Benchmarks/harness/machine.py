"""The properties of the machine and its software on which the figures depend."""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

from .servers import CHECKOUT


def facts():
    return {
        "date": datetime.date.today().isoformat(), "system": system(), "processor": processor(),
        "cores": len(os.sched_getaffinity(0)), "libcurl": version("pkg-config", "--modversion", "libcurl"),
        "openssl": version("openssl", "version"), "nginx": version("nginx", "-v"), "swift": version("swift", "--version"),
        "commit": version("git", "rev-parse", "HEAD"), "clients": clients()}


def summary(results):
    """The machines on which the results were measured, each with the days of its figures."""
    days = {}
    for facts in (result["machine"] for result in results.values()):
        machine = f"{facts['processor']}, {facts['cores']} cores, {facts['system']}, libcurl {facts['libcurl']}"
        days.setdefault(machine, set()).add(facts["date"])
    return "; ".join(f"{span(sorted(each))}, {machine}" for machine, each in days.items())


def span(days):
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def system():
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, Linux {platform.release().partition('-')[0]}"


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else platform.machine()


def version(*command):
    """The line of the command's output that contains the version; empty if the command does not exist."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin"
    try:
        answer = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=CHECKOUT,
            env=dict(os.environ, PATH=path))
    except OSError:
        return ""
    lines = answer.stdout.splitlines()
    return next((line for line in lines if "version" in line), lines[0] if lines else "")


def clients():
    """The versions of the other clients' packages, as they were resolved."""
    try:
        pins = json.loads((CHECKOUT / "Benchmarks" / "Clients" / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    except OSError:
        return {}
    known = {pin["identity"]: pin["state"].get("version") for pin in pins}
    return {name: known.get(name) for name in ("async-http-client", "swift-nio")}
