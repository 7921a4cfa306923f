// Refusals of an upgrade before it replaces anything: the executable and its folder stay unchanged. Programs are scripts here.
import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { sourceOf } from '../../plugins/upgrade/source.ts'
import { type UpgradeOptions, upgradeTo } from '../../plugins/upgrade/upgrade.ts'
import { dataFolder } from '../../src/app/command-line/data-folder.ts'
import { type ServedFile, serveFiles } from '../support/files-server.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { archiveName, archiveOf, CHANGELOG, newKey, releaseOf } from './release.ts'

const place = folderOfEachTest()
const VERSION = '99.0.0'
const NAME = archiveName(VERSION)
const FOUND = { level: 'ok', check: 'schema', found: 'version 31, up to date', advice: null }

/** A program that prints its version, and the findings of its doctor. */
const programOf = (version: string, findings: readonly object[] = [FOUND]): string =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo '${JSON.stringify({ healthy: true, findings })}'; fi\n`

const get = (url: string) => fetch(url, { redirect: 'manual' })

/** Upgrades a script. @param options in place of those of an ordinary upgrade */
async function upgrade(options: Partial<UpgradeOptions> & Pick<UpgradeOptions, 'source'>) {
  mkdirSync(place.at('bin'), { recursive: true })
  const executable = place.at('bin', 'tollgate')
  writeFileSync(executable, 'in use', { mode: 0o750 })
  const folder = dataFolder(place.at('data'), process.env)
  return await upgradeTo({
    executable,
    folder,
    public_key: undefined,
    is_dry: false,
    now_ms: Date.now(),
    ...options,
  })
}

const withData = () => {
  mkdirSync(place.at('data'))
  writeFileSync(place.at('data', 'tollgate.toml'), '')
}

/** Puts the files of a release into a folder. */
function sourceOfFiles(files: Readonly<Record<string, string | Uint8Array>>, name = NAME) {
  mkdirSync(place.at('release'), { recursive: true })
  for (const [each, content] of Object.entries(files)) writeFileSync(place.at('release', each), content)
  return sourceOf(place.at('release', name), get)
}

function expectUntouched() {
  expect(readdirSync(place.at('bin'))).toEqual(['tollgate'])
  expect(readFileSync(place.at('bin', 'tollgate'), 'utf8')).toBe('in use')
}

const key = newKey()
const archive = await archiveOf(VERSION, { tollgate: programOf(VERSION), 'CHANGELOG.md': CHANGELOG })
const release = releaseOf(NAME, archive, key)
const { [NAME]: _, ...without_archive } = release
const { 'checksums.txt': __, ...without_checksums } = release
const { 'checksums.txt.minisig': ___, ...without_signature } = release

describe('a release', () => {
  test('is installed from a file, and the executable keeps the mode of the previous one', async () => {
    const done = await upgrade({ source: sourceOfFiles(release), public_key: key.public_key })
    expect(done).toMatchObject({ from: '0.4.0', to: VERSION, signed: 'tollgate 99.0.0', checked_data: false })
    expect(readdirSync(place.at('bin')).sort()).toEqual(['tollgate', 'tollgate.before'])
    expect(readFileSync(place.at('bin', 'tollgate.before'), 'utf8')).toBe('in use')
    expect(readFileSync(place.at('bin', 'tollgate'), 'utf8')).toBe(programOf(VERSION))
    expect(statSync(place.at('bin', 'tollgate')).mode & 0o777).toBe(0o750)
  })

  test('is only examined by a dry run', async () => {
    const { kept, changes } = await upgrade({ source: sourceOfFiles(release), is_dry: true })
    expect([kept, changes.map(({ version }) => version)]).toEqual([null, [VERSION]])
    expectUntouched()
  })

  test('is not installed twice, so that the kept executable stays the older one', async () => {
    const files = releaseOf(NAME, await archiveOf(VERSION, { tollgate: programOf(VERSION) }))
    const source = sourceOfFiles(files)
    await upgrade({ source })
    const executable = place.at('bin', 'tollgate')
    const folder = dataFolder(place.at('data'), {})
    const again = await upgradeTo({
      source,
      executable,
      folder,
      public_key: undefined,
      is_dry: false,
      now_ms: 0,
    })
    expect(again).toMatchObject({ kept: null, is_same: true, changes: [] })
    expect(readFileSync(place.at('bin', 'tollgate.before'), 'utf8')).toBe('in use')
  })

  test('is downloaded by its URL, through a redirect, without other requests', async () => {
    using host = await serveFiles({ '/store/a': archive })
    const files: Record<string, ServedFile> = Object.fromEntries(
      Object.entries(release).map(([name, content]) => [`/v99/${name}`, content]),
    )
    using server = await serveFiles({ ...files, [`/v99/${NAME}`]: { location: `${host.url}/store/a` } })
    await upgrade({ source: sourceOf(`${server.url}/v99/${NAME}?x=1`, get), public_key: key.public_key })
    expect(server.seen).toEqual(['/v99/checksums.txt', '/v99/checksums.txt.minisig', `/v99/${NAME}`])
    expect(host.seen).toEqual(['/store/a'])
  })
})

describe('an upgrade refuses', () => {
  const damaged = Buffer.from(archive)
  damaged[30] = 255 - (damaged[30] ?? 0)
  const line = release['checksums.txt'] as string

  test.each<[why: string, files: Record<string, string | Uint8Array>, words: string]>([
    ['a wrong checksum', { ...release, [NAME]: damaged }, `The checksum of ${NAME} is wrong`],
    [
      'a part of the archive',
      { ...release, [NAME]: archive.subarray(0, -1) },
      `The checksum of ${NAME} is wrong`,
    ],
    [
      'a list without the archive',
      { ...release, 'checksums.txt': line.replace(NAME, `${NAME}.old`) },
      `has no ${NAME}`,
    ],
    ['a list with the archive twice', { ...release, 'checksums.txt': line + line }, `has ${NAME} twice`],
    [
      'half a checksum',
      { ...release, 'checksums.txt': `${'a'.repeat(32)}  ${' '.repeat(32)}${NAME}` },
      `has no SHA-256 for ${NAME}`,
    ],
    ['a missing list', without_checksums, 'checksums.txt: file not found. It must be beside the archive'],
    [
      'an endless list',
      { ...release, 'checksums.txt': 'x'.repeat(2 ** 20 + 1) },
      'checksums.txt is too large',
    ],
  ])('%s', async (_why, files, words) => {
    await expect(upgrade({ source: sourceOfFiles(files) })).rejects.toThrow(words)
    expectUntouched()
  })

  test.each<[why: string, files: Record<string, string | Uint8Array>, public_key: string, words: string]>([
    ['a missing signature', without_signature, key.public_key, 'checksums.txt.minisig: file not found'],
    [
      'the signature of another key',
      release,
      newKey().public_key,
      'The signature of checksums.txt is not valid: the signature is of key',
    ],
    [
      'a list that was changed after signing',
      { ...release, 'checksums.txt': `${line}\n` },
      key.public_key,
      'is not valid: the signature is not of this content',
    ],
    ['an invalid key', release, 'secret', 'the public key is not one of minisign'],
  ])('%s, if a key is known', async (_why, files, public_key, words) => {
    await expect(upgrade({ source: sourceOfFiles(files), public_key })).rejects.toThrow(words)
    expectUntouched()
  })

  test.each<[why: string, files: Record<string, string>, words: string]>([
    [
      'without an executable',
      { 'tollgate.service': '' },
      'The archive has no tollgate-99.0.0-linux-x64/tollgate',
    ],
    [
      'of another platform',
      { tollgate: 'not a program of this machine' },
      'The executable for linux-x64 does not run on this machine: it is for another system, processor or C library. Nothing was changed.',
    ],
    [
      'whose program says why it does not run',
      { tollgate: '#!/bin/sh\necho "no such library" >&2; exit 127\n' },
      'does not run on this machine: no such library.',
    ],
    [
      'of another version',
      { tollgate: programOf('98.0.0') },
      'it says that it is 98.0.0. Nothing was changed.',
    ],
  ])('an archive %s', async (_why, files, words) => {
    const source = sourceOfFiles(releaseOf(NAME, await archiveOf(VERSION, files)))
    await expect(upgrade({ source })).rejects.toThrow(words)
    expectUntouched()
  })

  test('a file that is not an archive, and a name that is not one of a release', async () => {
    const source = sourceOfFiles(releaseOf(NAME, Buffer.from('no archive')))
    await expect(upgrade({ source })).rejects.toThrow('The archive cannot be unpacked')
    writeFileSync(place.at('release', 'tollgate.tar.gz'), archive)
    const other = sourceOf(place.at('release', 'tollgate.tar.gz'), get)
    await expect(upgrade({ source: other })).rejects.toThrow(
      "tollgate.tar.gz is not the name of a release's archive",
    )
    expectUntouched()
    expect(() => sourceOf(place.at('release'), get)).toThrow(
      'file not found. Give --from the archive of a release',
    )
  })

  test.each([
    'http://example.com/tollgate-1.0.0-linux-x64.tar.gz',
    'ftp://example.com/a',
    'file:///etc/passwd',
    'http://127.0.0.1.example.com/a',
  ])('the address %s', (url) => {
    expect(() => sourceOf(url, get)).toThrow('must begin with https://, because plain HTTP')
  })

  test.each<[why: string, served: Record<string, ServedFile>, words: RegExp]>([
    ['a missing file', without_archive, /tar\.gz could not be downloaded: the server says 404\./],
    [
      'an interrupted download',
      { ...release, [NAME]: { first: archive.subarray(0, 50) } },
      /tar\.gz could not be downloaded: /,
    ],
    [
      'a redirect to plain HTTP',
      { ...release, [NAME]: { location: 'http://192.0.2.1/a' } },
      /^http:\/\/192\.0\.2\.1\/a: must begin with https/,
    ],
    ['an endless redirect', { ...release, [NAME]: { location: `/${NAME}` } }, /redirects more than 5 times/],
    ['a redirect to no URL', { ...release, [NAME]: { location: 'http://[' } }, /it redirects without a URL/],
  ])('%s', async (_why, served, words) => {
    using server = await serveFiles(
      Object.fromEntries(Object.entries(served).map(([name, file]) => [`/${name}`, file])),
    )
    await expect(upgrade({ source: sourceOf(`${server.url}/${NAME}`, get) })).rejects.toThrow(words)
    expectUntouched()
  })

  test('an archive that unpacks to more than a release has, before it is written', async () => {
    const tar = pack()
    tar.entry({ name: `tollgate-${VERSION}-linux-x64/tollgate`, size: 1024 ** 3 + 1 })
    const [header] = await once(tar, 'data')
    const source = sourceOfFiles(releaseOf(NAME, gzipSync(header)))
    await expect(upgrade({ source })).rejects.toThrow('tollgate is too large to belong to a release')
    expectUntouched()
  })

  test('an unreachable address, without its password and token in the message', async () => {
    const source = sourceOf(`https://me:secret@127.0.0.1:1/${NAME}?token=secret`, get)
    const refusal = await upgrade({ source }).catch(String)
    expect(refusal).toContain('https://127.0.0.1:1/checksums.txt could not be downloaded')
    expect(refusal).not.toContain('secret')
    await expect(upgrade({ source: sourceOf('https://127.0.0.1:1/%zz.tar.gz', get) })).rejects.toThrow(
      "is not the name of a release's archive",
    )
    expectUntouched()
  })

  test('a server that does not listen', async () => {
    const server = await serveFiles({})
    server[Symbol.dispose]()
    await expect(upgrade({ source: sourceOf(`${server.url}/${NAME}`, get) })).rejects.toThrow(
      'could not be downloaded',
    )
    expectUntouched()
  })
})

