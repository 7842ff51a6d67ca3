"""Where an embedded server lives: its binaries, its data, its sockets, and as whom it runs."""

import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from config.embedded.launcher import Account

SHARED_TEMPORARY = Path("/var/tmp")  # noqa: S108  # ownership of what is found there is checked
NAME = "progressives"


class HomeError(Exception):
    """A server cannot live where it was told to; the text says why."""


def short_hash(text: str) -> str:
    """Return a name for a path or a version that fits into a socket's address."""
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def package_folder(package: str) -> Path:
    """Find an installed package without importing it: the imports make folders and print."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise HomeError(f"The package {package} is not installed in this environment.")
    return Path(spec.origin).parent


def server_account() -> Account | None:
    """Return whom PostgreSQL runs as: nobody for root, which it refuses to serve; else ourselves.

    It must be an account of the passwd file, since initdb looks its name up.
    """
    if os.geteuid() != 0:
        return None
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError as error:
        raise HomeError(
            "PostgreSQL does not run as root, and there is no user nobody. "
            "Run as an ordinary user, or set DATABASE_URL."
        ) from error
    return Account(nobody.pw_uid, nobody.pw_gid)


def socket_folder(data_dir: Path) -> Path:
    """Name the folder of the sockets: an address has 107 bytes at most, so it must be short."""
    return Path(f"/tmp/{NAME}-{os.geteuid()}-{short_hash(os.fspath(data_dir))}")  # noqa: S108


def make_private(folder: Path, account: Account | None) -> None:
    """Make a folder that only the account (and root) enters; refuse one made by somebody else."""
    uid, gid = account or Account(os.geteuid(), os.getegid())
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (uid, os.geteuid()):
        raise HomeError(f"{folder} belongs to somebody else: remove it.")
    os.chown(folder, uid, gid)
    folder.chmod(0o700)


def account_can(account: Account | None, test: str, path: Path) -> bool:
    """Ask the kernel whether the account can enter, run (-x) or read (-r) a place."""
    if account is None:
        return True
    found = subprocess.run(
        ["/bin/sh", "-c", f'test {test} "$1"', "sh", os.fspath(path)],
        user=account.uid,
        group=account.gid,
        extra_groups=[],
        cwd="/",
        check=False,
    )
    return found.returncode == 0


def reachable_install(package: str, account: Account | None) -> Path:
    """Return the folder of PostgreSQL's binaries, copied to where the account can run them.

    Only root needs the copy, under a home of mode 0700 or after an install with umask 077.
    """
    source = package_folder(package)
    install = source / "pginstall"
    libraries = source.with_name(f"{source.name}.libs")
    program = install / "bin" / "postgres"
    if account_can(account, "-x", program) and account_can(account, "-x", libraries):
        return install
    version = short_hash(f"{source} {program.stat().st_mtime_ns}")
    target = SHARED_TEMPORARY / f"{NAME}-{os.geteuid()}-{version}"
    if not target.exists():
        _copy_install([source / "pginstall", libraries], target)
    found = target.lstat()
    if found.st_uid != os.geteuid() or found.st_mode & 0o022 or not stat.S_ISDIR(found.st_mode):
        raise HomeError(f"{target} can be written by somebody else: remove it.")
    return target / package / "pginstall"


def reachable_data(data_dir: Path, account: Account | None) -> Path:
    """Return the parent of the cluster: the data folder, or one beside it that can be entered."""
    if account is None or account_can(account, "-x", data_dir):
        return data_dir
    folder = SHARED_TEMPORARY / f"{NAME}-data-{short_hash(os.fspath(data_dir))}"
    folder.mkdir(mode=0o755, exist_ok=True)
    if folder.lstat().st_uid != os.geteuid() or folder.is_symlink():
        raise HomeError(f"{folder} belongs to somebody else: remove it.")
    folder.chmod(0o755)  # whatever the umask was
    return folder


def _copy_install(folders: list[Path], target: Path) -> None:
    """Copy binaries and the libraries beside them at the same depth: their RPATH is relative."""
    scratch = Path(tempfile.mkdtemp(prefix=f"{NAME}-", dir=SHARED_TEMPORARY))
    root = folders[0].parent.parent
    for folder in folders:
        shutil.copytree(folder, scratch / folder.relative_to(root), symlinks=True)
    for path in [scratch, *scratch.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs else 0o644)
    try:
        scratch.rename(target)
    except OSError:  # another run was faster: the same files lie there
        shutil.rmtree(scratch)
