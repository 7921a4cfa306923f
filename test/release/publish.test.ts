// Publishing of a release: the commands that it would run, and the releases that it refuses. Nothing is published.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeChecksums } from '../../src/build/release/checksums.ts'
import { clearFolder, executableIn } from '../../src/build/release/files.ts'
import { packageFiles } from '../../src/build/release/npm.ts'
import { PLATFORMS } from '../../src/build/release/platforms.ts'
import { publishingCommands } from '../../src/build/release/publish.ts'
import { temporary } from '../support/temporary.ts'

const own_folder = temporary()
const folder = own_folder.path
const version = '1.2.3'
const packages = packageFiles({ folder, version, platforms: PLATFORMS })
const image = join(folder, `tollgate-${version}-image.tar`)
const executables = PLATFORMS.map((platform) => executableIn(folder, platform))
afterAll(() => own_folder[Symbol.dispose]())

beforeAll(async () => {
  const files = [...packages, image, ...executables]
  for (const path of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `content of ${path}`)
  }
  await writeChecksums({ folder, version }, files, undefined)
})

const commands = (what: string, dry_run = true, name = 'example.com/name/tollgate') =>
  publishingCommands({ what, version, folder, dry_run, environment: { TOLLGATE_IMAGE: name } })

describe('publishing', () => {
  test('to npm uploads the package of each platform, then the starter, which needs them', async () => {
    const dry = await commands('npm')
    expect(dry.map(([, , path]) => path)).toEqual([...packages])
    expect(dry.at(-1)).toEqual([
      'npm',
      'publish',
      join(folder, 'npm/tollgate-1.2.3.tgz'),
      '--access',
      'public',
      '--dry-run',
    ])
    for (const command of dry) expect(command).toContain('--dry-run')
    expect((await commands('npm', false)).flat()).not.toContain('--dry-run')
  })

  test('of the image copies its platforms to a tag of the version and to latest', async () => {
    expect((await commands('image', false)).map((command) => command.at(-1))).toEqual([
      'docker://example.com/name/tollgate:1.2.3',
      'docker://example.com/name/tollgate:latest',
    ])
    expect((await commands('image')).flat().some((word) => word.startsWith('docker://'))).toBe(false)
  })
})

describe('publishing is refused', () => {
  test('of anything else', () => expect(commands('cake')).rejects.toThrow('must be npm or image, not "cake"'))

  test.each(['', 'tollgate', 'https://example.com/tollgate', 'example.com/Name', 'example.com/a b'])(
    'of an image named "%s"',
    (name) => expect(commands('image', true, name)).rejects.toThrow('TOLLGATE_IMAGE: must be'),
  )

  test('of a package that differs from its checksum', async () => {
    writeFileSync(image, 'changed')
    await expect(commands('image')).rejects.toThrow('is not the file of checksums.txt')
  })

  test('of a release that lacks a platform', async () => {
    rmSync(join(folder, `npm/tollgate-darwin-arm64-${version}.tgz`))
    await expect(commands('npm')).rejects.toThrow('tollgate-darwin-arm64-1.2.3.tgz missing')
  })

  test('of an image for one platform alone', async () => {
    const [, arm64 = ''] = executables
    const content = readFileSync(arm64)
    rmSync(arm64)
    await expect(commands('image')).rejects.toThrow('bin/linux-arm64/tollgate missing')
    writeFileSync(arm64, content)
  })

  test('of files without checksums', async () => {
    rmSync(join(folder, 'checksums.txt'))
    await expect(commands('image')).rejects.toThrow('is not the file of checksums.txt')
  })
})

test('a release replaces the one in its folder, and refuses a folder with anything else', () => {
  const other = join(folder, 'notes.txt')
  writeFileSync(other, 'mine')
  expect(() => clearFolder(folder)).toThrow('has notes.txt, which is not of a release')
  expect(readdirSync(folder)).toContain('npm')
  rmSync(other)
  clearFolder(folder)
  expect(readdirSync(folder)).toEqual([])
})
