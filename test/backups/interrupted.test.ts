// Killed restores: the folder has nothing or all of the backup, or is refused.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { commandOf } from '../support/programs.ts'
import { temporary } from '../support/temporary.ts'
import { answerHere, answerOf, endedHere, heldFile, tollgate } from './support.ts'

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .filter((path) => path !== 'serve.lock')
    .sort()

/** The mark of this version, and the plan of an earlier one, which replaced the content of a folder. */
const MARKS = ['{}', '{"keep_as":"before-restore-1970-01-01T000000Z"}']
const HALF =
  /has only a part of a backup: a restore into it was interrupted\. Restore the backup into a new folder with --to, then start with it\./

test.each(MARKS)(
  'a folder with the mark %j of an interrupted restore is refused, and nothing in it changes',
  async (mark) => {
    using folder = temporary()
    const put = (path: string, text: string) => {
      mkdirSync(join(folder.path, path, '..'), { recursive: true })
      writeFileSync(folder.at(path), text)
    }
    put('.restore.json', mark)
    for (const path of ['.restore/tollgate.db', 'images/1/a.png', 'before-restore-x/tollgate.db'])
      put(path, 'x')
    const before = filesIn(folder.path)
    for (const args of [
      ['serve', '--listen', '127.0.0.1:0'],
      ['account', 'list'],
      ['account', 'create', 'anna'],
      ['backup', folder.at('b')],
      ['restore', folder.at('b')],
    ]) {
      const run = args[0] === 'serve' ? tollgate : endedHere
      const { status, err } = await run([...args, '--data', folder.path])
      expect([args[0], status, err]).toEqual([args[0], 1, expect.stringMatching(HALF)])
    }
    expect(filesIn(folder.path)).toEqual(before)
  },
)

const KILLS = IS_LONG ? 60 : 4

test(`killed at ${KILLS} moments: nothing, all, or refused; the next restore succeeds`, async () => {
  using folder = temporary()
  const [archive, dir] = [folder.at('a.tar.zst'), folder.at('data')]
  mkdirSync(dir)
  await answerHere(['account', 'create', 'anna', '--data', dir])
  await answerHere(['credit', 'anna', '5', '--data', dir])
  await answerHere(['backup', archive, '--data', dir])
  const began_ms = performance.now()
  await answerOf(['restore', archive, '--data', folder.at('other')])
  const takes_ms = performance.now() - began_ms
  const seen: string[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const into = folder.at(`into-${kill}`)
    const child = Bun.spawn([...commandOf('gateway'), 'restore', archive, '--to', into, '--data', dir], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(takes_ms * (0.3 + (0.8 * kill) / KILLS))
    child.kill('SIGKILL')
    await child.exited
    const { status, err } = await endedHere(['restore', archive, '--data', into])
    if (HALF.test(err)) {
      seen.push('half')
      continue
    }
    seen.push(status === 0 ? 'nothing' : 'all')
    if (status !== 0) expect(err).toContain('is not empty')
    expect((await answerHere(['account', 'show', 'anna', '--data', into])).balance_usd).toBe('5.00')
    expect(await answerHere(['audit', '--data', into])).toMatchObject({ clean: true })
    rmSync(into, { recursive: true })
  }
  if (IS_LONG) process.stderr.write(`${seen.join(' ')}\n`)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a drill ended by %s leaves nothing decrypted behind',
  async (signal) => {
    using folder = temporary()
    using scratch = temporary()
    const data = folder.at('data')
    mkdirSync(join(data, 'plugins'), { recursive: true })
    await answerHere(['account', 'create', 'anna', '--data', data])
    writeFileSync(join(data, 'plugins/large.bin'), randomBytes(2 * 1_048_576))
    const { file } = await answerHere(['backup', folder.at('all.tar.zst'), '--data', data])
    using half = heldFile(folder.at('half'), file, 1_048_576)
    const child = Bun.spawn([...commandOf('gateway'), 'backup', 'verify', half.path, '--data', data], {
      stdout: 'ignore',
      stderr: 'ignore',
      env: { ...process.env, TMPDIR: scratch.path },
    })
    const left = () => readdirSync(scratch.path).filter((name) => name.startsWith('tollgate-verify-'))
    await eventually('the drill has begun to unpack', () =>
      left().some((name) => filesIn(scratch.at(name)).length > 0),
    )
    child.kill(signal)
    expect(await child.exited).toBe(1)
    expect(left()).toEqual([])
  },
)
