"""What the figures depend on."""

import datetime
import os
import pathlib
import platform
import re
import subprocess


def facts():
    return {
        "date": datetime.date.today().isoformat(), "system": system(), "processor": processor(),
        "cores": len(os.sched_getaffinity(0)), "libcurl": libcurl()}


def system():
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, Linux {platform.release()}"


def processor():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else platform.machine()


def libcurl():
    answer = subprocess.run(["pkg-config", "--modversion", "libcurl"], stdout=subprocess.PIPE, text=True)
    return answer.stdout.strip()
