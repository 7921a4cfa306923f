// Screenshots of every page of the console, light, dark, on a tablet and on a phone, with a week of data: `bun run screenshots FOLDER`.
// --as=support or --as=auditor takes the operator's pages as that role sees them, on a desktop and on a phone.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { StaffRow } from '../../src/store/schema.ts'
import { browser } from '../support/chromium.ts'
import { givePasswords, pageOf } from '../support/console.ts'
import type { ConsolePage, Theme } from '../support/console-page.ts'
import type { Size } from '../support/screens.ts'
import { addressOf, PAGES, type Viewer } from './pages.ts'
import { startWeek } from './week.ts'

const LOOKS: readonly { name: string; size: Size; theme: Theme }[] = [
  { name: 'light', size: 'wide', theme: 'light' },
  { name: 'dark', size: 'wide', theme: 'dark' },
  { name: 'tablet', size: 'tablet', theme: 'dark' },
  { name: 'phone', size: 'phone', theme: 'light' },
]

const say = (line: string) => process.stdout.write(`${line}\n`)

/** @param only the beginnings of page names; empty for all pages */
async function takePictures(
  folder: string,
  only: readonly string[],
  staff: StaffRow['role'] | undefined,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  await using week = await startWeek()
  await givePasswords(week.gateway, ['alice'])
  const pages = PAGES.filter(
    ({ name, who }) =>
      (only.length === 0 || only.some((begin) => name.startsWith(begin))) &&
      (staff === undefined || who === 'operator'),
  )
  const looks = LOOKS.filter(({ name }) => staff === undefined || name === 'light' || name === 'phone')
  for (const [who, own] of Map.groupBy(pages, (page) => page.who))
    for (const { name: look, size, theme } of looks) {
      await using visit = await pageOf(
        week.gateway,
        staff ? { staff } : who === 'nobody' ? undefined : asOf(who),
        {
          size,
          theme,
        },
      )
      for (const { name, address } of own) {
        const path = join(folder, `${name}-${look}.png`)
        await picture(visit, addressOf(address, week), path).catch((thrown: Error) =>
          say(`${name}: ${thrown.message}`),
        )
        say(path)
      }
    }
  await (await browser()).close()
}

/** The whole page in one view, so that elements at the window's edges are where a reader sees them. */
async function picture({ open, quiet, page }: ConsolePage, address: string, path: string): Promise<void> {
  const size = page.viewportSize()
  await open(address)
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  if (size) await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
  await quiet()
  // Charts appear after their code has loaded.
  await page.waitForTimeout(500)
  await page.screenshot({ path })
  if (size) await page.setViewportSize(size)
}

const asOf = (who: Exclude<Viewer, 'nobody'>) => (who === 'operator' ? 'operator' : { account: who })

const { values, positionals } = parseArgs({ options: { as: { type: 'string' } }, allowPositionals: true })
const [folder, ...only] = positionals
const staff = (['operator', 'support', 'auditor'] as const).find((role) => role === values.as)
if (folder === undefined) {
  say('Name the folder that the pictures go to: bun run screenshots /tmp/pictures [page …]')
  process.exit(2)
}
await takePictures(folder, only, staff)
