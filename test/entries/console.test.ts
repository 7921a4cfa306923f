// Entries in the console: of one account, of all, in pages and as a file; an account sees its own.
import { beforeAll, describe, expect, test } from 'bun:test'
import { allEntries } from '../../plugins/entries/listing.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { MODEL } from '../support/catalogue.ts'
import { allPages, clientOf, signedIn } from '../support/console-session.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call, recatalogue } = await fileScene({ script: whole(answer()), balance_usd: '1' })
const operator = await signedIn(gateway, 'operator')
const NOTE = '=HYPERLINK("http://x"), "quoted", and more'

const LINES = [
  'opening_balance',
  'top_up',
  'withdrawal',
  'debt_payment',
  'refund',
  'charge',
  'closing_balance',
]

interface ListedEntry {
  id: number
  account: string
  kind: string
  amount_nanos: number
  balance_nanos: number | null
  request_id: string | null
}

async function all(client: typeof operator, query = '', limit = 3): Promise<ListedEntry[]> {
  const pages = await allPages((cursor) => client.json('GET', `/entries?limit=${limit}${query}${cursor}`))
  return pages.flatMap(({ entries }) => entries)
}

beforeAll(async () => {
  await gateway.account('alice', { balance_usd: '5' })
  const key = await gateway.key('alice')
  for (let made = 0; made < 4; made += 1) {
    await (await call(wholePath(), ask())).text()
    await (await call(wholePath(), ask(), { key })).text()
    await gateway.topUp(1, '0.5')
  }
  await operator.json('POST', '/accounts/alice/top-up', { amount: '1', note: NOTE })
  await operator.json('POST', '/accounts/alice/debit', { amount: '1', note: 'back' })
  await gateway.rest()
})

test('entries that are read in parts end with the oldest', async () => {
  const parts: number[][] = []
  for await (const part of allEntries(await recorded([[1, 5, {}]]), { newest_id: 3 })) {
    parts.push(part.map(({ id }) => id))
    if (parts.length > 1) break
  }
  expect(parts).toEqual([[3, 2, 1]])
})

