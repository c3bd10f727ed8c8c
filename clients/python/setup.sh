#!/bin/sh
# Makes the Python environment of the client in .venv: the pinned requirements and the package
# itself, editable. With the folder of an integration, `setup.sh integrations/NAME`, that of the
# integration, beside the client. Does nothing when the environment is up to date. PYTHON names
# another interpreter. requirements-lowest.txt of an integration pins the lowest versions of its
# framework; they go to .venv/lowest, which only the tests of these versions have in their path.
#
# To pin anew after a change of pyproject.toml, in its folder:
#   uv pip compile pyproject.toml --extra dev --universal --python-version 3.10 \
#     --generate-hashes --no-header -o requirements.txt
set -eu
cd "$(dirname "$0")"
client=$PWD
cd "${1:-.}"
python="${PYTHON:-python3}"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "setup.sh: $python is missing or older than Python 3.10" >&2
  exit 1
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || {
  echo "setup.sh: $python has no venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2
  exit 1
}

stamp=$("$python" - "$client" <<'PYTHON'
import hashlib
import os
import sys

digest = hashlib.sha256(f"{sys.version} {os.getcwd()}".encode())
client = sys.argv[1]
own = ["requirements.txt", "pyproject.toml"]
shared = [f"{client}/{name}" for name in ("pyproject.toml", "requirements-pip.txt", "setup.sh")]
for name in own + shared:
    with open(name, "rb") as file:
        digest.update(file.read())
if os.path.exists("requirements-lowest.txt"):
    with open("requirements-lowest.txt", "rb") as file:
        digest.update(file.read())
print(digest.hexdigest())
PYTHON
)
[ "$(cat .venv/stamp 2>/dev/null || true)" = "$stamp" ] && exit 0

if [ "$PWD" = "$client" ]; then
  "$python" -m venv --clear .venv
  .venv/bin/python -m pip --disable-pip-version-check --quiet \
    install --no-compile --require-hashes --requirement requirements-pip.txt
else
  # Its pip installs this environment too.
  sh "$client/setup.sh"
  "$python" -m venv --clear --without-pip .venv
fi
pip() {
  "$client/.venv/bin/python" -m pip --disable-pip-version-check --quiet \
    --python .venv/bin/python "$@"
}
# The requirements are all that is needed: pip need not ask each package what it depends on. Nor
# need it compile them: tests import few of their modules, and Python keeps what it compiles.
install_pinned() {
  pip install --no-compile --no-deps --require-hashes --only-binary :all: "$@"
}
install_pinned --requirement "$client/requirements-pip.txt" --requirement requirements.txt
[ ! -f requirements-lowest.txt ] ||
  install_pinned --target .venv/lowest --requirement requirements-lowest.txt
pip install --no-deps --no-build-isolation --editable "$client"
[ "$PWD" = "$client" ] || pip install --no-deps --no-build-isolation --editable .
echo "$stamp" > .venv/stamp
