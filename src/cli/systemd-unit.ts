// The text of the unit for systemd. Pure.

export interface UnitParts {
  /** Whole paths. */
  binary: string
  data_folder: string
  /** An existing user; undefined: one that systemd makes. */
  user: string | undefined
  /** The folder's name below /var/lib, which systemd then makes and owns; undefined where it is elsewhere. */
  state_folder: string | undefined
  /** Where archives of backups go, where that is outside of the data folder. */
  backup_folder: string | undefined
  shutdown_timeout_ms: number
  /** Whether it listens on a port below 1024. */
  low_port: boolean
}

/** After the calls: settlements that wait, last bytes, and the database. */
const LAST_STEPS_S = 30

/** The unit as text, without a newline at its end. */
export const systemdUnit = (parts: UnitParts): string =>
  [
    ...life(parts),
    '',
    ...place(parts),
    '',
    ...rights(parts),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')

const life = (parts: UnitParts): string[] => [
  '# Made by `tollgate systemd`. Put it into /etc/systemd/system/tollgate.service, then:',
  '#   systemctl daemon-reload && systemctl enable --now tollgate',
  '[Unit]',
  'Description=Tollgate, a paid gateway in front of hosted models',
  'After=network-online.target',
  'Wants=network-online.target',
  '',
  '[Service]',
  'Type=exec',
  `ExecStart=${parts.binary} serve --data ${parts.data_folder}`,
  '# `systemctl start` ends once calls are taken.',
  `ExecStartPost=-${parts.binary} health --wait 60s --data ${parts.data_folder}`,
  '# Reads the catalogue and the certificate again; a mistake in them changes nothing.',
  'ExecReload=/bin/kill -HUP $MAINPID',
  'Restart=on-failure',
  'RestartSec=2',
  '# New calls are refused; those under way end and are settled: in shutdown_timeout_ms, and then some.',
  'KillSignal=SIGTERM',
  'KillMode=mixed',
  `TimeoutStopSec=${Math.ceil(parts.shutdown_timeout_ms / 1_000) + LAST_STEPS_S}`,
  '# "env:NAME" of the catalogue: a file of lines NAME=value, of root, mode 0600. systemd reads it, not the gateway.',
  'EnvironmentFile=-/etc/tollgate.env',
]

const place = (parts: UnitParts): string[] => [
  '# Who it is, and what it can write',
  ...(parts.user === undefined ? ['DynamicUser=yes'] : [`User=${parts.user}`]),
  ...(parts.state_folder === undefined
    ? [`ReadWritePaths=${parts.data_folder}`]
    : [`StateDirectory=${parts.state_folder}`, 'StateDirectoryMode=0700']),
  // Without the sign a folder that is not mounted would keep the gateway from starting.
  ...(parts.backup_folder === undefined ? [] : [`ReadWritePaths=-${parts.backup_folder}`]),
  '# Where the program unpacks its library for pictures.',
  'CacheDirectory=tollgate',
  'CacheDirectoryMode=0700',
  'Environment=XDG_CACHE_HOME=/var/cache/tollgate',
  `WorkingDirectory=${parts.data_folder}`,
  'UMask=0077',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
]

const rights = (parts: UnitParts): string[] => [
  '# What it may do',
  ...capabilities(parts.low_port),
  'NoNewPrivileges=yes',
  'RestrictSUIDSGID=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'LockPersonality=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectControlGroups=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'RemoveIPC=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @obsolete @mount @swap @reboot @raw-io @module @debug',
  'SystemCallErrorNumber=EPERM',
  '# Off, as it must be: the runtime compiles JavaScript into memory that it then runs.',
  'MemoryDenyWriteExecute=no',
  '# A stream takes two sockets: one of its caller, one of its provider.',
  'LimitNOFILE=65536',
  '# No memory of it, which has keys, goes to the disk.',
  'LimitCORE=0',
]

const capabilities = (low_port: boolean): string[] =>
  low_port
    ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE']
    : ['CapabilityBoundingSet=', 'PrivateUsers=yes']
