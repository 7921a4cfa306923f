// Archives that unpack to more than they may: both commands refuse them in plain words, and leave nothing of them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { roomIn } from '../../plugins/backups/archive/unpack-room.ts'
import { startBackupProcess } from '../../plugins/backups/running/process.ts'
import { MAX_RESERVE_BYTES } from '../../src/store/disk-room.ts'
import { MIGRATIONS } from '../../src/store/engines/sqlite/migrate.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'

const MB = 1_000_000
const GB = 1_000 * MB
const HEAD = JSON.stringify({
  tollgate_backup: 1,
  version: '1.0',
  schema_version: MIGRATIONS.length,
  made_at_ms: 0,
})

let target: Scene
let scratch: TemporaryFolder
const system_tmp = process.env.TMPDIR
beforeAll(async () => {
  target = createScene('nothing')
  scratch = temporary()
  await target.run('account', 'create', 'ben')
  mkdirSync(scratch.at('tmp'))
  process.env.TMPDIR = scratch.at('tmp')
})
afterAll(() => {
  if (system_tmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = system_tmp
  target.remove()
  scratch[Symbol.dispose]()
})

/** A header of tar (POSIX.1-2017, pax, "ustar Interchange Format"). @param size its field of 12 bytes */
function header(name: string, size: string | Buffer, type = '0'): Buffer {
  const block = Buffer.alloc(512)
  block.write(name, 0)
  block.write('0000600\0', 100)
  Buffer.from(size as string, 'latin1').copy(block, 124)
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
const octal = (bytes: number) => `${bytes.toString(8).padStart(11, '0')}\0`
/** A size above the range of octal digits. */
const binary = (first: number, ...last: number[]): Buffer => {
  const field = Buffer.alloc(12)
  field[0] = first
  Buffer.from(last).copy(field, 12 - last.length)
  return field
}
const padded = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)])
}
const file = (name: string, text: string): Buffer =>
  Buffer.concat([header(name, octal(Buffer.byteLength(text))), padded(text)])
const pax = (text: string): Buffer =>
  Buffer.concat([header('pax', octal(Buffer.byteLength(text)), 'x'), padded(text)])

const image = (size: string | Buffer, type?: string) => header('images/1/a.png', size, type)
const head = () => file('backup.json', HEAD)
const compressed = (...parts: Buffer[]): Buffer => zstdCompressSync(Buffer.concat(parts))
/** Zeros in frames of their own: some kilobytes for each gigabyte. */
const ZEROS = zstdCompressSync(Buffer.alloc(64 * MB))
const zeros = (gigabytes: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil((gigabytes * 1_000) / 64) }, () => ZEROS))
/** The beginning of an archive, and then zeros. */
const endless = (gigabytes: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([compressed(...parts), zeros(gigabytes)])

async function many(count: number, nameOf: (at: number) => string): Promise<Buffer> {
  const tar = pack()
  tar.entry({ name: 'backup.json' }, HEAD)
  for (let at = 0; at < count; at++) tar.entry({ name: nameOf(at) }, '')
  tar.finalize()
  return zstdCompressSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>)))
}

const ROOM = /there is room for|has no room/
const DAMAGED = /damaged or no backup of Tollgate/
const PADDING = /unpacks to far more than the files in it/
const MAX = /unpacks to more than the [\d.]+ \w+ that --max-bytes allows/

