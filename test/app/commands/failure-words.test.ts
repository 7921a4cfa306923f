// Commands on a full disk or an unusable folder: the error is a sentence with the cause, the place and the remedy, never a stack.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { type Ended, endedHere, tollgate } from '../../backups/support.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { commandOf } from '../../support/programs.ts'
import { mayMount, mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts'
import { folderOfFile } from '../../support/test-folder.ts'
import { createScene } from './scene.ts'

const scratch = folderOfFile()
/** A folder with an account, and a backup of it. */
const good = scratch.at('good')
const archive = scratch.at('all.tar.zst')
mkdirSync(good, { mode: 0o700 })
const scene = createScene('database', good)
await scene.run('account', 'create', 'anna')
await scene.json('backup', archive)

function expectWords({ status, out, err }: Ended, words: RegExp): void {
  expect([status, out]).toEqual([1, ''])
  expect(err).toMatch(words)
  expect(err).toStartWith('error: ')
  // Neither a stack nor a line of source.
  expect(err).not.toMatch(/^\s+at |^\s*\d+ \| /m)
}

const SERVE = ['serve', '--listen', '127.0.0.1:0'] as const
/** Runs a gateway or a restore as a process, because it locks its folder; any other command in this process, with the same output. */
const ended = (args: readonly string[]): Promise<Ended> =>
  args[0] === 'serve' || args[0] === 'restore' ? tollgate(args) : endedHere(args)

describe.skipIf(!mayMount)('a full disk (skipped where none may be mounted)', () => {
  // The space of the write-ahead log is free again by the time of the message.
  const FULL =
    /The disk of \S+ is full: [\d.]+ (bytes|kB) are free, and 8\.4 MB are needed\. Free some space there/
  let disk: SmallDisk
  let data: string
  beforeAll(async () => {
    disk = mountSmallDisk()
    data = join(disk.path, 'data')
    cpSync(good, data, { recursive: true })
  })
  beforeEach(async () => {
    // To read, SQLite must be able to make these.
    for (const suffix of ['-wal', '-shm']) rmSync(join(data, `tollgate.db${suffix}`), { force: true })
    await disk.fill()
  })
  afterAll(() => disk[Symbol.dispose]())

  const COMMANDS =
    'account list, account create bob, credit anna 1, key create anna, usage, audit, backup, console link, plugin types'
  test.each([SERVE.join(' '), ...COMMANDS.split(', '), 'restore ARCHIVE --to NEW'])('%s', async (words) => {
    const args = words
      .split(' ')
      .map((word) => ({ ARCHIVE: archive, NEW: join(disk.path, 'new') })[word] ?? word)
    expectWords(await ended([...args, '--data', data]), FULL)
  })

  test('--json keeps the code of the failure', async () => {
    const { err } = await tollgate(['serve', '--data', data, '--json'])
    expect(JSON.parse(err)).toEqual({
      error: {
        message: expect.stringMatching(FULL),
        code: expect.stringMatching(/^(SQLITE_|ENOSPC)/),
        exit_status: 1,
      },
    })
  })

  test.each([
    ['an archive', ['backup'], 'x.tar.zst'],
    ['a copy of the database', ['backup', '--database-only'], 'x.db'],
  ])(
    '%s on a full disk: the error names the disk, the free and the needed space, and no file stays',
    async (_, words, name) => {
      const ended = await tollgate([...words, join(disk.path, name), '--data', good])
      expectWords(
        ended,
        /The disk of \S+ is full: [\d.]+ (bytes|kB) are free, and about [\d.]+ [kM]B are needed\./,
      )
      expect(ended.err).toContain(`The disk of ${disk.path} `)
      expect(readdirSync(disk.path).sort()).toEqual(['ballast', 'data'])
    },
  )

  test('a drill with its temporary folder on the full disk', async () => {
    const ended = await tollgate(['backup', 'verify', archive, '--data', good], { TMPDIR: disk.path })
    expectWords(ended, /The disk of \S+ is full: [\d.]+ (bytes|kB) are free\./)
    expect(readdirSync(disk.path).sort()).toEqual(['ballast', 'data'])
  })

  test('a first start leaves no part of a catalogue, and succeeds once the disk has space', async () => {
    const path = join(disk.path, 'new')
    expectWords(await tollgate([...SERVE, '--data', path]), FULL)
    expect(existsSync(join(path, 'tollgate.toml'))).toBe(false)
    disk.free()
    const folder = { path, database_path: join(path, 'tollgate.db'), keys: [], [Symbol.dispose]() {} }
    await using gateway = await startGatewayProcess('', folder)
    expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200)
    expect(readFileSync(join(path, 'tollgate.toml'), 'utf8')).toBe(FIRST_CATALOGUE)
    await disk.fill()
  })
})

