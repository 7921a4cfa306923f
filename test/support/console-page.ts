// A page of the console in a real browser, and what must hold for every page: nothing on its console, no foreign request, no
// refused content, no serious finding of axe, no scrolling to the side, no jump while it loads.
import { expect } from 'bun:test'
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { axeFindings, COLOUR_RULES } from './axe.ts'
import { browser } from './chromium.ts'
import { eventually } from './eventually.ts'
import { IS_LONG } from './long.ts'
import { SCREENS, type Size } from './screens.ts'

export type Theme = 'light' | 'dark'

export interface PageOptions {
  size?: Size
  theme?: Theme
  /** The time zone of the browser; UTC by default. */
  time_zone?: string
}

export interface ConsolePage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Opens an address (`/console/calls?…`), and waits until its data is there. */
  open(address: string): Promise<void>
  /** Navigates as a link on the page does, without a reload. */
  go(address: string): Promise<void>
  /** Waits until no request is pending and no skeleton is visible. A live feed does not count. */
  quiet(): Promise<void>
  /**
   * Forgets the problems and allowances of another test that used this page.
   * @returns whether the page is as after its opening, without a dialog that a failed test left open
   */
  begin(): Promise<boolean>
  /** Ignores problems that match: the test causes them, such as by stopping the gateway. */
  allow(pattern: RegExp): void
  /** Asserts that the page had no console messages, errors, requests to other hosts or content that the policy refused. */
  isClean(): Promise<void>
  /** Asserts `isClean`, no layout shift while loading, and no content beyond the screen's width; with size `both`, of both screens. */
  fits(): Promise<void>
  /**
   * Asserts `fits` and no findings of axe, also for an open dialog. Each further call switches the theme first; a long run checks both
   * themes each time. With size `both` it checks the width of both screens, and runs axe on them in turns.
   */
  looksRight(): Promise<void>
}

/** A sum of layout shifts above this is a jump that a reader notices (web.dev/cls calls 0.1 good). */
const MAX_SHIFT = 0.02
const QUIET_MS = 60
/** Waits until React has rendered earlier changes and run their effects. */
export const NEXT_FRAME =
  'new Promise((resolve) => (setTimeout(resolve, 100), requestAnimationFrame(() => requestAnimationFrame(resolve))))'
/** Per step, so that a test can have two. A busy machine takes a second for 100 ms of work. */
const TIMEOUT_MS = 25_000
/** Requests that last as long as their page. */
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
const FRAME = `({ refused: globalThis.tollgateRefused, side_scroll: ${SIDE_SCROLL}, title: document.title, has_heading: document.querySelector('h1')?.checkVisibility() === true })`
const DIALOG = '[role="dialog"], [role="alertdialog"]'
const BUSY = '[aria-busy="true"]'
/** The layout shift, and the beginnings of the texts that moved. */
const SHIFT = '({ shift: globalThis.tollgateShift, moved: globalThis.tollgateMoved })'
const NO_SHIFT = 'globalThis.tollgateShift = 0, globalThis.tollgateMoved = []'

/**
 * Opens a page in its own context, not signed in. The context is emptied and reused for the next page of the same origin
 * and kind of device, because compiling the console's scripts again costs more than most tests.
 * @param origin the only host that the page may send requests to
 */
export async function consolePage(origin: string, options: PageOptions = {}): Promise<ConsolePage> {
  const { size = 'wide', theme = 'light', time_zone = 'UTC' } = options
  const kind = `${origin} ${size === 'phone' ? 'mobile' : ''}`
  const left = LEFT.get(kind)?.pop()
  const page = left ?? (await newPage(origin, size))
  await page.emulateMedia({ colorScheme: theme })
  if (left) await page.setViewportSize(SCREENS[size])
  const atUtc = await inZone(page, time_zone)
  let is_left = false
  return await visitOf(page, {
    origin,
    theme,
    is_both: size === 'both',
    async leave() {
      if (is_left) return
      is_left = true
      await atUtc()
      await leave(page, origin, kind)
    },
  })
}

/** Unused pages by origin and kind of device. */
const LEFT = new Map<string, Page[]>()

/**
 * Sets a page's time zone. A new context with that time zone would compile all scripts again.
 * @returns a function that restores UTC
 */
async function inZone(page: Page, time_zone: string): Promise<() => Promise<void>> {
  if (time_zone === 'UTC') return () => Promise.resolve()
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: time_zone })
  return () => session.detach().catch(ignoreClosed)
}

/** A closed page has no session. */
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

/** Adds a timeout to keyboard steps. Playwright has none, so a blocked page would time out the test without naming the step. */
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

const FORGET = 'localStorage.clear(), sessionStorage.clear()'

/** Empties a page and its context for reuse. A context whose page was closed, or that has several pages, is closed. */
async function leave(page: Page, origin: string, kind: string): Promise<void> {
  const context = page.context()
  if (page.isClosed() || context.pages().length > 1) return await context.close()
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.emulateMedia({ media: null })
  const is_served = await fetch(`${origin}/healthz`).then(
    (answer) => answer.arrayBuffer().then(() => true),
    () => false,
  )
  if (!is_served) return await context.close()
  const is_silent = await page.evaluate<boolean>(silence(origin)).catch(() => false)
  if (!is_silent) {
    // A page of the same origin. On `about:blank` the page would lose its process and the compiled scripts.
    await page.goto('/healthz')
    await page.evaluate(FORGET)
  }
  await context.clearCookies()
  LEFT.set(kind, [...(LEFT.get(kind) ?? []), page])
}

/**
 * Ends all work of a page that stays until the next visit opens another: a navigation to an empty page would take a third of the time
 * of opening a page. Its address becomes another, so that an address with another hash is a new page.
 */
