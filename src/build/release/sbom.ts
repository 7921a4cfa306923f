// The bill of materials of a release in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): the components of its executables.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { Notice } from '../notices/packages.ts'
import { type NoticedRelease, ROOT } from './files.ts'

/** The suffix that notices add to the name of a part of another component. */
const INSIDE = / \(in (Bun|libvips)\)$/
/** An SPDX identifier of a single licence. */
const SPDX_ID = /^[A-Za-z0-9.-]+$/
const INTEGRITY = /^sha512-([A-Za-z0-9+/]+=*)$/

interface Component {
  readonly type: 'library' | 'framework' | 'platform'
  readonly 'bom-ref': string
  readonly name: string
  readonly group?: string
  readonly version?: string
  readonly licenses: readonly object[]
  readonly purl?: string
  readonly hashes?: readonly { alg: 'SHA-512'; content: string }[]
  readonly components?: readonly Component[]
}

/** Writes `tollgate-VERSION.cdx.json`: every package in an executable, and Bun and libvips with their parts. */
export async function writeBillOfMaterials(release: NoticedRelease): Promise<readonly string[]> {
  const path = join(release.folder, `tollgate-${release.version}.cdx.json`)
  writeFileSync(path, `${JSON.stringify(billOf(release), undefined, 2)}\n`)
  return [path]
}

/** Returns the bill of materials, identical for each build of a release: its serial number is derived from its components. */
function billOf(release: NoticedRelease): object {
  const notices = new Map<string, Notice>()
  for (const platform of release.platforms)
    for (const notice of release.notices(platform).notices)
      notices.set(`${notice.name}@${notice.version}`, notice)
  const components = componentsOf(
    [...notices.values()],
    hashesOf(readFileSync(join(ROOT, 'bun.lock'), 'utf8')),
  )
  const self = `pkg:generic/tollgate@${release.version}`
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${self}${JSON.stringify(components)}`)}`,
    version: 1,
    metadata: {
      timestamp: release.source_date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'tollgate',
        version: release.version,
        description: manifest.description,
        licenses: [{ license: { id: manifest.license } }],
        purl: self,
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map((component) => component['bom-ref']) }],
  }
}

/** Returns the packages, the libraries of libvips, and Bun with its parts, ordered by reference. */
function componentsOf(notices: readonly Notice[], hashes: ReadonlyMap<string, string>): Component[] {
  const inside = (whole: string): Component[] =>
    notices
      .filter(({ name }) => INSIDE.exec(name)?.[1] === whole)
      .map((notice) => partOf(whole, { ...notice, name: notice.name.replace(INSIDE, '') }))
  return notices
    .filter(({ name }) => !INSIDE.test(name))
    .map((notice) => {
      if (notice.name === 'Bun')
        return { ...partOf('', notice), type: 'platform' as const, components: inside('Bun') }
      return packageOf(notice, hashes)
    })
    .concat(inside('libvips'))
    .toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
}

function packageOf({ name, version, license }: Notice, hashes: ReadonlyMap<string, string>): Component {
  const [group, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${encodeURIComponent(group ?? '')}${group ? '/' : ''}${bare}${version === null ? '' : `@${version}`}`
  const hash = hashes.get(`${name}@${version}`)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group ? { group } : {}),
    name: bare ?? name,
    ...(version === null ? {} : { version }),
    licenses: licencesOf(license),
    purl,
    ...(hash ? { hashes: [{ alg: 'SHA-512' as const, content: hash }] } : {}),
  }
}

/** Returns a component that is in no registry. @param whole the component that contains it; empty if it is independent */
function partOf(whole: string, { name, version, license }: Notice): Component {
  const purl = `pkg:generic/${encodeURIComponent(name)}${version === null ? '' : `@${version}`}`
  return {
    type: 'library',
    'bom-ref': whole === '' ? purl : `${whole}/${purl}`,
    name,
    ...(version === null ? {} : { version }),
    // libvips describes the licences of its parts in text.
    licenses: whole === 'libvips' ? [{ license: { name: license } }] : licencesOf(license),
    purl,
  }
}

/** Returns the licence, which packages and our table of Bun's parts give as an SPDX expression. */
const licencesOf = (expression: string): object[] =>
  SPDX_ID.test(expression) ? [{ license: { id: expression } }] : [{ expression }]

/** Returns the SHA-512 of packages in hexadecimal, by `name@version`, from the lock file's text. */
function hashesOf(lock: string): ReadonlyMap<string, string> {
  const { packages } = Bun.JSONC.parse(lock) as { packages: Record<string, readonly unknown[]> }
  return new Map(
    Object.values(packages).flatMap(([name, ...fields]) => {
      const [, base64] = INTEGRITY.exec(String(fields.at(-1))) ?? []
      return typeof name === 'string' && base64 ? [[name, Buffer.from(base64, 'base64').toString('hex')]] : []
    }),
  )
}

/** Returns a UUID derived from a text: version 8 of RFC 9562. */
function uuidOf(text: string): string {
  const bytes = new Bun.CryptoHasher('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