describe('a folder in place of a file, or a file in place of a folder', () => {
  const FOLDER = /\/NAME is a folder, but must be a file of the gateway: move it away/
  type Row = readonly [name: string, is: 'folder' | 'file', command: readonly string[], words: RegExp]
  test.each<Row>([
    ['tollgate.db', 'folder', SERVE, FOLDER],
    ['tollgate.db', 'folder', ['account', 'list'], FOLDER],
    ['serve.lock', 'folder', SERVE, FOLDER],
    ['backup.lock', 'folder', ['backup'], FOLDER],
    ['tollgate.toml', 'folder', SERVE, /cannot be read: it is a folder/],
    ['images', 'file', SERVE, /\/images\/\.incoming: a part of its path is a file instead of a folder/],
    ['responses', 'file', SERVE, /\/responses\/\.incoming: a part of its path is a file/],
    ['plugins', 'file', SERVE, /\/plugins is a file/],
    ['backups', 'file', ['backup'], /\/backups is a file, but must be a folder for backups/],
  ])('%s is a %s: %s', async (name, is, command, words) => {
    const data = scratch.at(crypto.randomUUID())
    cpSync(good, data, { recursive: true })
    rmSync(join(data, name), { recursive: true, force: true })
    if (is === 'folder') mkdirSync(join(data, name))
    else writeFileSync(join(data, name), 'x')
    expectWords(
      await ended([...command, '--data', data]),
      new RegExp(words.source.replace('NAME', name.replace('.', '\\.'))),
    )
  })

  test('a backup names the file that it cannot read', async () => {
    const data = scratch.at('unreadable')
    cpSync(good, data, { recursive: true })
    rmSync(join(data, 'tollgate.toml'))
    mkdirSync(join(data, 'tollgate.toml'))
    const { status, out, err } = await endedHere(['backup', scratch.at('never.tar.zst'), '--data', data])
    expect([status, out]).toEqual([1, ''])
    expect(err).toMatch(/^error: \S+\/tollgate\.toml: this is a folder/m)
    expect(err).not.toMatch(/^\s+at |^\s*\d+ \| /m)
    expect(existsSync(scratch.at('never.tar.zst'))).toBe(false)
  })
})

test.each([
  ['a passphrase', ['backup', '--passphrase-file', 'FOLDER'], /error: \S+: this is a folder/],
  ['variables', ['account', 'list', '--env-file', 'FOLDER'], /error: \S+: this is a folder/],
  ['an archive', ['backup', 'verify', 'FOLDER'], /is a folder: name the file that `tollgate backup` wrote/],
  [
    'a device instead of an archive',
    ['backup', 'verify', '/dev/null'],
    /is a device: name the file that `tollgate backup`/,
  ],
])('%s: %p', async (_, command, words) => {
  const args = command.map((word) => (word === 'FOLDER' ? good : word))
  expectWords(await ended([...args, '--data', good]), words)
})

test.each([
  ['/nonexistent', /\/nonexistent cannot be written: name another folder for temporary files in TMPDIR/],
])('a drill whose TMPDIR is %s', async (TMPDIR, words) => {
  expectWords(await tollgate(['backup', 'verify', archive, '--data', good], { TMPDIR }), words)
})

test.skipIf(process.geteuid?.() !== 0)(
  "`health` says that it cannot read another user's folder, not that no gateway runs (skipped where this is not root)",
  () => {
    const data = scratch.at('others')
    mkdirSync(data, { mode: 0o700 })
    chmodSync(scratch.path, 0o755)
    const { exitCode, stdout } = Bun.spawnSync([...commandOf('as-user'), '65534', 'health', '--data', data])
    expect([exitCode, stdout.toString()]).toEqual([
      1,
      `this user cannot read ${data}: run this as the user that runs the gateway\n`,
    ])
  },
)
