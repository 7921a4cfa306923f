// Unpacking: complete files, damaged ones replaced, and never in a folder that others can write to.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolders, claimFolder, loadAddon, unpack } from '../../src/build/unpack.ts'

let folder: string
let files: { path: string; embedded_path: string }[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-unpack-'))
  files = ['addon.node', 'libvips.so.1'].map((name) => {
    const embedded_path = join(folder, name)
    writeFileSync(embedded_path, `content of ${name}`)
    return { path: `package/lib/${name}`, embedded_path }
  })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('unpack', () => {
  test('writes every file completely, for this user only', () => {
    unpack(join(folder, 'to'), files)
    for (const { path, embedded_path } of files) {
      expect(readFileSync(join(folder, 'to', path))).toEqual(readFileSync(embedded_path))
      expect(statSync(join(folder, 'to', path)).mode & 0o077).toBe(0)
    }
  })

  test('leaves complete files unchanged', () => {
    unpack(join(folder, 'to'), files)
    const inodes = () => files.map(({ path }) => statSync(join(folder, 'to', path)).ino)
    const before = inodes()
    unpack(join(folder, 'to'), files)
    expect(inodes()).toEqual(before)
  })

  test('removes files that a killed process left an hour ago, but none that another may be writing', () => {
    unpack(join(folder, 'to'), files)
    const lib = join(folder, 'to/package/lib')
    const leave = (name: string, age_ms: number) => {
      writeFileSync(join(lib, name), 'x')
      const then = new Date(Date.now() - age_ms)
      utimesSync(join(lib, name), then, then)
    }
    const [old, young] = [`libvips.so.1.${crypto.randomUUID()}`, `libvips.so.1.${crypto.randomUUID()}`]
    leave(old, 3_660_000)
    leave(young, 60_000)
    leave('libvips.so.1.notes', 3_660_000)
    unpack(join(folder, 'to'), files)
    expect(readdirSync(lib).sort()).toEqual(
      ['addon.node', 'libvips.so.1', 'libvips.so.1.notes', young].sort(),
    )
  })

  test.each([
    ['truncated', (path: string) => writeFileSync(path, 'con')],
    ['empty', (path: string) => writeFileSync(path, '')],
    [
      'a link to elsewhere',
      (path: string) => {
        rmSync(path)
        symlinkSync('/dev/null', path)
      },
    ],
  ])('replaces a file that is %s', (_, damage) => {
    unpack(join(folder, 'to'), files)
    const damaged = join(folder, 'to/package/lib/libvips.so.1')
    damage(damaged)
    unpack(join(folder, 'to'), files)
    expect(readFileSync(damaged, 'utf8')).toBe('content of libvips.so.1')
  })
})

describe('claimFolder', () => {
  test('creates a folder for this user only', () => {
    claimFolder(join(folder, 'a/b'))
    expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['that the group can write to', (path: string) => chmodSync(path, 0o770)],
    ['that everybody can write to', (path: string) => chmodSync(path, 0o702)],
    [
      'that is a link',
      (path: string) => {
        rmSync(path, { recursive: true })
        symlinkSync(tmpdir(), path)
      },
    ],
    [
      'that is a file',
      (path: string) => {
        rmSync(path, { recursive: true })
        writeFileSync(path, '')
      },
    ],
  ])('refuses a folder %s', (_, spoil) => {
    const path = join(folder, 'spoiled')
    mkdirSync(path)
    spoil(path)
    expect(() => claimFolder(path)).toThrow()
  })
})

describe('loadAddon', () => {
  test('gives a reason for each folder that failed', () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, '')
    const writable = join(folder, 'writable')
    const load = () => loadAddon('sharp-1', 'package/lib/addon.node', files, [blocked, writable])
    expect(load).toThrow(`\n${blocked}: `)
    expect(load).toThrow(`\n${writable}: `)
  })
})

describe('cacheFolders', () => {
  test('prefers XDG_CACHE_HOME, then a folder per user in the temporary folder', () => {
    const [first, second] = cacheFolders({ XDG_CACHE_HOME: '/var/cache' })
    expect(first).toBe('/var/cache/tollgate')
    expect(second).toMatch(/tollgate-\d+$/)
  })

  test.each([undefined, ''])('falls back to the home folder if XDG_CACHE_HOME is %p', (value) => {
    expect(cacheFolders({ XDG_CACHE_HOME: value })[0]).toMatch(/[\\/]\.cache[\\/]tollgate$/)
  })
})
