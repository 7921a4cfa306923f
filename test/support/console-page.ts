// A page of the console in a real browser, and what must hold for every page: nothing on its console, no foreign request, no
// refused content, no serious finding of axe, no scrolling to the side, no jump while it loads.
import { expect } from 'bun:test'
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { axeFindings, OF_COLOURS } from './axe.ts'
import { browser } from './chromium.ts'
import { eventually } from './eventually.ts'
import { IS_LONG } from './long.ts'
import { SCREENS, type Size } from './screens.ts'

export type Theme = 'light' | 'dark'

export interface PageOptions {
  size?: Size
  theme?: Theme
  /** The time zone that the browser says it is in; UTC where absent. */
  time_zone?: string
}

export interface ConsolePage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Opens an address (`/console/calls?…`), and waits until its data is there. */
  open(address: string): Promise<void>
  /** Goes there as a link on the page does, without loading it anew. */
  go(address: string): Promise<void>
  /** Waits until the page asks for nothing and shows no skeleton. A live feed does not count. */
  quiet(): Promise<void>
  /** Problems that match are the test's own doing: a refusal that it provokes, a gateway that it stops. */
  allow(pattern: RegExp): void
  /** Asserts that nothing has gone wrong until now: console, errors, foreign requests, content that the policy refused. */
  isClean(): Promise<void>
  /** `isClean`, and nothing jumped while it loaded or reaches beyond the screen's width. */
  fits(): Promise<void>
  /**
   * Asserts what must hold of whatever is shown, an open dialog included: `fits`, and axe finds nothing. The next look is in
   * the other theme; a long run looks in both each time. On both screens it fits each, and axe looks at one after the other.
   */
  looksRight(): Promise<void>
}

/** A sum of layout shifts above this is a jump that a reader notices (web.dev/cls calls 0.1 good). */
const MAX_SHIFT = 0.02
const QUIET_MS = 60
/** Until React has shown what was done before it, and its effects have run. */
export const NEXT_FRAME =
  'new Promise((resolve) => (setTimeout(resolve, 100), requestAnimationFrame(() => requestAnimationFrame(resolve))))'
/** Of one step, two of which fit into a test: a busy machine takes a second for what a calm one does in 100 ms. */
const TIMEOUT_MS = 25_000
/** What lasts as long as its page. */
const IS_FEED = /\/(?:live|events)(?:[/?]|$)/

/** Runs in the page before its own code does. */
const WATCH = `
  globalThis.tollgateRefused = []
  globalThis.tollgateShift = 0
  globalThis.tollgateMoved = []
  document.addEventListener('securitypolicyviolation', (event) => {
    globalThis.tollgateRefused.push(event.violatedDirective + ': ' + event.blockedURI)
  })
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      globalThis.tollgateShift += value
      for (const { node } of sources) globalThis.tollgateMoved.push((node?.textContent ?? '').slice(0, 60))
    }
  }).observe({ type: 'layout-shift', buffered: true })
`
const SIDE_SCROLL = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const BUSY = '[aria-busy="true"]'
/** How much moved, and the beginnings of what did. */
const SHIFT = '({ shift: globalThis.tollgateShift, moved: globalThis.tollgateMoved })'
const NO_SHIFT = 'globalThis.tollgateShift = 0, globalThis.tollgateMoved = []'

/**
 * A page in a context of its own, not signed in. When it is left, the next one of the same origin and size gets its context,
 * emptied: what a browser has compiled of the pages costs more than most tests.
 *
 * @param origin the only host that it may ask
 */
export async function consolePage(origin: string, options: PageOptions = {}): Promise<ConsolePage> {
  const { size = 'wide', theme = 'light', time_zone = 'UTC' } = options
  const kind = `${origin} ${size}`
  const left = LEFT.get(kind)?.pop()
  const page = left ?? (await newPage(origin, size))
  await page.emulateMedia({ colorScheme: theme })
  if (left) await page.setViewportSize(SCREENS[size])
  const atUtc = await inZone(page, time_zone)
  return await visitOf(page, {
    origin,
    theme,
    is_both: size === 'both',
    async leave() {
      await atUtc()
      await leave(page, kind)
    },
  })
}

/** Pages that nobody is on, by origin and size. */
const LEFT = new Map<string, Page[]>()

/**
 * Puts a page into a time zone: a context that is made for one loads and compiles all anew.
 *
 * @returns what takes it back to the browser's, UTC
 */
async function inZone(page: Page, time_zone: string): Promise<() => Promise<void>> {
  if (time_zone === 'UTC') return () => Promise.resolve()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: time_zone })
  return () => session.detach().catch(ignoreClosed)
}

/** A page that is closed has no session. */
const ignoreClosed = () => undefined

