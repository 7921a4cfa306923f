// A restore that is ended at any point: the next start or command finds the old state whole or the new one whole.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { finishRestore, isRestoreUnfinished, replaceContents } from '../../src/app/process/backup/replace.ts'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { commandOf } from '../support/programs.ts'
import { temporary } from '../support/temporary.ts'
import { answerOf, heldFile } from './support.ts'

const OLD = ['tollgate.db', 'tollgate.db-wal', 'tollgate.toml', 'images/1/a.png', 'answers/x', 'plugins/a.ts']
const NEW = ['tollgate.db', 'tollgate.toml', 'images/1/b.png', 'files/1/c.png']
/** Of neither: they stay where they are. */
const OTHERS = ['serve.lock', 'backups/one', 'tollgate.db.before-0004', 'mine.txt']

function prepare(dir: string): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  for (const path of OLD) put(path, 'old')
  for (const path of NEW) put(`.restore/${path}`, 'new')
  for (const path of OTHERS) if (path !== 'serve.lock') put(path, 'other')
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .filter((path) => path !== 'serve.lock')
    .sort()

const textsOf = (dir: string, paths: readonly string[]) =>
  paths.map(
    (path) => `${path}: ${existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : 'none'}`,
  )

function pointsOf(): string[] {
  using folder = temporary()
  prepare(folder.path)
  const points: string[] = []
  replaceContents(folder.path, 0, (point) => void points.push(point))
  return points
}

const KEPT = 'before-restore-1970-01-01T000000Z'
const points = pointsOf()

test('there are points before, between and after all renames', () => {
  expect(points).toContain('plan')
  expect(points).toContain('keep tollgate.db')
  expect(points).toContain('place tollgate.db')
  expect(points).toContain('clean')
  expect(points.length).toBeGreaterThan(15)
})

test.each(points.map((point, at) => [point, at] as const))('ended before "%s"', (_, last) => {
  using folder = temporary()
  const dir = folder.path
  prepare(dir)
  let at = 0
  const end = () => {
    if (at++ === last) throw new Error('ended')
  }
  expect(() => replaceContents(dir, 0, end)).toThrow('ended')
  const has_begun = isRestoreUnfinished(dir)
  finishRestore(dir)
  finishRestore(dir)
  expect(isRestoreUnfinished(dir)).toBe(false)
  if (last === 0) {
    expect(has_begun).toBe(false)
    expect(textsOf(dir, OLD)).toEqual(OLD.map((path) => `${path}: old`))
    return
  }
  expect(textsOf(dir, NEW)).toEqual(NEW.map((path) => `${path}: new`))
  expect(textsOf(join(dir, KEPT), OLD)).toEqual(OLD.map((path) => `${path}: old`))
  const expected = [...NEW, ...OLD.map((path) => `${KEPT}/${path}`), ...OTHERS.slice(1)].sort()
  expect(filesIn(dir).filter((path) => !path.startsWith('.restore/'))).toEqual(expected)
})

test('two restores in one second keep what each replaced', () => {
  using folder = temporary()
  prepare(folder.path)
  const first = replaceContents(folder.path, 0)
  prepare(folder.path)
  const second = replaceContents(folder.path, 999)
  expect([first, second]).toEqual([KEPT, `${KEPT}-2`])
  for (const kept of [KEPT, `${KEPT}-2`])
    expect(textsOf(folder.at(kept), OLD)).toEqual(OLD.map((path) => `${path}: old`))
})

test.skipIf(process.geteuid?.() !== 0)(
  'root restores into the folder of another user: that one can finish it (skipped where this is not root)',
  () => {
    using folder = temporary()
    prepare(folder.path)
    chownSync(folder.path, 12_345, 12_345)
    const end = () => {
      if (isRestoreUnfinished(folder.path)) throw new Error('ended')
    }
    expect(() => replaceContents(folder.path, 0, end)).toThrow('ended')
    expect(statSync(folder.at('.restore.json')).uid).toBe(12_345)
  },
)

test.each(['{"keep_as":"../elsewhere"}', '{"keep_as":', ''])(
  'the plan %j, which is none of ours, is not followed',
  (text) => {
    using folder = temporary()
    writeFileSync(folder.at('.restore.json'), text)
    expect(() => finishRestore(folder.path)).toThrow('is not what a restore wrote')
  },
)

const KILLS = IS_LONG ? 60 : 4

test(`killed at ${KILLS} moments: old or new, and clean`, async () => {
  using folder = temporary()
  const [archive, dir] = [folder.at('a.tar.zst'), folder.at('data')]
  mkdirSync(dir)
  await answerOf(['account', 'create', 'anna', '--data', dir])
  await answerOf(['credit', 'anna', '5', '--data', dir])
  await answerOf(['backup', archive, '--data', dir])
  const began_ms = performance.now()
  await answerOf(['restore', archive, '--data', folder.at('other')])
  const takes_ms = performance.now() - began_ms
  const seen: string[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    await answerOf(['credit', 'anna', '2', '--data', dir])
    const { balance_usd: before } = await answerOf(['account', 'show', 'anna', '--data', dir])
    const child = Bun.spawn([...commandOf('gateway'), 'restore', archive, '--force', '--data', dir], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(takes_ms * (0.3 + (0.8 * kill) / KILLS))
    child.kill('SIGKILL')
    await child.exited
    const { balance_usd: after } = await answerOf(['account', 'show', 'anna', '--data', dir])
    expect([before, '5.00']).toContain(after)
    expect(await answerOf(['audit', '--data', dir])).toMatchObject({ clean: true })
    seen.push(after === '5.00' ? 'new' : 'old')
  }
  if (IS_LONG) process.stderr.write(`${seen.join(' ')}\n`)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a drill that is ended by %s leaves nothing decrypted behind',
  async (signal) => {
    using folder = temporary()
    using scratch = temporary()
    const data = folder.at('data')
    mkdirSync(join(data, 'plugins'), { recursive: true })
    await answerOf(['account', 'create', 'anna', '--data', data])
    writeFileSync(join(data, 'plugins/large.bin'), randomBytes(2 * 1_048_576))
    const { file } = await answerOf(['backup', folder.at('all.tar.zst'), '--data', data])
    using half = heldFile(folder.at('half'), file, 1_048_576)
    const child = Bun.spawn([...commandOf('gateway'), 'backup', 'verify', half.path, '--data', data], {
      stdout: 'ignore',
      stderr: 'ignore',
      env: { ...process.env, TMPDIR: scratch.path },
    })
    const left = () => readdirSync(scratch.path).filter((name) => name.startsWith('tollgate-verify-'))
    await eventually('it has begun to unpack', () =>
      left().some((name) => filesIn(scratch.at(name)).length > 0),
    )
    child.kill(signal)
    expect(await child.exited).toBe(1)
    expect(left()).toEqual([])
  },
)
