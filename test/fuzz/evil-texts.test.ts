// Evil texts: texts and patterns made to keep a reader busy. Every reader of the gateway and its tests finishes.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { EVIL } from './evil-texts.ts'

/** All of them together take a second; a regular expression that backtracks takes minutes or more for one. */
const LIMIT_MS = 40_000

test('every reader finishes each text', async () => {
  const program = Bun.spawn([process.execPath, join(import.meta.dir, 'evil-texts.ts')], {
    env: { ...process.env, BUN_BE_BUN: '1' },
    stdout: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const read = (await new Response(program.stdout).text()).split('\n').filter(Boolean)
  expect(read).toEqual(Object.keys(EVIL))
})
