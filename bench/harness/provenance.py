"""Where figures come from: everything that another run would need to be the same."""

import os
import pathlib
import platform
import re
import subprocess

import servers

SYSCTLS = ("net.core.somaxconn", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_congestion_control",
           "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_migrate_req",
           "vm.swappiness")
VERSIONS = {"nginx": ["/usr/sbin/nginx", "-v"], "h2o": ["h2o", "-v"], "lighttpd": ["lighttpd", "-v"],
            "haproxy": ["haproxy", "-v"], "caddy": ["caddy", "version"]}


def output_of(command, **options):
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20, **options)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (result.stdout + result.stderr).strip()


def first_line(text):
    return text.splitlines()[0] if text else None


def commit():
    git = ["git", "-C", str(servers.ROOT)]
    return {"commit": output_of([*git, "rev-parse", "HEAD"]),
            "dirty": bool(output_of([*git, "status", "--porcelain", "--untracked-files=no"]))}


def build():
    cache = pathlib.Path(servers.BY_NAME["servery"].program).parent / "CMakeCache.txt"
    if not cache.exists():
        return {}
    text = cache.read_text()
    wanted = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE", "SERVERY_SANITIZE")
    lines = {name: re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE) for name in wanted}
    found = {name: line.group(1) for name, line in lines.items() if line}
    found["compiler_version"] = first_line(output_of([found.get("CMAKE_CXX_COMPILER", "c++"), "--version"]))
    return found


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    memory = re.search(r"^MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    return {"model": model.group(1) if model else platform.machine(), "count": os.cpu_count(),
            "memory_kib": int(memory.group(1)), "load_at_start": os.getloadavg()}


def sysctls():
    found = {}
    for name in SYSCTLS:
        path = pathlib.Path("/proc/sys") / name.replace(".", "/")
        if path.exists():
            found[name] = path.read_text().split()
    return found


def collect():
    peers = {name: first_line(output_of(command)) for name, command in VERSIONS.items()}
    return {**commit(), "build": build(), "kernel": platform.release(), "processor": processor(), "sysctl": sysctls(),
            "peers": {name: version for name, version in peers.items() if version}}
