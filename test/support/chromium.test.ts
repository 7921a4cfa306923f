// The choice of the browser for console tests: the one in the environment variable, or the installed one.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { IS_BUNDLED } from './bundled-browser.ts'
import { browserProgram } from './chromium.ts'

test('the browser of TOLLGATE_BROWSER is used without additions', async () => {
  expect(await browserProgram({ TOLLGATE_BROWSER: process.execPath })).toEqual({
    path: process.execPath,
    env: {},
  })
})

test('an unknown browser in TOLLGATE_BROWSER is an error', async () => {
  await expect(browserProgram({ TOLLGATE_BROWSER: 'no-such-browser' })).rejects.toThrow(
    'TOLLGATE_BROWSER: program "no-such-browser" not found.',
  )
})

test.if(IS_BUNDLED)(
  'without the variable, the browser of the dependency runs with its own libraries',
  async () => {
    const { path, env } = await browserProgram({})
    expect(existsSync(env.FONTCONFIG_FILE ?? '')).toBe(true)
    const child = Bun.spawn([path, '--version'], { env, stdout: 'pipe' })
    expect(await child.stdout.text()).toStartWith('Chromium ')
    expect(await child.exited).toBe(0)
  },
)

test.if(!IS_BUNDLED)('on other platforms, TOLLGATE_BROWSER must name a browser', async () => {
  await expect(browserProgram({})).rejects.toThrow('TOLLGATE_BROWSER')
})
