// Imported history in the console: of all accounts for the operator, its own for an account, and a link if there is any.
import { expect, test } from 'bun:test'
import { fileConsole } from '../support/console.ts'
import { clientOf, signedIn } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '1' })
await gateway.account('bob', { balance_usd: '1' })
const rows = [
  ['alice', 1_790_035_200, 'gpt-4o', 12, 1_500_000_000],
  ['alice', 1_790_121_600, 'gpt-4o-mini', 3, 20_000_000],
  ['bob', 1_790_121_600, 'gpt-4o', 1, 1_000_000],
] as const
for (const [name, day_s, model, calls, nanos] of rows)
  gateway.db.run(
    `INSERT INTO imported_usage (source, account_id, day_s, model, calls, input_tokens, output_tokens, charged_nanos)
     SELECT 'new-api', id, ?, ?, ?, 1000, 200, ? FROM accounts WHERE name = ?`,
    [day_s, model, calls, nanos, name],
  )

const daysOf = async (client: Awaited<ReturnType<typeof signedIn>>, query = '') =>
  (await client.json('GET', `/history${query}`)).history.map(
    ({ account, model }: { account: string; model: string }) => `${account} ${model}`,
  )

test('the operator sees all rows, the newest first, page by page; an account its own, a limited key none', async () => {
  const operator = await signedIn(gateway, 'operator')
  expect(await daysOf(operator)).toEqual(['bob gpt-4o', 'alice gpt-4o-mini', 'alice gpt-4o'])
  const { next_cursor } = await operator.json('GET', '/history?limit=1')
  expect(await daysOf(operator, `?limit=1&cursor=${next_cursor}`)).toEqual(['alice gpt-4o-mini'])
  expect(await daysOf(operator, '?model=gpt-4o&account=alice')).toEqual(['alice gpt-4o'])
  const alice = await signedIn(gateway, { account: 'alice' })
  expect(await daysOf(alice)).toEqual(['alice gpt-4o-mini', 'alice gpt-4o'])
  expect((await alice.send('GET', '/history?account=bob')).status).toBe(404)
  const limited = await signedIn(gateway, { key: await gateway.key('alice', { models: ['sim-*'] }) })
  expect((await limited.send('GET', '/history')).status).toBe(403)
  expect((await clientOf(gateway).send('GET', '/history')).status).toBe(401)
})

test('the page is reached from the usage and from an account, and looks right', async () => {
  const operator = await visit('operator')
  await operator.open('/console/accounts/alice')
  expect(await operator.page.$$eval('a[href*="/history?account="]', (links) => links.length)).toBe(1)
  await operator.go('/console/history')
  await operator.looksRight()
  await operator[Symbol.asyncDispose]()
  await using alice = await visit({ account: 'alice' })
  await alice.open('/console/usage')
  expect(await alice.page.$$eval('a[href$="/console/history"]', (links) => links.length)).toBe(1)
  await alice.go('/console/history')
  await alice.fits()
}, 60_000)
