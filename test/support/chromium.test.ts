// The choice of the browser for console tests: the one in the environment variable, or the installed one.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { IS_BUNDLED } from './bundled-browser.ts'
import { browserProgram } from './chromium.ts'

test('the browser that TOLLGATE_BROWSER names, as it is', async () => {
  expect(await browserProgram({ TOLLGATE_BROWSER: process.execPath })).toEqual({
    path: process.execPath,
    env: {},
  })
})

test('a named one that does not exist is an error, and nothing stands in for it', async () => {
  await expect(browserProgram({ TOLLGATE_BROWSER: 'no-such-browser' })).rejects.toThrow(
    'TOLLGATE_BROWSER: program "no-such-browser" not found.',
  )
})

test.if(IS_BUNDLED)(
  'otherwise the one of the dependency, which says its version with nothing but its own libraries',
  async () => {
    const { path, env } = await browserProgram({})
    expect(existsSync(env.FONTCONFIG_FILE ?? '')).toBe(true)
    const child = Bun.spawn([path, '--version'], { env, stdout: 'pipe' })
    expect(await child.stdout.text()).toStartWith('Chromium ')
    expect(await child.exited).toBe(0)
  },
)

test.if(!IS_BUNDLED)('elsewhere one must be named', async () => {
  await expect(browserProgram({})).rejects.toThrow('TOLLGATE_BROWSER')
})