const silence = (origin: string): string => `
  (() => {
    if (location.origin !== ${JSON.stringify(origin)}) return false
    const stop = (event) => (event.preventDefault(), event.stopImmediatePropagation())
    const never = () => new Promise(() => {})
    addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true })
    for (const name of ['error', 'unhandledrejection']) addEventListener(name, stop, { capture: true })
    for (let timer = setTimeout(never); timer > 0; timer--) clearTimeout(timer)
    Object.assign(globalThis, { fetch: never, setTimeout: never, setInterval: never, console: { ...console, error: never, warn: never } })
    window.stop()
    History.prototype.replaceState.call(history, null, '', '/healthz')
    ${FORGET}
    Storage.prototype.setItem = never
    document.documentElement.hidden = true
    return true
  })()
`

const OTHER_THEME: Readonly<Record<Theme, Theme>> = { light: 'dark', dark: 'light' }

interface Shifted {
  shift: number
  moved: string[]
}

const AT_REST: Shifted = { shift: 0, moved: [] }

interface Frame {
  refused: string[]
  side_scroll: number
  title: string
  has_heading: boolean
}

interface Visiting {
  origin: string
  theme: Theme
  /** Each check includes a phone's width. */
  is_both: boolean
  leave: () => Promise<void>
}

async function visitOf(page: Page, { origin, theme, is_both, leave }: Visiting): Promise<ConsolePage> {
  const problems = watchProblems(page, origin)
  const requests = watchRequests(page)

  const own_size = page.viewportSize() ?? SCREENS.wide
  let loading = AT_REST
  let current_theme = theme
  let looks = 0
  const changeTheme = async (colorScheme: Theme) => {
    current_theme = colorScheme
    await page.emulateMedia({ colorScheme })
  }
  const axeFindsNothing = async (rules?: readonly string[]): Promise<void> => {
    const findings = await axeFindings(page, rules)
    expect({ theme: current_theme, findings }).toEqual({ theme: current_theme, findings: [] })
  }
  const fitsScreen = async (): Promise<void> => {
    expect(problems.seen()).toEqual([])
    expect(loading.shift > MAX_SHIFT ? loading : AT_REST).toEqual(AT_REST)
    // The frame with its notices is there before the page, which has the title.
    let frame = await page.evaluate<Frame>(FRAME)
    if (!frame.has_heading) {
      await page.locator('h1').first().waitFor()
      frame = await page.evaluate<Frame>(FRAME)
    }
    const { refused, side_scroll, title } = frame
    expect(refused).toEqual([])
    expect(side_scroll).toBeLessThanOrEqual(0)
    expect(title).toMatch(/ · \S|API reference$/)
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
      // The last action may not have sent its requests yet.
      const from_ms = performance.now()
      const isAtRest = () =>
        requests.size === 0 && requests.restMs() >= QUIET_MS && performance.now() - from_ms >= QUIET_MS
      await page.evaluate(NEXT_FRAME).catch(() => {
        // The page navigates; the loop below waits for the new page's requests.
      })
      for (;;) {
        await eventually('the page has no pending requests', isAtRest)
        await page.locator(BUSY).first().waitFor({ state: 'detached' })
        if (isAtRest()) return
      }
    },
    async begin() {
      if (page.isClosed()) return false
      problems.begin()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.setViewportSize(own_size)
      return (await page.locator(DIALOG).count()) === 0
    },
    allow: (pattern) => void problems.allowed.push(pattern),
    async isClean() {
      expect(problems.seen()).toEqual([])
      expect(await page.evaluate('globalThis.tollgateRefused')).toEqual([])
    },
    async fits() {
      await fitsScreen()
      if (is_both) await asOnPhone(page, () => fitsWidth(page))
    },
    async looksRight() {
      await fitsScreen()
      looks += 1
      const look_theme = looks % 2 === 1 ? theme : OTHER_THEME[theme]
      if (look_theme !== current_theme) await changeTheme(look_theme)
      if (!is_both || looks % 2 === 1) await axeFindsNothing()
      if (is_both)
        await asOnPhone(page, async () => {
          await fitsWidth(page)
          if (looks % 2 === 0) await axeFindsNothing()
        })
      if (!IS_LONG) return
      await changeTheme(OTHER_THEME[current_theme])
      await axeFindsNothing(COLOUR_RULES)
    },
    [Symbol.asyncDispose]: leave,
  }
  return self
}

const fitsWidth = async (page: Page): Promise<void> =>
  expect(await page.evaluate<number>(SIDE_SCROLL)).toBeLessThanOrEqual(0)

/** Runs `look` with the page at a phone's width. */
async function asOnPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const own = page.viewportSize() ?? SCREENS.wide
  await page.setViewportSize(SCREENS.phone)
  await page.evaluate(NEXT_FRAME)
  await look()
  await page.setViewportSize(own)
  await page.evaluate(NEXT_FRAME)
}

interface Problems {
  allowed: RegExp[]
  seen(): string[]
  /** Forgets all problems and allowances. */
  begin(): void
}

function watchProblems(page: Page, origin: string): Problems {
  const problems: string[] = []
  const allowed: RegExp[] = []
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type()))
      problems.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`thrown: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url())
    if (target !== origin && protocol !== 'data:' && protocol !== 'blob:')
      problems.push(`a request to another host: ${request.url()}`)
  })
  return {
    allowed,
    begin() {
      problems.length = 0
      allowed.length = 0
    },
    seen: () => problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem))),
  }
}

/** Counts pending requests, without feeds, and measures the time since the last one started or ended. */
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
