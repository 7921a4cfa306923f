// The browser of the console's tests: one Chromium for each process that runs tests, started at its first use.
import type { Browser } from 'playwright-core'

/** The first draws the same pages for two thirds of the time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const MISSING =
  'The tests need Chromium. Install it, on Debian by `apt-get install chromium-headless-shell fonts-dejavu-core`, or name the program in ' +
  'the environment variable TOLLGATE_BROWSER.'

/** @throws Error that says what to install where there is none */
export function browserPath(env: Record<string, string | undefined> = process.env): string {
  const { TOLLGATE_BROWSER: named } = env
  const path = named ? Bun.which(named) : NAMES.map((name) => Bun.which(name)).find((found) => found !== null)
  if (!path) throw new Error(named ? `TOLLGATE_BROWSER: there is no program "${named}". ${MISSING}` : MISSING)
  return path
}

let launched: Promise<Browser> | undefined

/** The browser of this process. Playwright ends it with the process. */
export const browser = (): Promise<Browser> => (launched ??= launch())

async function launch(): Promise<Browser> {
  const executablePath = browserPath()
  const { chromium } = await import('playwright-core')
  return await chromium.launch({
    executablePath,
    // A namespace of its own is what neither root nor most containers may have. It loads the console only.
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-background-networking'],
  })
}