async function newPage(origin: string, size: Size): Promise<Page> {
  const context = await (await browser()).newContext({
    baseURL: origin,
    viewport: SCREENS[size],
    reducedMotion: 'reduce',
    locale: 'en-US',
    ...(size === 'phone' ? { hasTouch: true, isMobile: true } : {}),
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  await context.addInitScript(WATCH)
  const page = await context.newPage()
  limitKeyboard(page)
  return page
}

/** The steps of Playwright's keyboard have no time-out: a page that takes no key would be seen as a test that timed out, without a place. */
function limitKeyboard({ keyboard }: Page): void {
  for (const name of ['press', 'type'] as const) {
    const step = keyboard[name].bind(keyboard)
    keyboard[name] = async (text, options) => {
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(new Error(`the page did not take ${name} "${text}"`)), TIMEOUT_MS)
      await Promise.race([step(text, options), late]).finally(() => clearTimeout(timer))
    }
  }
}

/** Empties a page and its context for the next who comes. One that was closed, or has become several, is closed for good. */
async function leave(page: Page, kind: string): Promise<void> {
  const context = page.context()
  if (page.isClosed() || context.pages().length > 1) return await context.close()
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.emulateMedia({ media: null })
  await page.evaluate(FORGET).catch(() => {
    // Its address is none that keeps anything.
  })
  // A page of its origin that asks for nothing: on `about:blank` it would lose its process, and what that has compiled.
  const is_served = await page.goto('/healthz').then(
    () => true,
    () => false,
  )
  if (!is_served) return await context.close()
  await context.clearCookies()
  LEFT.set(kind, [...(LEFT.get(kind) ?? []), page])
}

const FORGET = 'localStorage.clear(), sessionStorage.clear()'

interface Shifted {
  shift: number
  moved: string[]
}

const AT_REST: Shifted = { shift: 0, moved: [] }

interface Visiting {
  origin: string
  theme: Theme
  /** Each look is at a phone's width, too. */
  is_both: boolean
  leave: () => Promise<void>
}

async function visitOf(page: Page, { origin, theme, is_both, leave }: Visiting): Promise<ConsolePage> {
  const problems = watchProblems(page, origin)
  const asking = watchRequests(page)

  let loading = AT_REST
  let shown = theme
  let looks = 0
  const axeFindsNothing = async (rules?: readonly string[]): Promise<void> => {
    const findings = await axeFindings(page, rules)
    expect({ theme: shown, findings }).toEqual({ theme: shown, findings: [] })
  }
  const self: ConsolePage = {
    page,
    context: page.context(),
    async open(address) {
      await page.goto(address)
      await page.locator('h1').first().waitFor()
      await self.quiet()
      loading = await page.evaluate<Shifted>(SHIFT)
    },
    async go(address) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)}), ${NO_SHIFT}`)
      await self.quiet()
      loading = await page.evaluate<Shifted>(SHIFT)
    },
    async quiet() {
      // What was done just now may not have asked for anything yet.
      const from_ms = performance.now()
      const isAtRest = () =>
        asking.size === 0 && asking.restMs() >= QUIET_MS && performance.now() - from_ms >= QUIET_MS
      await page.evaluate(NEXT_FRAME).catch(() => {
        // It goes to another page, whose requests are awaited.
      })
      for (;;) {
        await eventually('the page asked for nothing', isAtRest)
        await page.locator(BUSY).first().waitFor({ state: 'detached' })
        if (isAtRest()) return
      }
    },
    allow: (pattern) => void problems.allowed.push(pattern),
    async isClean() {
      expect(problems.seen()).toEqual([])
      expect(await page.evaluate('globalThis.tollgateRefused')).toEqual([])
    },
    async fits() {
      await self.isClean()
      expect(loading.shift > MAX_SHIFT ? loading : AT_REST).toEqual(AT_REST)
      await fitsWidth(page)
      expect(await page.title()).toMatch(/ · \S|API reference$/)
    },
    async looksRight() {
      await self.fits()
      looks += 1
      if (!is_both || looks % 2 === 1) await axeFindsNothing()
      if (is_both)
        await asOnPhone(page, async () => {
          await fitsWidth(page)
          if (looks % 2 === 0) await axeFindsNothing()
        })
      shown = shown === 'light' ? 'dark' : 'light'
      await page.emulateMedia({ colorScheme: shown })
      if (IS_LONG) await axeFindsNothing(OF_COLOURS)
    },
    [Symbol.asyncDispose]: leave,
  }
  return self
}

const fitsWidth = async (page: Page): Promise<void> =>
  expect(await page.evaluate<number>(SIDE_SCROLL)).toBeLessThanOrEqual(0)

/** Makes a page as narrow as a phone while something is done. */
async function asOnPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const own = page.viewportSize() ?? SCREENS.wide
  await page.setViewportSize(SCREENS.phone)
  await page.evaluate(NEXT_FRAME)
  await look()
  await page.setViewportSize(own)
  await page.evaluate(NEXT_FRAME)
}

function watchProblems(page: Page, origin: string): { allowed: RegExp[]; seen(): string[] } {
  const problems: string[] = []
  const allowed: RegExp[] = []
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type()))
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`thrown: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      problems.push(`a request to another host: ${request.url()}`)
  })
  return {
    allowed,
    seen: () => problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem))),
  }
}

/** The requests under way but for feeds, and for how long none has begun or ended. */
function watchRequests(page: Page): { readonly size: number; restMs(): number } {
  const open = new Set<unknown>()
  let last_ms = performance.now()
  page.on('request', (request) => {
    if (IS_FEED.test(request.url())) return
    open.add(request)
    last_ms = performance.now()
  })
  const ended = (request: unknown) => {
    if (open.delete(request)) last_ms = performance.now()
  }
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return {
    get size() {
      return open.size
    },
    restMs: () => performance.now() - last_ms,
  }
}
