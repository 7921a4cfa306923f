#!/bin/bash
# Stands in for systemctl without systemd: handles the unit of the package as systemd does, except for its sandbox.
set -euo pipefail
echo "$*" >> /var/log/systemctl
unit=/usr/lib/systemd/system/tollgate.service
enabled=/etc/systemd/system/multi-user.target.wants/tollgate.service
setting() { sed -n "s/^$1=-\?//p" "$unit" | head -1; }
running() { [ -e /run/tollgate.pid ] && kill -0 "$(cat /run/tollgate.pid)" 2> /dev/null; }
start() {
  running && return
  # The unit says `-`: the file may be absent.
  if [ -e "$(setting EnvironmentFile)" ]; then set -a; . "$(setting EnvironmentFile)"; set +a; fi
  setpriv --reuid "$(setting User)" --regid "$(setting Group)" --init-groups \
    $(setting ExecStart) --listen "$(cat /etc/listen)" > /var/log/tollgate 2>&1 < /dev/null &
  echo $! > /run/tollgate.pid
  $(setting ExecStartPost)
}
stop() {
  running || return 0
  kill -"$(setting KillSignal | sed s/SIG//)" "$(cat /run/tollgate.pid)"
  while running; do sleep 0.05; done
}
words=()
for word; do case "$word" in -*) ;; *) words+=("$word") ;; esac; done
case "${words[0]}" in
  daemon-reload) ;;
  is-active) running ;;
  is-enabled) [ -L "$enabled" ] && echo enabled ;;
  enable) mkdir -p "$(dirname "$enabled")"; ln -sf "$unit" "$enabled"; start ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  *) echo "no such command: $*" >&2; exit 1 ;;
esac
