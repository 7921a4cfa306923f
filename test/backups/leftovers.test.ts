// Leftovers of killed commands: removed by the next start or command, and never while a process uses them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeLeftovers } from '../../src/app/process/leftovers.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { takeLock } from '../../src/store/lock.ts'
import { writeArchive } from '../../src/store/new-archive.ts'
import { makeWorkFolder, removeAbandonedWork } from '../../src/store/work-folder.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { commandOf } from '../support/programs.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { answerHere, answerOf, endedHere, heldAnswer, heldFile } from './support.ts'

const MB = 1_000_000

let scratch: TemporaryFolder
let data: string
let archive: string
beforeAll(async () => {
  scratch = temporary()
  data = scratch.at('data')
  archive = scratch.at('all.tar.zst')
  mkdirSync(join(data, 'plugins'), { recursive: true })
  await answerHere(['account', 'create', 'anna', '--data', data])
  // Larger than all buffers on the way, so that half of it can be held back.
  writeFileSync(join(data, 'plugins/large.bin'), randomBytes(4 * MB))
  await answerHere(['backup', archive, '--data', data])
})
afterAll(() => scratch[Symbol.dispose]())

/** Names that exist only during some work. */
const unfinishedIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /unfinished|^\.(restore|backup-|new-)|tollgate-verify-/.test(name))
    .sort()

interface Running {
  left: string[]
  kill(): Promise<void>
  exited: Promise<number>
  signal(name: NodeJS.Signals): void
}

const begin = (args: readonly string[], env: Record<string, string> = {}) =>
  Bun.spawn([...commandOf('gateway'), ...args], {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, ...env },
  })

/**
 * Starts a command that something holds up, and waits until it has begun.
 *
 * @param folder in which its work appears
 * @param shows the names of its work
 */
