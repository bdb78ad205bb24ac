"""Make `.venv` hold what requirements.lock pins, and this project, editable.

Every `make` target runs this first; it returns at once when nothing has changed since it last
finished. It needs only Python 3.11 or newer on Linux or macOS: a uv that is on the PATH is used,
else pip brings the pinned one into `.venv`. A torch of the pinned version that was put into
`.venv` by hand, such as a build without CUDA, is kept, and no CUDA library is fetched for it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
SITE_PACKAGES = VENV / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
STARTED = VENV / "setup-started"  # becomes FINISHED as the last step, so an interruption shows
FINISHED = VENV / "setup-finished"

# Gigabytes: to download, and then on disk. Measured with Python 3.11 on Linux (x86-64) and, the
# downloads only, for macOS; to be measured again when the pinned torch changes.
WITHOUT_TORCH = (0.2, 0.6)
WITH_TORCH = (0.3, 1.0)
WITH_TORCH_AND_CUDA = (3.0, 5.6)

CUDA = re.compile(r"(nvidia|cuda)-|(numba-cuda|triton)$")


def main() -> None:
    """Bring `.venv` up to date, or exit with one sentence that says why that cannot be."""
    state = fingerprint()
    if PYTHON.exists() and FINISHED.exists() and FINISHED.read_text() == state:
        return
    lock = requirements()
    environment = dict(os.environ)
    uv = shutil.which("uv")
    if uv is not None and VENV in Path(uv).parents:
        uv = None  # `.venv` is active in this shell, and may be about to be replaced
    make_venv(with_pip=uv is None)
    if uv is None:
        uv = install_uv(lock["uv"])
        environment |= pip_settings()
    if torch_is_kept(lock):
        lock = {name: lock[name] for name in lock if name != "torch" and not CUDA.match(name)}
    install = [uv, "pip", "install", "--python", str(PYTHON), "--no-deps"]
    pinned = [*install, "--require-hashes", "--requirements", "-"]
    announce(uv, run([*pinned, "--dry-run"], environment, lock, quiet=True))
    # uv does not compile by default. Where Python writes no bytecode, as in many containers, every
    # process would then compile the thousands of modules that it imports.
    run([*pinned, "--compile-bytecode"], environment, lock)
    run([*install, "--no-build-isolation", "--quiet", "--editable", str(ROOT)], environment)
    STARTED.write_text(state)
    STARTED.replace(FINISHED)


def fingerprint() -> str:
    """Return a hash of all that decides what `.venv` holds."""
    files = [ROOT / "requirements.lock", ROOT / "pyproject.toml", Path(__file__)]
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content + str(SITE_PACKAGES).encode()).hexdigest()


def requirements() -> dict[str, str]:
    """Return the lines of requirements.lock, hashes included, by the package's name."""
    lock: dict[str, str] = {}
    for entry in re.split(r"\n(?=\w)", (ROOT / "requirements.lock").read_text()):
        if name := re.match(r"[\w.-]+(?===)", entry):
            lock[name[0]] = lock.get(name[0], "") + entry + "\n"
    return lock


def make_venv(with_pip: bool) -> None:
    """Make `.venv`, or what is missing of it."""
    try:
        import venv

        if with_pip:
            import ensurepip  # noqa: F401  Debian has it in the same package as venv
    except ImportError:
        sys.exit(f"{sys.executable} lacks the module venv; install it (on Debian: python3-venv).")
    if VENV.exists() and not (PYTHON.exists() and SITE_PACKAGES.exists()):
        print("Replacing .venv, which is not one of this Python.", flush=True)
        shutil.rmtree(VENV)
    interrupted = STARTED.exists()
    complete = (VENV / "bin" / ("pip" if with_pip else "python")).exists()
    VENV.mkdir(exist_ok=True)
    STARTED.touch()
    if interrupted:
        forget_partial_packages()
    if interrupted or not complete:
        print("Making .venv ...", flush=True)
        venv.create(VENV, with_pip=with_pip, symlinks=True)


def forget_partial_packages() -> None:
    """Let packages whose files were not all written count as not installed."""
    for folder in SITE_PACKAGES.glob("*.dist-info"):
        files = metadata.Distribution.at(folder).files or []
        paths = [(Path(str(file.locate())), file.size) for file in files]
        if not paths or not all(
            path.exists() and size in (None, path.stat().st_size) for path, size in paths
        ):
            shutil.rmtree(folder)


def install_uv(requirement: str) -> str:
    """Bring the pinned uv into `.venv` by pip, and return its path."""
    uv = VENV / "bin" / "uv"
    if not uv.exists():
        print("No uv on the PATH: pip brings it into .venv (about 25 MB).", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
    run([*pip, "--requirement", "/dev/stdin"], dict(os.environ), {"uv": requirement})
    return str(uv)


def pip_settings() -> dict[str, str]:
    """Return pip's index and certificates as variables for uv, which reads no pip settings."""
    command = [str(PYTHON), "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = dict(re.findall(r"^(\S+)='(.*)'$", listed, re.MULTILINE))
    settings: dict[str, str] = {}
    for option, variable in (("index-url", "UV_DEFAULT_INDEX"), ("cert", "SSL_CERT_FILE")):
        for section in ("global", "install", ":env:"):  # the later one counts
            if variable not in os.environ and f"{section}.{option}" in found:
                settings[variable] = found[f"{section}.{option}"]
    return settings


def torch_is_kept(lock: dict[str, str]) -> bool:
    """Return whether `.venv` holds another build of the pinned torch, such as 2.13.0+cpu."""
    version = re.match(r"torch==([\w.]+)", lock["torch"])
    return version is not None and any(SITE_PACKAGES.glob(f"torch-{version[1]}+*.dist-info"))


def announce(uv: str, dry_run: str) -> None:
    """Say what uv is about to do, by its dry run, and exit where the disk is too small for it."""
    names = re.findall(r"^ \+ ([\w.-]+)==", dry_run, re.MULTILINE)
    download = re.search(r"Would download (\d+) package", dry_run)
    if not names:
        return
    size, note = WITHOUT_TORCH, ""
    if "torch" in names or any(map(CUDA.match, names)):
        size = WITH_TORCH
        if sys.platform == "linux":
            size = WITH_TORCH_AND_CUDA
            note = ", most of it torch and the CUDA libraries that it brings on Linux"
    print(
        f"Installing {len(names)} packages of requirements.lock into .venv: "
        f"up to {size[1]} GB on disk{note}; "
        + (f"up to {size[0]} GB to download." if download else "all of them downloaded before."),
        flush=True,
    )
    cache = Path(subprocess.check_output([uv, "cache", "dir"], text=True).strip())
    cache.mkdir(parents=True, exist_ok=True)
    if not download and cache.stat().st_dev == ROOT.stat().st_dev:
        return  # links to what is there
    for folder in (ROOT, cache) if download else (ROOT,):
        free = shutil.disk_usage(folder).free / 1e9
        if free < size[1]:
            sys.exit(f"{folder} has {free:.1f} GB free, but the packages need up to {size[1]} GB.")


def run(
    command: list[str],
    environment: dict[str, str],
    lock: dict[str, str] | None = None,
    quiet: bool = False,
) -> str:
    """Run a command with the lock as its input; return what it says (quiet) or let it through."""
    done = subprocess.run(
        command,
        input="".join((lock or {}).values()),
        env=environment,
        stderr=subprocess.PIPE if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stderr or ''}Setting up .venv stopped: {Path(command[0]).name} failed.")
    return done.stderr or ""


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Setting up .venv was interrupted; the next `make` takes it up again.")
