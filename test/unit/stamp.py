#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an artefact out of a manifest and a body, for tests of the runtime.

Usage: stamp.py MANIFEST BODY OUT [OBJCOPY]. BODY is PTX text or an ELF shared object; the manifest's body_sha256 is
filled in. `objcopy` puts the manifest into a shared object.
"""

import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

SECTION = b".fa_manifest"


def stamp_ptx(manifest, body):
    manifest["body_sha256"] = hashlib.sha256(body).hexdigest()
    lines = ["fa-manifest 1", *json.dumps(manifest, indent=1).split("\n"), "fa-manifest end"]
    return "".join(f"// {line}\n" for line in lines).encode() + body


def find_section(elf):
    table, entry, count, names = (
        struct.unpack_from("<Q", elf, 40)[0],
        *struct.unpack_from("<HHH", elf, 58),
    )
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * entry) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if elf[start : elf.index(b"\0", start)] == SECTION:
            return header[4], header[5]
    raise ValueError("no section .fa_manifest")


def stamp_elf(manifest, body, objcopy):
    manifest["body_sha256"] = "0" * 64  # as long as the real one
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "body.so").write_bytes(body)
        (folder / "manifest").write_text(json.dumps(manifest, indent=1))
        subprocess.run(
            [objcopy, f"--add-section={SECTION.decode()}={folder}/manifest", folder / "body.so", folder / "out.so"],
            check=True,
        )
        elf = (folder / "out.so").read_bytes()
    offset, size = find_section(elf)
    manifest["body_sha256"] = hashlib.sha256(elf[:offset] + elf[offset + size :]).hexdigest()
    text = json.dumps(manifest, indent=1).encode()
    assert len(text) == size
    return elf[:offset] + text + elf[offset + size :]


def main():
    manifest, body, out, *objcopy = sys.argv[1:]
    manifest = json.loads(pathlib.Path(manifest).read_text())
    body = pathlib.Path(body).read_bytes()
    if body[:4] == b"\x7fELF":
        result = stamp_elf(manifest, body, objcopy[0] if objcopy else "objcopy")
    else:
        result = stamp_ptx(manifest, body)
    pathlib.Path(out).write_bytes(result)


if __name__ == "__main__":
    main()
