#!/usr/bin/env python3
"""Checks a bundle of Asterweave, from docs/bundle.md and docs/ledger-format.md alone: one line a check."""
import argparse, base64, hashlib, json, re, shutil, subprocess, sys, tempfile, zlib

TYPE, NAMESPACE = "application/vnd.in-toto+json", "asterweave"
STATEMENT, PREDICATE = "https://in-toto.io/Statement/v1", "https://github.com/asterweave/asterweave/delivery/v1"
MAX_ENVELOPE, MAX_LEDGER, MAX_LINE = 32 << 20, 256 << 20, 262144
EVENT = ["v", "seq", "at", "type", "node", "attempt", "by", "cause", "data", "state", "prev", "hash"]

def need(condition, why):
    if not condition:
        raise ValueError(why)

def strict(text, **more):
    """Reads JSON in which no key is there twice, and no NaN or Infinity."""
    def once(pairs):
        need(len(dict(pairs)) == len(pairs), "a key is there twice")
        return dict(pairs)
    return json.loads(text.decode(), object_pairs_hook=once, parse_constant=lambda c: need(False, c + " is no JSON"), **more)

def unbase64(text):
    raw = base64.b64decode(text, validate=True)
    need(base64.b64encode(raw).decode() == text, "base64 is not spelled as RFC 4648 says")
    return raw

sha256 = lambda raw: hashlib.sha256(raw).hexdigest()
run = lambda *args, stdin=b"": subprocess.run(args, input=stdin, capture_output=True)

def envelope(raw):
    e = strict(raw) if len(raw) <= MAX_ENVELOPE else need(False, "it is too long")
    need(sorted(e) == ["payload", "payloadType", "signatures"] and e["payloadType"] == TYPE, "other keys, or another payload type")
    need(len(e["signatures"]) <= 16 and all(sorted(s) == ["keyid", "sig"] for s in e["signatures"]), "its signatures are no such list")
    return unbase64(e["payload"]), [s["sig"] for s in e["signatures"]]

def signature(payload, signatures, allowed):
    message = f"DSSEv1 {len(TYPE)} {TYPE} {len(payload)} ".encode() + payload
    for sig in signatures:
        with tempfile.NamedTemporaryFile() as f:
            f.write(base64.b64decode(sig))
            f.flush()
            found = run("ssh-keygen", "-Y", "find-principals", "-s", f.name, "-f", allowed).stdout.decode()
            for who in filter(None, re.split("[,\n]", found)):
                if run("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", who, "-n", NAMESPACE, "-s", f.name, stdin=message).returncode == 0:
                    return f"by {who}"
    raise ValueError("no signature is one of an allowed signer" if signatures else "the bundle is unsigned")

def statement(payload):
    s = strict(payload, parse_float=lambda f: need(False, f + " is no whole number"))
    need(s["_type"] == STATEMENT and s["predicateType"] == PREDICATE, "it is of a type or version that this script does not know")
    need(json.dumps(s, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == payload, "it is not spelled as RFC 8785 says")
    return s

def ledger(l):
    need(l["format"] == 1 and 0 < l["bytes"] <= MAX_LEDGER, "it is of another format, or too long")
    z = zlib.decompressobj(31)
    text = z.decompress(unbase64(l["gzip"]), l["bytes"] + 1)
    need(len(text) == l["bytes"] and z.eof and not z.unused_data and sha256(text) == l["digest"], "the bytes are not those that it says")
    need(text.endswith(b"\n"), "its end is torn")
    head, at, lines = "0" * 64, "", text[:-1].split(b"\n")
    for n, line in enumerate(lines, 1):
        e = strict(line)
        need(len(line) < MAX_LINE and list(e) == EVENT and e["v"] == 1, f"event {n} is not of format 1")
        need(e["seq"] == n and e["prev"] == head and e["at"] >= at, f"event {n} does not continue the chain")
        need(line[-75:] == b',"hash":"%s"}' % sha256(line[:-75]).encode(), f"event {n} has another hash than it says")
        head, at = e["hash"], e["at"]
    need(len(lines) == l["events"] and head == l["head"], "its length or head is not what the bundle says")
    return f"{len(lines)} events, head {head}"

def documents(p):
    every = [*p["documents"].items(), *p["outputs"].items()]
    need(all(sha256(unbase64(text)) == digest for digest, text in every), "one is not what its name says")
    need(p["graph"] in p["documents"], "the graph is not there")
    return f"{len(every)} are what their names say, {len(p['leftOut'])} are left out"

def subject(s, commit):
    digest = s["subject"][0]["digest"]
    need(len(s["subject"]) == 1 and digest == {"gitCommit": commit}, f"it is about {digest}, and not about {commit}")
    head = run("git", "rev-parse", "-q", "HEAD", "HEAD^{tree}").stdout.decode().split() if shutil.which("git") else []
    need(head in ([], [commit, s["predicate"]["world"]["tree"]]), f"HEAD and its tree are {head}")
    return commit + (", which is HEAD" if head else "")

def check(name, fn, *args):
    try:
        out = fn(*args)
    except Exception as e:  # whatever is wrong with it, it is no bundle that can be relied on
        sys.exit(print(f"FAIL  {name}: {e or type(e).__name__}") or 1)
    print(f"ok    {name}" + (f": {out}" if type(out) is str else ""))
    return out
a = argparse.ArgumentParser(description=__doc__)
a.add_argument("bundle", help="a file with one envelope, or - for standard input")
a.add_argument("commit", help="the commit that it has to be about, in full")
a.add_argument("--allowed", help="file of allowed signers, as ssh-keygen(1) has it; then the bundle has to be signed by one")
a = a.parse_args()
payload, signatures = check("envelope", lambda: envelope((sys.stdin.buffer if a.bundle == "-" else open(a.bundle, "rb")).read(MAX_ENVELOPE + 1)))
unchecked = "not checked, for no --allowed is given" if signatures else "the bundle is unsigned; nothing says who made it"
check("signature", signature, payload, signatures, a.allowed) if a.allowed else print(f"note  signature: {unchecked}")
s = check("statement", statement, payload)
check("ledger", ledger, s["predicate"]["ledger"])
check("documents", documents, s["predicate"])
check("subject", subject, s, a.commit)
