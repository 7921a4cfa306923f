// The platforms of a release, with their names in Bun, npm, Debian and OCI, and the detection of this machine's.

export interface Platform {
  /** The name in a release's files and npm packages. */
  readonly name: string
  readonly bun_target: Bun.Build.CompileTarget
  /** The fields of a `package.json`, and the options of `bun install` that fetch another platform's packages. */
  readonly npm: {
    readonly os: 'linux' | 'darwin'
    readonly cpu: 'x64' | 'arm64'
    readonly libc?: 'glibc' | 'musl'
  }
  readonly debian?: 'amd64' | 'arm64'
  readonly oci?: { readonly os: 'linux'; readonly architecture: 'amd64' | 'arm64' }
}

/** On x64, Bun has one runtime for all processors since 2008: https://bun.com/docs/bundler/executables#supported-targets */
export const PLATFORMS: readonly Platform[] = [
  {
    name: 'linux-x64',
    bun_target: 'bun-linux-x64',
    npm: { os: 'linux', cpu: 'x64', libc: 'glibc' },
    debian: 'amd64',
    oci: { os: 'linux', architecture: 'amd64' },
  },
  {
    name: 'linux-arm64',
    bun_target: 'bun-linux-arm64',
    npm: { os: 'linux', cpu: 'arm64', libc: 'glibc' },
    debian: 'arm64',
    oci: { os: 'linux', architecture: 'arm64' },
  },
  {
    name: 'linux-x64-musl',
    bun_target: 'bun-linux-x64-musl',
    npm: { os: 'linux', cpu: 'x64', libc: 'musl' },
  },
  {
    name: 'linux-arm64-musl',
    bun_target: 'bun-linux-arm64-musl',
    npm: { os: 'linux', cpu: 'arm64', libc: 'musl' },
  },
  { name: 'darwin-arm64', bun_target: 'bun-darwin-arm64', npm: { os: 'darwin', cpu: 'arm64' } },
]

/** Returns the C library of this process; undefined outside Linux. */
function libc(): 'glibc' | 'musl' | undefined {
  if (process.platform !== 'linux') return undefined
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime ? 'glibc' : 'musl'
}

/** Returns this machine's platform. @throws Error if releases do not include it */
export function ownPlatform(): Platform {
  const own_libc = libc()
  const own = PLATFORMS.find(
    ({ npm }) => npm.os === process.platform && npm.cpu === process.arch && npm.libc === own_libc,
  )
  if (own) return own
  const names = PLATFORMS.map(({ name }) => name).join(', ')
  throw new Error(
    `releases are made for ${names}, not for ${process.platform} on ${process.arch}; \`bun run build\` makes an executable for this machine alone`,
  )
}
