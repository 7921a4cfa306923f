// Every page of the console with a week's data: nothing wrong on its console, no foreign request, no serious finding of axe, light and dark, wide and on a phone.
import { afterAll, describe, expect, test } from 'bun:test'
import { axeFindings } from '../support/axe.ts'
import { givePasswords, pageOf } from '../support/console.ts'
import type { ConsolePage, Theme } from '../support/console-page.ts'
import type { ConsoleUser } from '../support/console-session.ts'
import { IS_LONG } from '../support/long.ts'
import type { Size } from '../support/screens.ts'
import { addressOf, PAGES, type Viewer } from './pages.ts'
import { startWeek } from './week.ts'

const week = await startWeek({ calls_a_day: 6 })
await givePasswords(week.gateway, ['alice'])
let current: { name: string; visit: ConsolePage } | undefined
afterAll(async () => {
  await current?.visit[Symbol.asyncDispose]()
  await week[Symbol.asyncDispose]()
})

const VIEWERS: Readonly<Record<Viewer, ConsoleUser | undefined>> = {
  nobody: undefined,
  operator: 'operator',
  alice: { account: 'alice' },
}

/** The first theme of a visit: checks take turns, so that each page is seen in both. */
const THEMES: Readonly<Record<Size, Theme>> = { wide: 'light', tablet: 'light', phone: 'dark', both: 'light' }

/** The page that the last test left, for the same viewer and size; else a new one, signed in. */
async function visitOf(who: Viewer, size: Size): Promise<ConsolePage> {
  const name = `${who} ${size}`
  if (current?.name === name) return current.visit
  await current?.visit[Symbol.asyncDispose]()
  const visit = await pageOf(week.gateway, VIEWERS[who], { size, theme: THEMES[size] })
  if (who !== 'nobody') await visit.open('/console')
  current = { name, visit }
  return visit
}

/** Every other page is checked on a phone, the rest wide; a long run checks each in both. */
const isChecked = (at: number, size: Size): boolean => IS_LONG || (at % 2 === 0) === (size === 'wide')

const pagesOn = (size: Size) =>
  PAGES.map((page, at) => [page.name, page, at] as const).filter(([, , at]) => isChecked(at, size))

const OF_ALL_ACCOUNTS = ['calls', 'keys', 'transactions', 'library'].map((name) => `/console/${name}`)

/**
 * What must not be on a page. `same_names`: links of one name that lead to different places, since a screen reader lists them by
 * their names. `raw_words`: stored words with commands between backticks, outside files and fields, which may hold any. `cut_off`:
 * groups of choices whose last ones are cut off. `overlaid`: rows with overlapping cells.
 */
const FOUND = `({
  missing: [...document.querySelectorAll('h1')].map((heading) => heading.innerText).filter((text) => text === 'Page not found'),
  same_names: [...Map.groupBy(document.querySelectorAll('main a[href]'), (link) => (link.ariaLabel ?? link.textContent).trim())]
    .filter(([, links]) => new Set(links.map((link) => link.href)).size > 1)
    .map(([name, links]) => name + ': ' + links.slice(0, 3).map((link) => link.getAttribute('href')).join(' ')),
  raw_words: [...document.querySelectorAll('main p, main li, main td, main dd, main .notice')]
    .filter((element) => !element.querySelector('textarea, pre, code') && element.textContent.includes('\x60'))
    .map((element) => element.textContent.slice(0, 80)),
  cut_off: [...document.querySelectorAll('main .choices')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.textContent),
  overlaid: [...document.querySelectorAll('main tbody tr')].flatMap((row) => {
    const places = [...row.cells].filter((cell) => cell.textContent !== '').map((cell) => cell.getBoundingClientRect())
      .filter(({ width }) => width > 0).map(({ x, y, right }) => [x, right].map(Math.round) + ' ' + Math.round(y))
    return new Set(places).size < places.length ? [row.textContent] : []
  }),
})`
const NOTHING = { missing: [], same_names: [], raw_words: [], cut_off: [], overlaid: [] }

describe.each(['wide', 'phone'] as const)('%s', (size) => {
  test.each(pagesOn(size))('%s', async (name, { who, address }) => {
    const visit = await visitOf(who, size)
    const there = addressOf(address, week)
    // The page first requests a call of this id.
    if (name === 'refused-request')
      visit.allow(new RegExp(`status of 404.*${there}`.replace('/console/', '/console/api/')))
    // A link takes a tenth of the time of loading; a long run loads each page.
    await (IS_LONG || who === 'nobody' ? visit.open(there) : visit.go(there))
    await visit.looksRight()
    expect(await visit.page.evaluate(FOUND)).toEqual(NOTHING)
    // On a phone, too, each row of a list of all accounts names its account.
    if (OF_ALL_ACCOUNTS.includes(address as string) && who === 'operator')
      for (const row of await visit.page.locator('tbody tr').allInnerTexts())
        expect(row).toMatch(/alice|bob|studio-lea|acme/)
  })
})

/** Changes to the contrast of a heading that has passed. */
const CHANGES = [
  ['its colour', 'Keys', "heading.style.color = '#bbb'"],
  ['the opacity of its container', 'Models', "heading.parentElement.style.opacity = '0.3'"],
  ['its background', 'Library', "heading.parentElement.style.background = '#444'"],
]

test.each(CHANGES)('a passed contrast is measured again after a change of %s', async (_, page, change) => {
  const visit = await visitOf('alice', 'phone')
  await visit.page.emulateMedia({ colorScheme: 'light' })
  await visit.go(`/console/${page.toLowerCase()}`)
  await visit.page.getByRole('heading', { level: 1, name: page }).waitFor()
  await visit.quiet()
  expect(await axeFindings(visit.page)).toEqual([])
  await visit.page.evaluate(`{ const heading = document.querySelector('h1'); ${change} }`)
  expect(await axeFindings(visit.page)).toEqual([expect.stringContaining('color-contrast')])
})
