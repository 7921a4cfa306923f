#!/bin/sh
# The installer of a release: downloads the executable of this machine's platform, checks it, and puts it into a folder of the user.
#
#   curl -fsSL ADDRESS/install.sh | sh
#
# TOLLGATE_BASE_URL      the address of the release: the folder that has checksums.txt
# TOLLGATE_INSTALL_DIR   the folder for the executable; by default ~/.local/bin
set -eu

# Everything is in functions, and the last line calls them: of a script that breaks off on its way to `sh`, nothing runs.
main() {
  version='@VERSION@'
  base_url="${TOLLGATE_BASE_URL:-@BASE_URL@}"
  base_url="${base_url%/}"
  work=
  staged=
  made_folders=
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  require_version
  require_base_url
  require_tools
  find_platform
  find_folder
  archive="tollgate-$version-$platform.tar.gz"
  work="$(mktemp -d)" || fail 'No temporary folder can be made. Set TMPDIR to a folder that you can write to.'
  download checksums.txt
  find_checksum
  say "Downloading $base_url/$archive"
  download "$archive"
  check_archive
  install_executable
  say_what_next
}

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

clean_up() {
  if [ -n "$work" ]; then rm -rf "$work"; fi
  if [ -n "$staged" ]; then rm -f "$staged"; fi
  if [ -n "$made_folders" ]; then
    # Only empty ones go.
    while [ "$folder" != "$there" ] && rmdir "$folder" 2>/dev/null; do parent_of "$folder" && folder="$parent"; done
  fi
}

parent_of() {
  parent="${1%/*}"
  parent="${parent:-/}"
}

# The source has a placeholder in place of the version.
require_version() {
  case "$version" in
    *[!0-9A-Za-z.+-]*) fail 'This is the source of the installer. Run the install.sh of a release.' ;;
  esac
}

require_base_url() {
  case "$base_url/" in
    https://?*) protocols='=https' ;;
    # For a mirror on this machine.
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) protocols='=http,https' ;;
    /) fail 'No address to download from. Set TOLLGATE_BASE_URL to the address of a release, the folder that has checksums.txt.' ;;
    *) fail "TOLLGATE_BASE_URL must begin with https://, and is $base_url. Plain HTTP would let anybody on the way change the program and its checksum." ;;
  esac
}

require_tools() {
  has curl || has wget || fail 'Neither curl nor wget was found. Install one of them, and run this again.'
  has sha256sum || has shasum || fail 'Neither sha256sum nor shasum was found, so the download cannot be checked. Install one of them, and run this again.'
  has tar || fail 'tar was not found. Install it, and run this again.'
}

find_platform() {
  system="$(uname -s)"
  machine="$(uname -m)"
  case "$machine" in
    x86_64 | amd64) processor=x64 ;;
    aarch64 | arm64) processor=arm64 ;;
    *) fail "There is no Tollgate for this processor ($machine). It runs on x86-64 and 64-bit ARM." ;;
  esac
  case "$system" in
    Linux) platform="linux-$processor$(musl_suffix)" ;;
    Darwin)
      # Rosetta lets a shell believe that it runs on x86_64.
      if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || :)" = 1 ]; then processor=arm64; fi
      platform="darwin-$processor"
      ;;
    *) fail "There is no Tollgate for this system ($system). It runs on Linux and macOS." ;;
  esac
}

# The C library by what ldd says of itself: a machine with glibc may have musl's loader, too. Where ldd is missing, the loaders tell.
musl_suffix() {
  case "$(ldd --version 2>&1 || :)" in
    *musl*) say -musl && return ;;
    *GLIBC* | *GNU* | *glibc*) return ;;
  esac
  for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
    if [ -e "$loader" ]; then return; fi
  done
  for loader in /lib/ld-musl-*.so.1; do
    if [ -e "$loader" ]; then say -musl && return; fi
  done
}

