// External programs that some tests use. Tests of a program that is not installed are skipped, except in CI, which installs all.

export interface Tool {
  name: string
  /** The environment variable that names another program in its place. */
  variable?: string
  /** Further folders to search, besides those of PATH. */
  folders?: readonly string[]
  /** How to install it. */
  install: string
}

/** @returns the program's path; undefined if it is missing, so that its tests are skipped @throws Error if it is missing in CI */
export function findTool(
  tool: Tool,
  env: Record<string, string | undefined> = process.env,
): string | undefined {
  const { name, variable, folders = [], install } = tool
  const program = (variable && env[variable]) || name
  const found = Bun.which(program, { PATH: [env.PATH ?? '', ...folders].join(':') })
  if (found !== null) return found
  if (env.CI === 'true') throw new Error(`${program} not found. ${install}`)
  return undefined
}

/** Prometheus' own reader of metrics, rules and queries. */
export const PROMTOOL: Tool = {
  name: 'promtool',
  variable: 'TOLLGATE_PROMTOOL',
  install: "Install Debian's package prometheus, or name the program in TOLLGATE_PROMTOOL.",
}

export const GO: Tool = {
  name: 'go',
  folders: ['/usr/local/go/bin'],
  install: "Install Debian's package golang-go.",
}

/** A server of S3. */
export const VERSITYGW: Tool = {
  name: 'versitygw',
  variable: 'TOLLGATE_VERSITYGW',
  install:
    'Install it by `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`, or name the program in TOLLGATE_VERSITYGW.',
}

/** Stripe's own stand-in for its API, which checks the shape of requests by Stripe's specification. */
export const STRIPE_MOCK: Tool = {
  name: 'stripe-mock',
  variable: 'TOLLGATE_STRIPE_MOCK',
  install:
    'Install it by `go install github.com/stripe/stripe-mock@v0.203.0`, or name the program in TOLLGATE_STRIPE_MOCK.',
}

/** A proxy in front of several gateways. */
export const NGINX: Tool = {
  name: 'nginx',
  variable: 'TOLLGATE_NGINX',
  folders: ['/usr/sbin'],
  install: "Install Debian's package nginx, or name the program in TOLLGATE_NGINX.",
}

/** Signs files and checks signatures, in the format of our releases. */
export const MINISIGN: Tool = {
  name: 'minisign',
  install: "Install Debian's package minisign.",
}

/** The shell and the programs of Alpine, for the installer. */
export const BUSYBOX: Tool = {
  name: 'busybox',
  variable: 'TOLLGATE_BUSYBOX',
  install: "Install Debian's package busybox, or name the program in TOLLGATE_BUSYBOX.",
}

/** A builder of container images. */
export const BUILDAH: Tool = {
  name: 'buildah',
  install: "Install Debian's package buildah.",
}
