// The notices of npm packages: the program's dependencies with their own, as installed. Also the type of a notice.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Notice {
  name: string
  /** Null if it is a part of another component, which has a version. */
  version: string | null
  /** The licence as its authors state it: an SPDX expression, or text. */
  license: string
  /** The authors' own licence text; null if it came without one. */
  text: string | null
  /** The reason for a missing text, and the location of the licence or the source. */
  remark: string | null
}

export interface Notices {
  notices: readonly Notice[]
  /** Texts of licences that notices name without a text, by their names. */
  texts: Readonly<Record<string, string>>
}

const byName = (one: Notice, other: Notice): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

interface Manifest {
  name: string
  version: string
  license?: string | { type?: string }
  licenses?: readonly { type?: string }[]
  author?: string | { name?: string }
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  peerDependencies?: Readonly<Record<string, string>>
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}

const TEXT_FILE = /^(licen[sc]e|copying|copyright|notice|third[-_]?party)/i

/**
 * Follows the dependencies of a package.json, without its devDependencies.
 * @throws Error for a dependency that is not installed
 */
export function packageNotices(root: string): Notice[] {
  const found = new Map<string, Notice>()
  const looked_at = new Set<string>()
  const waiting = dependenciesOf(root)
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (looked_at.has(folder)) continue
    looked_at.add(folder)
    const notice = noticeOf(folder)
    found.set(`${notice.name}@${notice.version}`, notice)
    waiting.push(...dependenciesOf(folder))
  }
  return [...found.values()].sort(byName)
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Returns the folders of a package's dependencies, and of its installed optional ones. */
function dependenciesOf(folder: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifestOf(folder)
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  const optional = new Set([...Object.keys(optionalDependencies ?? {}), ...peers])
  return [...Object.keys(dependencies ?? {}), ...optional].flatMap((name) => {
    const place = installedAt(name, folder)
    if (place === undefined && !optional.has(name))
      throw new Error(`${name}, which ${folder} needs, is not installed: run \`bun install\``)
    return place ?? []
  })
}

/** Finds a package as module resolution does: in each node_modules from a folder upwards. */
function installedAt(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return place
    if (dirname(folder) === folder) return undefined
  }
}

function noticeOf(folder: string): Notice {
  const { name, version, license, licenses, author } = manifestOf(folder)
  const stated =
    typeof license === 'string' ? license : (license?.type ?? licenses?.map(({ type }) => type).join(' OR '))
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && TEXT_FILE.test(file.name) && !/\.(c|m)?[jt]sx?$/.test(file.name))
    .map((file) => readFileSync(join(folder, file.name), 'utf8').trim())
  const by = typeof author === 'string' ? author : author?.name
  return {
    name,
    version,
    license: stated ?? 'not stated',
    text: files.length > 0 ? files.join('\n\n') : null,
    remark: files.length > 0 ? null : `Its package has no license text${by ? `; it is by ${by}` : ''}.`,
  }
}