find_folder() {
  folder="${TOLLGATE_INSTALL_DIR:-${HOME:+$HOME/.local/bin}}"
  case "$folder" in
    '') fail 'HOME is not set. Set TOLLGATE_INSTALL_DIR to the folder for the executable.' ;;
    /*) ;;
    *) folder="$PWD/$folder" ;;
  esac
  folder="${folder%/}"
  executable="$folder/tollgate"
  if [ -d "$executable" ]; then fail "$executable is a folder. Move it, or set TOLLGATE_INSTALL_DIR to another folder."; fi
  # Before the download, which would be in vain.
  there="$folder"
  until [ -e "$there" ]; do parent_of "$there" && there="$parent"; done
  if ! [ -d "$there" ] || ! [ -w "$there" ]; then
    fail "$there cannot be written to. Set TOLLGATE_INSTALL_DIR to a folder of yours, or run this as a user who may write there."
  fi
}

# Downloads a file of the release into the work folder. curl refuses a redirect from HTTPS to HTTP; wget has no option for it, and BusyBox'
# wget 1.35 crashes at a timeout (-T).
download() {
  if has curl; then
    curl --fail --silent --show-error --location --proto "$protocols" --connect-timeout 30 \
      --output "$work/$1" "$base_url/$1" 2>"$work/messages" || fail_download "$1"
  else
    wget -O "$work/$1" "$base_url/$1" >"$work/messages" 2>&1 || fail_download "$1"
    # BusyBox' own TLS says so, and goes on.
    if grep -q 'certificate validation not implemented' "$work/messages"; then
      fail 'This wget does not check certificates, so anybody on the way could change the program. Install curl, and run this again.'
    fi
  fi
}

fail_download() {
  tail -n 2 "$work/messages" >&2
  fail "$base_url/$1 could not be downloaded."
}

# The archive's line of checksums.txt: there must be one, and only one.
find_checksum() {
  checksum=
  others=
  while read -r sum name || [ -n "$sum" ]; do
    case "$name" in
      "$archive")
        if [ -n "$checksum" ]; then fail "checksums.txt has $archive twice. Nothing was installed."; fi
        checksum="$sum"
        ;;
      tollgate-"$version"-*.tar.gz)
        name="${name#tollgate-"$version"-}"
        others="$others ${name%.tar.gz}"
        ;;
    esac
  done <"$work/checksums.txt"
  if [ -z "$checksum" ]; then
    fail "checksums.txt has no $archive, so nothing was installed. This release has files for:${others:- no platform of Tollgate $version}."
  fi
  case "$checksum" in *[!0-9a-f]*) checksum= ;; esac
  if [ ${#checksum} -ne 64 ]; then fail "checksums.txt has no SHA-256 for $archive. Nothing was installed."; fi
}

check_archive() {
  if has sha256sum; then
    found="$(sha256sum <"$work/$archive")"
  else
    found="$(shasum -a 256 <"$work/$archive")"
  fi
  found="${found%% *}"
  if [ "$found" != "$checksum" ]; then
    fail "The checksum of $archive is wrong: the file is damaged, or not the one that was released. Nothing was installed.
  expected $checksum
  found    $found"
  fi
}

# Beside its place and then into it at once, so that whoever starts it meanwhile gets the old one or the new one.
install_executable() {
  tar -xzf "$work/$archive" -C "$work" "tollgate-$version-$platform/tollgate" || fail "$archive could not be unpacked. Nothing was installed."
  if ! [ -d "$folder" ]; then
    made_folders=yes
    mkdir -p "$folder" || fail "$folder could not be made. Nothing was installed."
  fi
  # A name that nobody can foresee, where others may write to the folder, too.
  staged="$(mktemp "$folder/.tollgate-install.XXXXXX")" || fail "$folder could not be written to. Nothing was installed."
  { cp "$work/tollgate-$version-$platform/tollgate" "$staged" && chmod 755 "$staged"; } ||
    fail "$folder could not be written to. Nothing was installed."
  runs="$("$staged" --version 2>"$work/messages" || :)"
  if [ "$runs" != "$version" ]; then
    tail -n 2 "$work/messages" >&2
    case "$platform" in
      *-musl) needs=' It needs Alpine 3.20 or newer, and the C++ library (apk add libstdc++).' ;;
      *) needs= ;;
    esac
    fail "The executable for $platform does not run on this machine.$needs Nothing was installed."
  fi
  mv -f "$staged" "$executable" || fail "$executable could not be replaced. Nothing was installed."
  staged=
}

say_what_next() {
  say "Tollgate $version is installed: $executable"
  case ":${PATH:-}:" in
    *":$folder:"*)
      start=tollgate
      first="$(command -v tollgate || :)"
      if [ "$first" != "$executable" ]; then
        start="$executable"
        say "Another one comes before it in PATH: $first"
      fi
      ;;
    *)
      start="$executable"
      say "$folder is not in PATH. To call it as \"tollgate\", add this line to your shell's profile:"
      say "  export PATH=\"$folder:\$PATH\""
      ;;
  esac
  case "$start" in *' '*) start="\"$start\"" ;; esac
  say 'Start the gateway: it keeps its data in ./data, and prints a link to its console.'
  say "  $start serve"
}

main "$@"
