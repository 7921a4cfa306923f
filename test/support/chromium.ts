// The browser of the console's tests: one Chromium for each process that runs tests, started at its first use.
import type { Browser } from 'playwright-core'
import { type BrowserProgram, bundledBrowser, IS_BUNDLED } from './bundled-browser.ts'

const MISSING = 'Name a Chrome or Chromium in the environment variable TOLLGATE_BROWSER.'

/**
 * The browser that TOLLGATE_BROWSER names, or else the one of the development dependency.
 * @throws Error with advice if no browser is available
 */
export async function browserProgram(
  env: Record<string, string | undefined> = process.env,
): Promise<BrowserProgram> {
  const { TOLLGATE_BROWSER: named } = env
  if (named) {
    const path = Bun.which(named)
    if (!path) throw new Error(`TOLLGATE_BROWSER: program "${named}" not found. ${MISSING}`)
    return { path, env: {} }
  }
  if (!IS_BUNDLED)
    throw new Error(`The browser that comes with the tests is for Linux on x64 only. ${MISSING}`)
  return await bundledBrowser()
}

let launched: Promise<Browser> | undefined

/** The browser of this process. Playwright ends it with the process. */
export const browser = (): Promise<Browser> => (launched ??= launch())

async function launch(): Promise<Browser> {
  const { path, env } = await browserProgram()
  const { chromium } = await import('playwright-core')
  const started = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env, TZ: 'UTC' },
    // The sandbox needs a namespace, which neither root nor most containers may create. The browser loads only the console.
    chromiumSandbox: false,
    // Otherwise, on a machine without a GPU, it looks three times for one and for a software GPU before it draws by itself.
    args: ['--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu'],
  })
  // The runner ends all programs of a test that took too long: the tests after it start another browser.
  started.once('disconnected', () => {
    launched = undefined
  })
  return started
}