type Row = readonly [what: string, make: () => Buffer | Promise<Buffer>, words: RegExp, ...args: string[]]
const BOMBS: readonly Row[] = [
  ['100 GB of zeros, and no tar at all', () => zeros(100), PADDING],
  ['100 GB of zeros after the head', () => endless(100, head()), PADDING],
  ['100 GB of zeros after the manifest', () => endless(100, head(), file('tollgate.db', 'x')), PADDING],
  ['a file of 8 GB that ends early', () => compressed(head(), image('77777777777\0')), DAMAGED],
  ['a file of 8 EB', () => compressed(head(), image(binary(0x80, 0x6f, 0, 0, 0, 0, 0, 0, 0))), ROOM],
  [
    'a real file of 100 GB, in zeros',
    () => endless(100, head(), image(binary(0x80, 0x17, 0x48, 0x76, 0xe8, 0))),
    MAX,
    '--max-bytes',
    '1GB',
  ],
  ['a negative size', () => compressed(head(), image(binary(0xff, 1))), DAMAGED],
  ['a size that is not a number', () => compressed(head(), image('xxxxxxxxxxx\0')), DAMAGED],
  [
    'a larger size of pax',
    () => compressed(head(), pax('31 size=9000000000000000000000\n'), image(octal(1)), padded('x')),
    ROOM,
  ],
  [
    'a size of pax that is not a number',
    () => compressed(head(), pax('12 size=huge\n'), image(octal(1)), padded('x')),
    DAMAGED,
  ],
  ['a header of pax of 1 GB', () => endless(1, head(), header('pax', octal(GB), 'x')), DAMAGED],
  ['a long name of 1 GB', () => endless(1, head(), header('long', octal(GB), 'L')), DAMAGED],
  ['a sparse file', () => compressed(head(), image(octal(1), 'S'), padded('x')), DAMAGED],
  ['a head of 1 GB', () => endless(1, header('backup.json', octal(GB))), DAMAGED],
  ['a manifest of 1 GB', () => endless(1, head(), header('manifest.json', octal(GB))), DAMAGED],
  [
    'a size below that of the content',
    () => compressed(head(), image(octal(1)), padded('x'.repeat(9_000))),
    DAMAGED,
  ],
  ['a size above that of the content', () => compressed(head(), image(octal(9_000)), padded('x')), DAMAGED],
  ['2,000 empty files', () => many(2_000, (at) => `images/1/${at}.png`), MAX, '--max-bytes', '1MB'],
  [
    'files in folders 250 deep',
    () => many(20, (at) => `images/${at}/${'a/'.repeat(250)}x`),
    MAX,
    '--max-bytes',
    '1MB',
  ],
  [
    'a little more than allowed',
    () => compressed(head(), file('images/1/a.png', 'x'.repeat(8_193))),
    MAX,
    '--max-bytes',
    '12287',
  ],
]

const COMMANDS = [
  ['restore', (path: string) => ['restore', path, '--to', scratch.at('new')]],
  ['verify', (path: string) => ['backup', 'verify', path]],
] as const

/** The names in the data folder, except those that come and go with a connection. */
const kept = () => readdirSync(target.dir).filter((name) => !/^serve\.lock$|-(wal|shm)$/.test(name))

describe.each(COMMANDS)('%s', (_, wordsOf) => {
  test.each(BOMBS)('%s', async (_what, make, words, ...more) => {
    const path = scratch.at('bomb.tar.zst')
    writeFileSync(path, await make())
    const before = kept()
    const err = await target.refusal(...wordsOf(path), ...more)
    expect(err).toMatch(words)
    expect(err).toMatch(/^error: .*Nothing was changed[.;]/)
    expect(readdirSync(tmpdir())).toEqual([])
    expect(kept()).toEqual(before)
    expect(await target.json('account', 'show', 'ben')).toMatchObject({ name: 'ben' })
  })
})

test('a refused restore leaves no new folder, and nothing in an existing one', async () => {
  const path = scratch.at('bomb.tar.zst')
  writeFileSync(path, compressed(head(), image(octal(9_000)), padded('x')))
  const restore = (dir: string) => createScene('nothing', dir).run('restore', path)
  expect((await restore(scratch.at('new/er/data'))).err).toMatch(DAMAGED)
  expect(existsSync(scratch.at('new'))).toBe(false)
  mkdirSync(scratch.at('old/data'), { recursive: true })
  expect((await restore(scratch.at('old/data'))).err).toMatch(DAMAGED)
  expect(readdirSync(scratch.at('old/data'))).toEqual(['serve.lock'])
})

test('--max-bytes also limits a copy of the database alone', async () => {
  const copy = scratch.at('copy.db')
  await target.json('backup', '--database-only', copy)
  expect(await target.refusal('restore', copy, '--to', scratch.at('new'), '--max-bytes', '100kB')).toMatch(
    MAX,
  )
  expect(await target.json('account', 'show', 'ben')).toMatchObject({ name: 'ben' })
})

