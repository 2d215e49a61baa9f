"""Makes the report of a probe out of a report of the same host, in which nothing was measured."""
import copy


def run(rung, gpus, state="passed", **more):
    """One entry of `probes`."""
    entry = {"rung": rung, "op": None, "gpus": list(gpus), "ranks": len(gpus), "backend": "hip", "variant": None, "state": state,
             "reason": None, "bytes": 67108864, "dtype": "float32", "wrong_words": 0, "seconds": 0.25, "deadline_s": 10,
             "latency_us": None, "gbytes_per_s": None, "bus_gbytes_per_s": 24.5, "transport": "P2P/IPC",
             "library": {"name": "librccl.so.1", "version": "2.22.3"}, "simulated": False, "findings": [], "facts": []}
    entry.update(more)
    return entry


def fact(name, kind, of, value, tier="probed", evidence="seen by the probe"):
    """One entry of `facts`."""
    return {"id": name, "subject": {"kind": kind, "of": list(of)}, "status": "known", "value": value, "reason": None,
            "tier": tier, "evidence": evidence}


def reference(entry):
    return entry["id"] + "@" + ",".join(entry["subject"]["of"])


def results(report, facts, runs=(), day="2026-11-30T06:44:55Z"):
    """The report with these results in it."""
    probed = copy.deepcopy(report)
    probed["taken_at"] = day
    probed["measured_at"] = None
    probed["facts"] = [entry for entry in probed["facts"] if entry["tier"] == "static"] + list(facts)
    probed["probes"] = list(runs)
    return probed


def all_good(report):
    """Every collective over all GPUs works, and every pair writes and reads."""
    gpus = [gpu["address"] for gpu in report["gpus"] if gpu["compute"]]
    facts = [fact("ccl." + op, "set", gpus, True)
             for op in ("init", "allreduce", "broadcast", "sendrecv", "allgather", "reducescatter", "alltoall", "subgroups",
                        "switching", "concurrent")]
    facts += [fact("p2p." + what, "pair", (a, b), True)
              for a in gpus for b in gpus if a != b for what in ("access", "write", "read", "handshake", "ipc")]
    facts += [fact(name, "gpu", [gpu], True) for gpu in gpus for name in ("gpu.dispatch", "hostcall.dispatch", "host.copy")]
    facts += [fact("host.handshake", "pair", (a, b), True) for a in gpus for b in gpus if a != b]
    facts += [fact("peer.copy", "pair", (a, b), True) for a in gpus for b in gpus if a != b]
    runs = [run("collective", gpus, op="all_reduce", facts=[reference(facts[1])]),
            run("p2p.write", gpus[:2], library=None, facts=[reference(entry) for entry in facts if entry["id"] == "p2p.write"][:1])]
    return results(report, facts, runs)