describe('the data folder', () => {
  const OLDER = '0.1.0'
  const sourceSaying = async (version: string, findings: readonly object[] | string) => {
    const program = typeof findings === 'string' ? findings : programOf(version, findings)
    const name = archiveName(version)
    return sourceOfFiles(releaseOf(name, await archiveOf(version, { tollgate: program })), name)
  }
  const unreadable = { ...FOUND, level: 'fail', found: 'version 40, from a newer program; this one knows 31' }
  const mistake = { level: 'fail', check: 'catalogue', found: 'a mistake', advice: 'Fix it.' }

  test.each([OLDER, VERSION])('keeps out version %s, which cannot read it', async (version) => {
    withData()
    await expect(upgrade({ source: await sourceSaying(version, [mistake, unreadable]) })).rejects.toThrow(
      `Tollgate ${version} cannot read the database of ${place.at('data')}: version 40, from a newer program; this one knows 31. Nothing was changed.`,
    )
    expectUntouched()
  })

  test.each([OLDER, VERSION])('allows version %s despite a mistake, which is reported', async (version) => {
    withData()
    const { findings } = await upgrade({ source: await sourceSaying(version, [mistake, FOUND]) })
    expect(findings).toEqual([mistake])
  })

  test('prevents a downgrade, but not an upgrade, if its database cannot be reached', async () => {
    withData()
    const no_server = { ...mistake, check: 'database', found: 'it cannot be reached' }
    await expect(upgrade({ source: await sourceSaying(OLDER, [no_server]) })).rejects.toThrow(
      `Tollgate 0.1.0 does not say whether it can read the database of ${place.at('data')}: it cannot be reached. Nothing was changed.`,
    )
    expectUntouched()
    const { findings } = await upgrade({ source: await sourceSaying(VERSION, [no_server]) })
    expect(findings).toEqual([no_server])
  })

  test('prevents an upgrade to a program that cannot examine it', async () => {
    withData()
    const program = `#!/bin/sh\n[ "$1" = --version ] && echo ${VERSION} || { echo 'unknown command' >&2; exit 1; }\n`
    await expect(upgrade({ source: await sourceSaying(VERSION, program) })).rejects.toThrow(
      ': unknown command. Nothing',
    )
    expectUntouched()
  })

  test('must be named for a downgrade', async () => {
    await expect(upgrade({ source: await sourceSaying(OLDER, []) })).rejects.toThrow(
      `No data found in ${place.at('data')}: name the data folder with --data.`,
    )
    expectUntouched()
  })
})