test('a drill at the console says why an archive was refused', async () => {
  const name = 'tollgate-20261123T030000Z.tar.zst'
  mkdirSync(target.path('backups'))
  writeFileSync(target.path(`backups/${name}`), zeros(100))
  const { ended } = startBackupProcess(target.dir, { kind: 'verify', name }, () => {})
  expect(await ended).toEqual({ failure: expect.stringMatching(PADDING) })
})

test('an archive within the limit is unpacked', async () => {
  const archive = scratch.at('good.tar.zst')
  await target.json('backup', archive)
  const { content_bytes } = await target.json('backup', 'verify', archive)
  const verified = await target.run('backup', 'verify', archive, '--max-bytes', String(content_bytes + 8_192))
  expect([verified.status, verified.err]).toEqual([0, ''])
  const less = String(content_bytes - 8_192)
  expect(await target.refusal('backup', 'verify', archive, '--max-bytes', less)).toMatch(MAX)
})

test.each(['', '0', '-1', '1.5.5', '10XB', 'ten', '0.5B', '1e9'])(
  '--max-bytes %j is wrong usage',
  async (size) => {
    const { status, err } = await target.run('backup', 'verify', 'x', `--max-bytes=${size}`)
    expect([status, err]).toEqual([2, expect.stringContaining('Write a size, such as 20GB or 500MB.')])
  },
)

describe('the reserve', () => {
  const disk =
    (free_bytes: number, all_bytes: number, places = { ffree: 1e6, files: 1e6 }) =>
    () =>
      ({ bavail: free_bytes, bsize: 1, blocks: all_bytes, ...places }) as ReturnType<
        typeof import('node:fs').statfsSync
      >
  const taking = (bytes: number, statfs: ReturnType<typeof disk>, folders = 0) => {
    const room = roomIn(
      { folder: '/data', archive: 'a' },
      statfs as unknown as typeof import('node:fs').statfsSync,
    )
    return () => room.take(bytes, folders)
  }
  test.each([
    ['is 512 MB of a large disk', 100 * GB, MAX_RESERVE_BYTES],
    ['is a tenth of a small one', GB, GB / 10],
  ])('%s', (_, all_bytes, reserve_bytes) => {
    const size = 10 * 4096
    expect(taking(size, disk(reserve_bytes + size, all_bytes))).not.toThrow()
    expect(taking(size, disk(reserve_bytes + size - 1, all_bytes))).toThrow(ROOM)
    // Folders take a block each.
    expect(taking(size, disk(reserve_bytes + size, all_bytes), 1)).toThrow(ROOM)
  })

  test('is one in a hundred of the places for files', () => {
    const places = (ffree: number) => disk(10 * GB, 100 * GB, { ffree, files: 1_000 })
    expect(taking(1, places(11))).not.toThrow()
    expect(taking(1, places(10))).toThrow(/more files than \/data has places for/)
    expect(taking(1, places(11), 1)).toThrow(/places/)
    // File systems without a number of places.
    expect(taking(1, disk(10 * GB, 100 * GB, { ffree: 0, files: 0 }))).not.toThrow()
  })
})

describe.skipIf(!mayMount)('on a small disk (skipped if none may be mounted)', () => {
  test.each([
    ['one file', (bytes: number) => file('images/1/a.png', 'x'.repeat(bytes))],
    [
      'several',
      (bytes: number) =>
        Buffer.concat(
          Array.from({ length: 30 }, (_, at) => file(`images/1/${at}.png`, 'x'.repeat(bytes / 30))),
        ),
    ],
  ])(
    '%s as large as the free space: refused before the disk is full, and all of the space is freed',
    async (_, files) => {
      using disk = mountSmallDisk()
      const small = createScene('nothing', disk.path)
      await small.run('account', 'create', 'ben')
      const path = scratch.at('large.tar.zst')
      writeFileSync(path, compressed(head(), files(24_000_000)))
      const before = readdirSync(disk.path)
      expect(await small.refusal('restore', path, '--to', small.path('new'))).toMatch(
        /there is room for.* stay free\./,
      )
      expect(readdirSync(disk.path).filter((name) => !before.includes(name))).toEqual([])
      expect(await small.json('account', 'show', 'ben')).toMatchObject({ name: 'ben' })
    },
  )
})
