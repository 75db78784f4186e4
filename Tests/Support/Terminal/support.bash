# The support of the topics that are written in bash: runs the program in LUPINE_PROGRAM, and compares its output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
lupine=$LUPINE_PROGRAM
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
count=0

fail() {
  echo "lupine $what: $*" >&2
  cat "$folder/output" >&2
  exit 1
}

# expect CODE ARGUMENT...: runs the program, which must exit with CODE within 30 seconds.
expect() {
  local expected=$1 code=0
  shift
  what=$*
  count=$((count + 1))
  timeout 30 "$lupine" "$@" >"$folder/output" 2>&1 </dev/null || code=$?
  [ "$code" -eq "$expected" ] || fail "exit code $code, not $expected"
}

# says TEXT..., is_silent_about TEXT...: require that the last output contains, or does not contain, each TEXT.
says() { for text in "$@"; do grep -qF -- "$text" "$folder/output" || fail "does not say: $text"; done; }
is_silent_about() { for text in "$@"; do ! grep -qF -- "$text" "$folder/output" || fail "says: $text"; done; }

# eventually COMMAND...: waits until a command succeeds, 20 seconds at most.
eventually() {
  local end=$((SECONDS + 20))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "does not come: $*"
    sleep 0.1
  done
}

# end_topic: prints the number of the runs.
end_topic() { echo "$(basename "$0"): $count runs"; }