async function running(
  args: readonly string[],
  folder: string,
  shows: (name: string) => boolean,
  env: Record<string, string> = {},
): Promise<Running> {
  const child = begin(args, env)
  const left = () => unfinishedIn(folder).filter(shows)
  await eventually('the work has begun', () => child.exitCode !== null || left().length > 0)
  if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`)
  return {
    left: left(),
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    exited: child.exited,
    signal: (name) => child.kill(name),
  }
}

/** A stopped copy of the database alone, which nothing can hold up: a copy that ends before it is stopped is made again. */
async function stoppedCopy(copy: string, data_folder: string): Promise<Omit<Running, 'signal'>> {
  for (;;) {
    const found = Promise.withResolvers<void>()
    const isPart = (name: string) => name.startsWith(`${basename(copy)}.`)
    const watcher = watch(dirname(copy), (_, name) => {
      if (name !== null && isPart(name)) found.resolve()
    })
    const child = begin(['backup', '--database-only', copy, '--data', data_folder])
    await Promise.race([found.promise, child.exited])
    watcher.close()
    child.kill('SIGSTOP')
    await eventually('the copy is stopped', () => child.exitCode !== null || isStopped(child.pid))
    const left = unfinishedIn(dirname(copy)).filter(isPart)
    const kill = async () => {
      child.kill('SIGKILL')
      await child.exited
    }
    if (left.length > 0 && !existsSync(copy)) return { left, kill, exited: child.exited }
    await kill()
    rmSync(copy, { force: true })
  }
}

/** The state of a process by proc(5), stat. */
const isStopped = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === 'T'
  } catch {
    // The process has ended.
    return false
  }
}

/** A restore that has read half of its archive. */
async function halfRestored(into: string) {
  mkdirSync(into)
  const half = heldFile(scratch.at(crypto.randomUUID()), archive, 2 * MB)
  const args = ['restore', half.path, '--to', into, '--data', data]
  const restore = await running(args, into, (name) => name === '.restore')
  return { ...restore, go: half.go, [Symbol.dispose]: half[Symbol.dispose] }
}

const isUnfinishedArchive = (name: string) => /^one\.tar\.zst\.[0-9a-f]{8}\.unfinished$/.test(name)

/** @returns the command's words about leftovers */
async function nextCommand(): Promise<string> {
  const { status, err } = await endedHere(['account', 'list', '--data', data])
  expect(status).toBe(0)
  return err
}

async function nextStart(environment: Record<string, string> = {}): Promise<string> {
  const log_path = scratch.at(`${crypto.randomUUID()}.log`)
  const folder = { path: data, database_path: join(data, 'tollgate.db'), keys: [], [Symbol.dispose]() {} }
  await using gateway = await startGatewayProcess('', folder, { log_path, environment })
  gateway.signal('SIGTERM')
  await gateway.ended
  return readFileSync(log_path, 'utf8')
}

describe.each([
  ['the next command', nextCommand, 'Removed files that earlier versions or killed commands left'],
  ['the next start', () => nextStart(), 'removed files that earlier versions or killed commands left'],
] as const)('after a killed backup, %s', (_, next, words) => {
  test('removes the copy of the database and the unfinished archive', async () => {
    using backups = temporary()
    {
      using _ = heldAnswer(data)
      const args = ['backup', backups.at('one.tar.zst'), '--data', data]
      const backup = await running(args, backups.path, isUnfinishedArchive)
      expect(unfinishedIn(data)).toEqual([expect.stringMatching(/^\.backup-.{6}$/)])
      await backup.kill()
    }
    expect(await next()).toContain(words)
    expect([...unfinishedIn(data), ...readdirSync(backups.path)]).toEqual([])
  })
})

test('the unpacked files of a killed restore are removed by the next one', async () => {
  const into = scratch.at('into')
  using restore = await halfRestored(into)
  await restore.kill()
  expect(unfinishedIn(into)).toEqual(['.restore'])
  await answerHere(['restore', archive, '--to', into, '--data', data])
  expect(unfinishedIn(into)).toEqual([])
  expect((await answerHere(['account', 'show', 'anna', '--data', into])).name).toBe('anna')
  rmSync(into, { recursive: true })
})

test('a killed copy of the database alone is removed by the next command', async () => {
  using folder = temporary()
  using copies = temporary()
  await answerHere(['account', 'create', 'ben', '--data', folder.path])
  const db = openDatabase(folder.at('tollgate.db'))
  // Enough rows for the copy to take a while.
  db.run('CREATE TABLE filler (bytes BLOB)')
  for (let at = 0; at < 48; at++) db.run('INSERT INTO filler VALUES (randomblob(1000000))')
  db.close()
  const copy = await stoppedCopy(copies.at('copy.db'), folder.path)
  expect((await endedHere(['account', 'list', '--data', folder.path])).err).toBe('')
  expect(unfinishedIn(copies.path)).toEqual(copy.left)
  await copy.kill()
  expect((await endedHere(['account', 'list', '--data', folder.path])).err).toContain(copy.left[0] ?? '?')
  expect([...readdirSync(copies.path), ...unfinishedIn(folder.path)]).toEqual([])
})

test("an export of a person's data is removed by the next command once it is killed, and not before", async () => {
  using exports = temporary()
  {
    using _ = heldAnswer(data)
    const args = ['account', 'export', 'anna', '--out', exports.at('one.tar.zst'), '--data', data]
    const exporting = await running(args, exports.path, isUnfinishedArchive)
    expect(await nextCommand()).toBe('')
    expect(unfinishedIn(exports.path)).toEqual(exporting.left)
    await exporting.kill()
  }
  expect(await nextCommand()).toContain('one.tar.zst')
  expect([...readdirSync(exports.path), ...unfinishedIn(data)]).toEqual([])
})

test.each(['SIGTERM', 'SIGINT'] as const)('an export ended by %s leaves nothing', async (signal) => {
  using exports = temporary()
  using held = heldAnswer(data)
  const args = ['account', 'export', 'anna', '--out', exports.at('one.tar.zst'), '--data', data]
  const exporting = await running(args, exports.path, isUnfinishedArchive)
  exporting.signal(signal)
  let status: number | undefined
  void exporting.exited.then((ended) => {
    status = ended
  })
  await eventually('the export has ended', () => {
    // The export may not have come to the held answer yet.
    if (status === undefined) held.tryGo()
    return status !== undefined
  })
  expect(status).toBe(1)
  expect([...readdirSync(exports.path), ...unfinishedIn(data)]).toEqual([])
})

describe('running work is not removed, and comes to its end', () => {
  test('a backup', async () => {
    using backups = temporary()
    using held = heldAnswer(data)
    const args = ['backup', backups.at('one.tar.zst'), '--data', data]
    const backup = await running(args, backups.path, isUnfinishedArchive)
    const before = [...unfinishedIn(data), ...readdirSync(backups.path)]
    expect(await nextCommand()).toBe('')
    expect(removeLeftovers(data)).toEqual([])
    expect([...unfinishedIn(data), ...readdirSync(backups.path)]).toEqual(before)
    await held.go()
    expect(await backup.exited).toBe(0)
    expect([...unfinishedIn(data), ...readdirSync(backups.path)]).toEqual(['one.tar.zst'])
    expect(await answerHere(['backup', 'verify', backups.at('one.tar.zst'), '--data', data])).toMatchObject({
      clean: true,
    })
  })

  test('a restore', async () => {
    const into = scratch.at('into')
    using restore = await halfRestored(into)
    expect((await endedHere(['account', 'list', '--data', into])).err).not.toContain('Removed')
    expect(removeLeftovers(into)).toEqual([])
    expect(unfinishedIn(into)).toEqual(['.restore'])
    await restore.go()
    expect(await restore.exited).toBe(0)
    expect(unfinishedIn(into)).toEqual([])
    rmSync(into, { recursive: true })
  })

  test.each([
    ['the next one', (args: readonly string[], env: Record<string, string>) => answerOf(args, env)],
    ['the next start', (_: readonly string[], env: Record<string, string>) => nextStart(env)],
  ])('a drill, whose files are removed once it is killed, by %s', async (_, next) => {
    using tmp = temporary()
    using half = heldFile(scratch.at(crypto.randomUUID()), archive, 2 * MB)
    const env = { TMPDIR: tmp.path }
    const isDrill = (name: string) => name.startsWith('tollgate-verify-')
    const drill = await running(['backup', 'verify', half.path, '--data', data], tmp.path, isDrill, env)
    const args = ['backup', 'verify', archive, '--data', data]
    await answerOf(args, env)
    expect(unfinishedIn(tmp.path)).toEqual(drill.left)
    await drill.kill()
    await next(args, env)
    expect(unfinishedIn(tmp.path)).toEqual([])
  })
})

test.each(['SIGTERM', 'SIGINT'] as const)('a restore ended by %s leaves nothing', async (signal) => {
  const into = scratch.at('into')
  using restore = await halfRestored(into)
  await eventually('the restore has unpacked something', () => existsSync(join(into, '.restore/plugins')))
  restore.signal(signal)
  expect(await restore.exited).toBe(1)
  expect(readdirSync(into)).toEqual(['serve.lock'])
  rmSync(into, { recursive: true })
})

test.skipIf(process.geteuid?.() !== 0)(
  "leftovers of root's killed restore do not keep the folder's owner from starting (skipped if this is not root)",
  async () => {
    const SERVICE = 12_345
    using folder = await prepareDataFolder(catalogueOf({ upstream_url: 'simulator' }))
    Bun.spawnSync(['chown', '-R', String(SERVICE), folder.path])
    const left = join(folder.path, '.restore/images/1')
    mkdirSync(left, { recursive: true, mode: 0o700 })
    chownSync(join(folder.path, '.restore'), SERVICE, SERVICE)
    await using gateway = await startGatewayProcess('', folder, { as_user: SERVICE })
    expect((await fetch(new URL('/readyz', gateway.url))).status).toBe(200)
    expect(existsSync(left)).toBe(true)
    expect((await endedHere(['account', 'list', '--data', folder.path])).status).toBe(0)
  },
)

const HOUR_MS = 3_600_000
const put = (path: string, age_ms = 0): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x')
  const then = new Date(Date.now() - age_ms)
  utimesSync(path, then, then)
}

describe('leftovers by name', () => {
  const TEMPORARY = '.0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1.tmp'
  test.each([
    ['.restore/tollgate.db', 'serve.lock'],
    ['.restore.json.unfinished', 'serve.lock'],
    ['tollgate.db.incoming', 'serve.lock'],
    ['tollgate.db.incoming-wal', 'serve.lock'],
    ['tollgate.db.before-0004.unfinished', 'serve.lock'],
    ['.sync-aB3xYz/file', 'serve.lock'],
    ['.backup/tollgate.db', 'backup.lock'],
    ['backups.json', 'backup.lock'],
    ['backups.json.unfinished', 'backup.lock'],
  ])('%s is removed unless %s is held', (name, lock) => {
    using folder = temporary()
    put(folder.at(name))
    const [top = ''] = name.split('/')
    const unlock = takeLock(folder.at(lock))
    expect(removeLeftovers(folder.path)).toEqual([])
    expect(existsSync(folder.at(name))).toBe(true)
    unlock?.()
    expect(removeLeftovers(folder.path)).toEqual([folder.at(top)])
    expect(existsSync(folder.at(top))).toBe(false)
  })

  test.each(['serve.withdrawals', 'serve.withdrawals.new'])(
    '%s of a killed gateway is removed by the next one alone',
    (name) => {
      using folder = temporary()
      put(folder.at(name))
      expect(removeLeftovers(folder.path)).toEqual([])
      expect(existsSync(folder.at('serve.lock'))).toBe(false)
      expect(removeLeftovers(folder.path, 'serve.lock')).toEqual([folder.at(name)])
    },
  )

  test('a temporary file of the catalogue is removed once it is an hour old', () => {
    using folder = temporary()
    put(folder.at(TEMPORARY), HOUR_MS - 60_000)
    expect(removeLeftovers(folder.path)).toEqual([])
    put(folder.at(TEMPORARY), HOUR_MS + 60_000)
    expect(removeLeftovers(folder.path)).toEqual([folder.at(TEMPORARY)])
  })

  test('nothing else is removed', () => {
    using folder = temporary()
    const names = [
      'tollgate.db',
      'tollgate.toml',
      'tollgate.db.before-0004',
      'before-restore-2026-01-01T000000Z/tollgate.db',
      'backups/tollgate-20261123T030000Z.tar.zst',
      'mine.unfinished',
      '.tmp',
      '.backup-mine/notes',
      '.restored',
      'images/1/x.png',
    ]
    for (const name of names) put(folder.at(name), 9 * HOUR_MS)
    expect(removeLeftovers(folder.path)).toEqual([])
    expect(names.filter((name) => !existsSync(folder.at(name)))).toEqual([])
  })
})

describe('the files noted in a work folder', () => {
  const PREFIX = '.backup-'
  /** A folder as a killed process leaves it: nobody holds its lock. */
  function abandoned(parent: string, elsewhere: string): string {
    const path = join(parent, `${PREFIX}killed`)
    mkdirSync(path)
    writeFileSync(join(path, 'lock'), '')
    writeFileSync(join(path, 'elsewhere.json'), elsewhere)
    return path
  }

  test('are removed if they are unfinished, with the files that SQLite made beside them', () => {
    using folder = temporary()
    const file = folder.at('copy.db.1234abcd.unfinished')
    for (const suffix of ['', '-journal', '-wal', '-shm']) put(file + suffix)
    const path = abandoned(folder.path, JSON.stringify([file]))
    expect(removeAbandonedWork({ parent: folder.path, prefix: PREFIX })).toEqual([
      file,
      `${file}-journal`,
      `${file}-wal`,
      `${file}-shm`,
      path,
    ])
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('are removed in no other case, whatever the note says', () => {
    using folder = temporary()
    using other = temporary()
    const kept = [other.at('tollgate.db'), other.at('folder.unfinished/x')]
    for (const path of kept) put(path)
    symlinkSync(other.at('tollgate.db'), other.at('link.unfinished'))
    const named = [kept[0], other.at('folder.unfinished'), other.at('link.unfinished'), 7, null]
    const path = abandoned(folder.path, JSON.stringify(named))
    expect(removeAbandonedWork({ parent: folder.path, prefix: PREFIX })).toEqual([path])
    expect(kept.filter((each) => !existsSync(each))).toEqual([])
  })

  test.each(['', '{', '{}', 'null', '"x.unfinished"'])('are left alone by a torn note: %j', (text) => {
    using folder = temporary()
    const path = abandoned(folder.path, text)
    expect(removeAbandonedWork({ parent: folder.path, prefix: PREFIX })).toEqual([path])
  })

  test('and the folder are left alone while it is in use, also by its own process', () => {
    using folder = temporary()
    const place = { parent: folder.path, prefix: PREFIX }
    const work = makeWorkFolder(place)
    expect(removeAbandonedWork(place)).toEqual([])
    work.remove()
    expect(readdirSync(folder.path)).toEqual([])
  })

  test.skipIf(process.geteuid?.() !== 0)(
    "and another user's folder are left alone (skipped if this is not root)",
    () => {
      using folder = temporary()
      const path = abandoned(folder.path, '[]')
      chownSync(path, 12_345, 12_345)
      expect(removeAbandonedWork({ parent: folder.path, prefix: PREFIX })).toEqual([])
      expect(existsSync(path)).toBe(true)
    },
  )
})

test('of two writers of one archive, one writes it whole, and the other fails', async () => {
  using folder = temporary()
  const path = folder.at('one.tar.zst')
  async function* content(text: string) {
    for (let at = 0; at < 20; at++) {
      yield Buffer.from(text.repeat(1_000))
      await Bun.sleep(0)
    }
  }
  const ended = await Promise.allSettled(['a', 'b'].map((text) => writeArchive(path, content(text))))
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(readFileSync(path, 'utf8')).toMatch(/^(a{20000}|b{20000})$/)
  expect(readdirSync(folder.path)).toEqual(['one.tar.zst'])
})
