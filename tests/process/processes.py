"""What /proc says about processes and sockets. Linux only, no state."""

import ctypes
import os
import pathlib
import select

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    """Orphans of the servers under test become children of this process, where they are seen."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def stat_fields(pid):
    """The fields of /proc/PID/stat from the state on, or None when the process is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()


def state(pid):
    fields = stat_fields(pid)
    return fields[0] if fields else None


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = stat_fields(int(entry))
            if fields and int(fields[1]) == pid:
                found.append(int(entry))
    return found


def wait_end(pid, timeout):
    """Whether the process ends, or has ended, within `timeout` seconds; a zombie has."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], timeout)[0])
    finally:
        os.close(pidfd)


def descriptors(pid):
    """{number: target} of the open descriptors."""
    result = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            result[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            pass
    return result


def status_field(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.partition(":")[2].split()
    return None


def pss_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def has_ipv6():
    """Whether there is an IPv6 loopback to test with."""
    try:
        return any(line.split()[-1] == "lo" for line in open("/proc/net/if_inet6", encoding="ascii"))
    except FileNotFoundError:
        return False


def tcp_table():
    """Rows (local port, remote port, state, inode) of the TCP sockets of this network namespace."""
    rows = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = pathlib.Path(name).read_text().splitlines()[1:]
        except FileNotFoundError:
            continue
        for line in lines:
            fields = line.split()
            rows.append((int(fields[1].rpartition(":")[2], 16), int(fields[2].rpartition(":")[2], 16),
                         int(fields[3], 16), int(fields[9])))
    return rows


def listening_ports():
    return {local for local, _, state_number, _ in tcp_table() if state_number == 0x0A}


def client_ports_of(pid):
    """The peers' ports of the TCP connections that a process holds."""
    inodes = {int(target[8:-1]) for target in descriptors(pid).values() if target.startswith("socket:[")}
    return {remote for _, remote, state_number, inode in tcp_table()
            if inode in inodes and state_number != 0x0A}


def clients_of_port(port):
    """How many established client connections there are to a port of this machine."""
    return sum(1 for _, remote, state_number, _ in tcp_table() if remote == port and state_number == 0x01)
