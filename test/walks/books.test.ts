// The health check and the transactions in a browser: failed checks with their figures, passed checks, and entries filtered and as a file.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { aligned } from '../../plugins/console/web/parts/amounts.ts'
import { fileConsole } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole()
const operator = await signedIn(gateway, 'operator')
const alice = await gateway.account('alice', { balance_usd: '12.5' })
await operator.json('POST', `/accounts/${alice.id}/debit`, {
  amount: '2.5',
  note: 'hardware',
})
const request = { model: 'sim-pro', messages: [{ role: 'user', content: 'Hello' }] }
await (await gateway.call('/v1/chat/completions', request, { key: await gateway.key('alice') })).arrayBuffer()
await gateway.rest()

const sumOf = (kind: string) =>
  gateway
    .rows()
    .entries.filter((entry) => entry.kind === kind)
    .reduce((sum, { amount_nanos }) => sum + Math.abs(amount_nanos), 0)

test('the health check shows failed checks and hides passed ones; transactions are filtered and exported', async () => {
  await using one = await visit('operator')
  const { page } = one
  await one.open('/console/books')
  await page.waitForURL(/\/console\/system\/health-check$/)
  await page.getByText('So far, only the books were checked, when the gateway started.').waitFor()
  const linesOf = async (table: string) => {
    const lines = await page.getByRole('table', { name: table }).getByRole('row').allInnerTexts()
    return lines.map((line) => line.replace(/\s+/g, ' ').trim())
  }
  const runChecks = async (verdict: RegExp) => {
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.getByRole('button', { name: 'Checking' }).waitFor()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    await page.getByText(verdict).waitFor()
    const [books, check_up] = await Promise.all(
      ['/books', '/doctor'].map((path) => operator.json('GET', path)),
    )
    return {
      rules: books.last.report.rules as { meaning: string; over: string; breaches: number }[],
      findings: check_up.last.report.findings as { level: string; found: string }[],
    }
  }

  const well = await runChecks(/^(?:No problems found|\d+ warnings?)\.$/)
  const warnings = well.findings.filter(({ level }) => level === 'warn').length
  const passed = well.rules.length + well.findings.length - warnings
  expect(await page.getByRole('row').count()).toBe(warnings === 0 ? 0 : 1 + warnings)
  await page.getByText(`${passed} checks passed`).click()
  const charged = sumOf('charge')
  expect(charged).toBeGreaterThan(0)
  const usd = aligned([12.5e9, 2.5e9, charged, 10e9 - charged])
  expect(await linesOf('The books as one sum')).toEqual([
    `Topped up 1 account ${usd(sumOf('top_up'))}`,
    `Charged for calls 1 call − ${usd(charged)}`,
    `Refunded ${usd(0)}`,
    `Debited − ${usd(sumOf('withdrawal'))}`,
    `Balance of all accounts ${usd(10e9 - charged)} USD`,
  ])
  expect(gateway.rows().accounts).toMatchObject([{ balance_nanos: 10e9 - charged }])
  const [, ...passed_lines] = await linesOf('Checks passed')
  expect(passed_lines).toHaveLength(passed)
  for (const [at, { over, meaning }] of well.rules.entries())
    expect(passed_lines[at]).toStartWith(`Books: ${over} Passed ${meaning} `)
  // Text between backticks appears as code, without the backticks.
  expect(await page.getByRole('main').textContent()).not.toContain('`')
  await one.fits()

  gateway.db.run('UPDATE accounts SET balance_nanos = balance_nanos + 7')
  await runChecks(/^1 problem found(?:, \d+ warnings?)?\.$/)
  gateway.db.run('UPDATE accounts SET balance_nanos = balance_nanos - 7')
  const [, problem = ''] = await linesOf('Problems')
  expect(problem).toStartWith('Books: accounts Failed ')
  expect(problem).toContain(`account ${alice.id}: is ${10e9 - charged + 7}, should be ${10e9 - charged} `)
  await one.looksRight()
  await one.go('/console/system')
  await page.getByText(/^1 problem found(?:, \d+ warnings?)?\.$/).waitFor()
  await page.getByRole('link', { name: 'Open health check' }).click()
  await page.getByRole('table', { name: 'Problems' }).waitFor()

  await one.go('/console/entries?account=nobody')
  one.allow(/status of 404/)
  await page.getByText('Account not found').waitFor()
  await one.go('/console/transactions?account=alice')
  await page.getByRole('table', { name: 'Transactions' }).waitFor()
  expect(await linesOf('Transactions')).toHaveLength(1 + gateway.rows().entries.length)
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Debits' }).click()
  await page.waitForURL(/kind=withdrawal/)
  await one.quiet()
  expect(await linesOf('Transactions')).toEqual([
    'When No. Type For USD Balance, USD',
    expect.stringMatching(/^\d\d:\d\d:\d\d \d+ Debit hardware −2\.50 10\.00$/),
  ])
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^tollgate-entries-\d{4}-\d\d-\d\d\.csv$/)
  const [head, line = '', ...rest] = readFileSync(await file.path(), 'utf8').split('\r\n')
  expect(head).toStartWith('id,time_utc,account,kind,amount_usd')
  expect(line).toContain(',alice,withdrawal,-2.50,-2500000000,')
  expect(rest).toEqual([''])
  await page.getByText('1 transaction').waitFor()

  await page.getByLabel('From day (UTC)').fill('2999-01-01')
  await page.getByText('No transactions found').waitFor()
  await page.getByRole('button', { name: 'Show all transactions' }).click()
  await page.getByText('Top-up').first().waitFor()
  const all = gateway.rows().entries.length
  await page.getByText(`${all} transactions`).waitFor()
  await page.getByRole('link', { name: 'Monthly statement' }).click()
  await page.waitForURL(/statement\?account=alice/)
  await page.getByRole('table', { name: 'Statement' }).waitFor()
  expect(await linesOf('Statement')).toEqual([
    'Entry By model, USD USD',
    expect.stringMatching(/^Opening balance 1 \w+ \d{4} 0\.0+$/),
    `Top-ups 1 transaction ${usd(12.5e9)}`,
    `Debits 1 transaction ${usd(-2.5e9)}`,
    `Charges 1 call ${usd(-charged)}`,
    `sim-pro 1 call ${usd(-charged)}`,
    `Balance now ${usd(10e9 - charged)}`,
  ])
  await one.fits()

  // On paper: the statement alone, with the brand.
  await page.emulateMedia({ media: 'print' })
  const main = page.locator('main')
  expect((await main.innerText()).split(/\n+/).slice(0, 2)).toEqual(['Tollgate', 'Statement'])
  for (const hidden of ['nav', 'button', '.side-bar', '.button'])
    expect(await page.locator(hidden).filter({ visible: true }).count()).toBe(0)
  await page.emulateMedia({ media: null })

  await page.getByRole('combobox', { name: 'Month (UTC)' }).click()
  await page.getByRole('option', { name: /^\w+ \d{4} \(UTC\)$/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Top-ups' }).click()
  await page.waitForURL(/transactions\?account=alice&kind=top_up&since=\d{4}-\d\d-01T/)
  await page.getByText('1 transaction').waitFor()
  await one.isClean()
})
