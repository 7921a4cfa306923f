// Texts and patterns of callers, providers and operators that are made to take long: whoever reads them comes to an end.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { EVIL } from './evil-texts.ts'

/** All of them take a second; a regular expression that backtracks takes minutes to ages for one. */
const LIMIT_MS = 40_000

test('each is read to its end', async () => {
  const program = Bun.spawn([process.execPath, join(import.meta.dir, 'evil-texts.ts')], {
    env: { ...process.env, BUN_BE_BUN: '1' },
    stdout: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const read = (await new Response(program.stdout).text()).split('\n').filter(Boolean)
  expect(read).toEqual(Object.keys(EVIL))
})