describe('the list', () => {
  test('has the entries of all accounts, newest first and each once, at any page size', async () => {
    const rows = gateway
      .rows()
      .entries.toSorted((one, other) => other.created_at_ms - one.created_at_ms || other.id - one.id)
    for (const limit of [1, 3, 50])
      expect((await all(operator, '', limit)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  })

  test('starts at an entry that a link names, and continues from there', async () => {
    const entries = await all(operator, '&account=alice')
    const [, , third, fourth] = entries.map(({ id }) => id)
    for (const query of ['', '&account=alice']) {
      const page = await operator.json('GET', `/entries?limit=1&first=${third}${query}`)
      expect(page.entries.map(({ id }: ListedEntry) => id)).toEqual([third])
      expect(page.next_cursor).toBe(third)
    }
    const next = await operator.json('GET', `/entries?limit=1&first=${third}&cursor=${third}&account=alice`)
    expect(next.entries.map(({ id }: ListedEntry) => id)).toEqual([fourth])
    const of_another = (await all(operator)).find(({ account }) => account !== 'alice')?.id
    for (const [first, status] of [
      [of_another, 404],
      [999_999, 404],
      ['x', 400],
      [0, 400],
    ] as const)
      expect((await operator.send('GET', `/entries?account=alice&first=${first}`)).status).toBe(status)
    expect((await operator.send('GET', `/entries.csv?first=${third}`)).status).toBe(400)
  })

  test('has the entries of one account, with their calls or notes', async () => {
    const entries = await all(operator, '&account=alice')
    expect(entries.every(({ account }) => account === 'alice')).toBe(true)
    expect(entries[0]).toMatchObject({
      kind: 'withdrawal',
      amount_usd: '-1.00',
      note: 'back',
      request_id: null,
      model: null,
    })
    expect(entries.find(({ kind }) => kind === 'charge')).toMatchObject({
      amount_nanos: -ANSWER_NANOS,
      model: MODEL,
      request_id: expect.stringMatching(/^req_/),
      unpaid_nanos: 0,
    })
    expect(await all(operator, '&account=2')).toEqual(entries)
  })

  test('adds up to each balance', async () => {
    for (const { name, balance_nanos } of gateway.rows().accounts) {
      const sum = (await all(operator, `&account=${name}`)).reduce(
        (total, entry) => total + entry.amount_nanos,
        0,
      )
      expect([name, sum]).toEqual([name, balance_nanos])
    }
  })

  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  test.each([
    ['&kind=charge', 8],
    ['&kind=top_up', 7],
    ['&kind=withdrawal', 1],
    ['&kind=debt_payment', 0],
    ['&since=2020-01-01', 16],
    [`&since=${tomorrow}`, 0],
    ['&until=2020-01-01', 0],
    [`&until=${tomorrow}&kind=charge`, 8],
    ['&account=alice&kind=charge', 4],
  ])('%s: %i entries', async (query, count) => {
    expect(await all(operator, query)).toHaveLength(count)
  })

  test.each([
    ['kind=gift', 400, 'kind'],
    ['limit=0', 400, 'limit'],
    ['cursor=999999', 400, 'cursor'],
    ['since=2026-02-30', 400, 'since'],
    ['since=2026-03-02&until=2026-03-01', 400, 'since'],
    ['account=nobody', 404, 'account'],
    ['who=alice', 400, 'who'],
    ['key=1', 400, 'key'],
    ['first=999999', 404, 'first'],
  ])('?%s: %d', async (query, status, param) => {
    const answer = await operator.send('GET', `/entries?${query}`)
    expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([
      status,
      param,
    ])
  })
})

/** The balance after each entry, by the test's own SQL. */
const balancesBySql = (): Map<number, number> =>
  new Map(
    gateway.db
      .query<{ id: number; balance: number }, []>(
        'SELECT id, sum(amount_nanos) OVER (PARTITION BY account_id ORDER BY created_at_ms, id) AS balance FROM entries',
      )
      .all()
      .map(({ id, balance }) => [id, Number(balance)]),
  )

describe('the running balance', () => {
  test.each(['', '&kind=charge', '&kind=top_up', '&kind=withdrawal', '&since=2020-01-01', '&kind=refund'])(
    'of one account is that after each entry, filtered by "%s", at any page size',
    async (query) => {
      const balances = balancesBySql()
      for (const limit of [1, 3, 50])
        for (const { id, balance_nanos } of await all(operator, `&account=alice${query}`, limit))
          expect([id, balance_nanos]).toEqual([id, balances.get(id) ?? Number.NaN])
    },
  )

  test('starts with the balance of today, and is right on a page that starts with an older entry', async () => {
    const balances = balancesBySql()
    const entries = await all(operator, '&account=alice')
    const alice = gateway.rows().accounts.find(({ name }) => name === 'alice')
    expect(entries[0]?.balance_nanos).toBe(alice?.balance_nanos ?? Number.NaN)
    const first = entries[2]?.id ?? 0
    const page = await operator.json('GET', `/entries?limit=2&first=${first}&account=alice`)
    for (const { id, balance_nanos } of page.entries as ListedEntry[])
      expect(balance_nanos).toBe(balances.get(id) ?? Number.NaN)
  })

  test('is absent from the list of all accounts', async () => {
    expect(new Set((await all(operator)).map(({ balance_nanos }) => balance_nanos))).toEqual(new Set([null]))
  })

  test.each(['', '&kind=charge', '&kind=top_up'])('is in the file of an account%s', async (query) => {
    const balances = balancesBySql()
    const text = await (await operator.send('GET', `/entries.csv?account=alice${query}`)).text()
    const [, ...lines] = text.trimEnd().split('\r\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) {
      const [id = '', , , , , , , nanos = ''] = line.split(',')
      expect([id, Number(nanos)]).toEqual([id, balances.get(Number(id)) ?? Number.NaN])
    }
  })
})

describe('access', () => {
  test('an account and a key see only their own entries', async () => {
    const key = await gateway.key('alice')
    for (const client of [await signedIn(gateway, { account: 'alice' }), await signedIn(gateway, { key })]) {
      const entries = await all(client)
      expect(entries.length).toBeGreaterThan(0)
      expect(entries.every(({ account }) => account === 'alice')).toBe(true)
      expect((await client.send('GET', '/entries?account=account-1')).status).toBe(404)
      expect((await client.send('GET', '/entries.csv?account=1')).status).toBe(404)
      const foreign = gateway.rows().entries.find(({ account_id }) => account_id === 1)?.id
      expect((await client.send('GET', `/entries?cursor=${foreign}`)).status).toBe(400)
      expect(await (await client.send('GET', '/entries.csv')).text()).not.toContain('account-1')
    }
  })

  test.each(['/entries', '/entries.csv'])('%s without a session: 401', async (path) => {
    expect((await clientOf(gateway).send('GET', path)).status).toBe(401)
  })
})

describe('the file', () => {
  test('has every entry, with exact amounts, newest first', async () => {
    const answer = await operator.send('GET', '/entries.csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="tollgate-entries-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [head, ...lines] = (await answer.text()).trimEnd().split('\r\n')
    expect(head).toBe(
      'id,time_utc,account,kind,amount_usd,amount_nanos,balance_usd,balance_nanos,unpaid_usd,model,request_id,note',
    )
    expect(lines).toHaveLength(gateway.rows().entries.length)
    const ids = lines.map((line) => Number(line.split(',')[0]))
    expect(ids).toEqual(ids.toSorted((one, other) => other - one))
    const nanos = lines.map((line) => Number(line.split(',')[5])).reduce((total, each) => total + each, 0)
    expect(nanos).toBe(gateway.rows().accounts.reduce((total, { balance_nanos }) => total + balance_nanos, 0))
  })

  test('writes a note so that no spreadsheet runs it', async () => {
    const text = await (await operator.send('GET', '/entries.csv?account=alice&kind=top_up')).text()
    expect(text).toContain(`"'=HYPERLINK(""http://x""), ""quoted"", and more"`)
    expect(text.split('\r\n')).toHaveLength(4)
  })

  test('is filtered as the list is', async () => {
    const text = await (await operator.send('GET', '/entries.csv?kind=withdrawal')).text()
    expect(text.trimEnd().split('\r\n')).toHaveLength(2)
    expect((await operator.send('GET', '/entries.csv?kind=gift')).status).toBe(400)
    expect((await operator.send('GET', '/entries.csv?limit=5')).status).toBe(400)
  })

  test('has all entries of an account, which are read in parts', async () => {
    const { id } = await gateway.account('many')
    await Promise.all(Array.from({ length: 600 }, () => gateway.topUp(id, '0.01')))
    for (const query of ['?account=many', '']) {
      const lines = (await (await operator.send('GET', `/entries.csv${query}`)).text())
        .trimEnd()
        .split('\r\n')
      const of_many = lines.filter((line) => line.includes(',many,'))
      expect(new Set(of_many).size).toBe(600)
      if (query === '') continue
      const balances = balancesBySql()
      for (const line of of_many) {
        const [entry = '', , , , , , , nanos = ''] = line.split(',')
        expect(Number(nanos)).toBe(balances.get(Number(entry)) ?? Number.NaN)
      }
    }
  })
})

describe('sums', () => {
  test.each([
    ['of all accounts', ''],
    ['of one account', '?account=alice'],
    ['of one kind', '?kind=charge'],
    ['of no days', '?until=2020-01-01'],
    ['since a day', '?since=2020-01-01&account=alice&kind=top_up'],
  ])('%s equal those of the list', async (_, filter) => {
    const rows = await all(operator, filter.replace('?', '&'), 50)
    const sum = (some: ListedEntry[]) => some.reduce((total, { amount_nanos }) => total + amount_nanos, 0)
    const summary = await operator.json('GET', `/entry-sums${filter}`)
    expect([summary.entries, summary.amount_nanos]).toEqual([rows.length, sum(rows)])
    for (const { kind, entries, amount_nanos } of summary.kinds) {
      const some = rows.filter((row) => row.kind === kind)
      expect([kind, entries, amount_nanos]).toEqual([kind, some.length, sum(some)])
    }
    expect(summary.kinds).toHaveLength(new Set(rows.map(({ kind }) => kind)).size)
  })

  test('of one account have the balance before the first day and after the last, for any kind', async () => {
    const { balance_nanos } = gateway.rows().accounts.find(({ name }) => name === 'alice') ?? {}
    const balances = (query: string) => operator.json('GET', `/entry-sums?account=alice${query}`)
    const today = new Date().toISOString().slice(0, 10)
    for (const kind of ['', '&kind=top_up', '&kind=refund']) {
      const whole = { opening_nanos: 0, closing_nanos: balance_nanos }
      expect(await balances(kind)).toMatchObject(whole)
      expect(await balances(`&since=${today}${kind}`)).toMatchObject(whole)
      expect(await balances(`&until=2020-01-01${kind}`)).toMatchObject({ opening_nanos: 0, closing_nanos: 0 })
    }
    expect(await operator.json('GET', '/entry-sums')).toMatchObject({ opening_nanos: null })
  })
})

describe('the statement', () => {
  const now = new Date().toISOString()
  const month = now.slice(0, 7)
  let alice: typeof operator
  beforeAll(async () => {
    alice = await signedIn(gateway, { account: 'alice' })
  })

  test('of this month adds up the entries to the balance, for the operator and for the account', async () => {
    const summary = await operator.json('GET', '/statement?account=alice')
    expect(await alice.json('GET', `/statement?month=${month}`)).toEqual(summary)
    const [{ balance_nanos } = { balance_nanos: 0 }] = gateway
      .rows()
      .accounts.filter(({ name }) => name === 'alice')
    expect(summary).toMatchObject({
      account: 'alice',
      month,
      months: [month],
      unfinished: true,
      opening_nanos: 0,
    })
    expect(summary).toMatchObject({
      closing_nanos: balance_nanos,
      charged: { calls: 4, amount_nanos: -4 * ANSWER_NANOS },
    })
    expect(summary.charges).toMatchObject([{ model: MODEL, calls: 4, amount_nanos: -4 * ANSWER_NANOS }])
    expect(summary.movements).toMatchObject([
      { kind: 'top_up', entries: 2, amount_nanos: 6_000_000_000 },
      { kind: 'withdrawal', entries: 1, amount_nanos: -1_000_000_000 },
      { kind: 'debt_payment', entries: 0, amount_nanos: 0 },
      { kind: 'refund', entries: 0, amount_nanos: 0 },
    ])
  })

  test('names the seller of the settings, and the buyer: the billing details of the account, or its name', async () => {
    const before = await alice.json('GET', '/statement')
    expect([before.seller, before.buyer]).toEqual(['', 'alice'])
    const billing_details = 'Alice Ltd\n1 Main Street\nSpringfield'
    await operator.json('PATCH', '/accounts/alice', { display_name: 'Alice & Co' })
    expect((await alice.json('GET', '/statement')).buyer).toBe('Alice & Co')
    await operator.json('PATCH', '/accounts/alice', { billing_details })
    await recatalogue({ more: '[billing]\nseller = "Acme GmbH\\nBerlin"\n' })
    const summary = await alice.json('GET', '/statement')
    expect([summary.seller, summary.buyer]).toEqual(['Acme GmbH\nBerlin', billing_details])
    const file = await (await alice.send('GET', '/statement.csv')).text()
    expect(file.split('\r\n')[1]).toEndWith(`,"Acme GmbH\nBerlin","${billing_details}"`)
    await recatalogue({})
  })

  test.each([['a\u0007b'], ['x'.repeat(1_001)]])('refuses the buyer %j', async (billing_details) => {
    const answer = await operator.send('PATCH', '/accounts/alice', { body: { billing_details } })
    expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([
      400,
      'billing_details',
    ])
  })

  test('of an earlier month is empty', async () => {
    const past = await alice.json('GET', '/statement?month=2024-02')
    expect(past).toMatchObject({ opening_nanos: 0, closing_nanos: 0, charges: [], unfinished: false })
    expect([past.from_at, past.until_at]).toEqual(['2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'])
  })

  test('is a file, whose amounts add up to its last line', async () => {
    const answer = await alice.send('GET', '/statement.csv')
    expect(answer.headers.get('content-disposition')).toContain(`tollgate-statement-${month}-`)
    const [head, ...lines] = (await answer.text()).trimEnd().split('\r\n')
    expect(head).toBe(
      'account,month_utc,line,model,count,amount_usd,amount_nanos,covered_usd,covered_nanos,seller,buyer',
    )
    expect(lines.map((line) => line.split(',')[2])).toEqual(LINES)
    const nanos = lines.map((line) => Number(line.split(',')[6]))
    expect(nanos.slice(0, -1).reduce((total, each) => total + each, 0)).toBe(nanos.at(-1) ?? Number.NaN)
  })

  test.each([
    ['another account’s', '/statement?account=caller', 404],
    ['an invalid month', '/statement?month=2026-13', 400],
    ['a future month', '/statement?month=2099-01', 400],
    ['a day', `/statement?month=${now.slice(0, 10)}`, 400],
    ['pages', '/statement?cursor=1', 400],
    ['another account’s file', '/statement.csv?account=caller', 404],
  ])('is refused to an account: %s', async (_, path, status) => {
    expect((await alice.send('GET', path)).status).toBe(status)
  })

  test('needs an account’s name from the operator', async () => {
    expect((await operator.send('GET', '/statement')).status).toBe(400)
  })
})

test('control characters in notes of earlier versions are escaped, in the list and in the file', async () => {
  const { id } = await gateway.account('carl')
  await gateway.topUp(id, '1', 'a\u001b[31mb\tc\u202ed')
  const note = 'a\\u001b[31mb\\u0009c\\u202ed'
  expect(await operator.json('GET', '/entries?account=carl')).toMatchObject({ entries: [{ note }] })
  expect(await (await operator.send('GET', '/entries.csv?account=carl')).text()).toContain(note)
})
