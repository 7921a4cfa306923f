// The books in the console: the audit of the start, one on request beside the calls, and its findings.
import { describe, expect, test } from 'bun:test'
import { createBooks } from '../../plugins/books/books.ts'
import { LastReport } from '../../src/app/process/last-report.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway()
const operator = await signedIn(gateway, 'operator')
await gateway.account('alice', { balance_usd: '5' })

async function runAudit() {
  await operator.json('POST', '/books/audit')
  await eventually(
    'the audit ended',
    async () => (await operator.json('GET', '/books')).running_since_at_ms === null,
  )
  return await operator.json('GET', '/books')
}

test('the report of the audit at the start is available', async () => {
  const { last, running_since_at_ms, failure } = await operator.json('GET', '/books')
  expect([running_since_at_ms, failure]).toEqual([null, null])
  expect(last.report).toMatchObject({ clean: true, findings: [], totals: { accounts: 0 } })
})

test('an audit on request reads the current rows, rule by rule', async () => {
  const answer = await operator.json('POST', '/books/audit')
  expect(answer.running_since_at_ms).toBeNumber()
  const { last } = await runAudit()
  expect(last.report).toMatchObject({
    clean: true,
    totals: { accounts: 1, balance_nanos: 5_000_000_000, topped_up_usd: '5.00' },
  })
  expect(last.report.rules.length).toBeGreaterThan(15)
  const rule = (name: string) =>
    last.report.rules.find(({ invariant }: { invariant: string }) => invariant === name)
  expect(rule('balance_is_sum_of_entries')).toMatchObject({ over: 'accounts', checked: 1, breaches: 0 })
  expect(rule('stored_row_has_its_file')).toMatchObject({ checked: 0, breaches: 0 })
  expect(rule('conversation_is_whole')).toMatchObject({ over: 'kept responses', checked: 0 })
  expect(last.ended_at_ms).toBeWithin(Date.now() - 60_000, Date.now() + 1)
})

test('a wrong balance is found, at its rule', async () => {
  gateway.db.run('UPDATE accounts SET balance_nanos = balance_nanos + 1')
  const { last } = await runAudit()
  gateway.db.run('UPDATE accounts SET balance_nanos = balance_nanos - 1')
  expect(last.report.clean).toBe(false)
  expect(last.report.findings).toMatchObject([
    {
      invariant: 'balance_is_sum_of_entries',
      subject: 'account 1',
      expected: 5_000_000_000,
      found: 5_000_000_001,
    },
  ])
  const broken = last.report.rules.filter(({ breaches }: { breaches: number }) => breaches > 0)
  expect(broken).toMatchObject([{ invariant: 'balance_is_sum_of_entries', breaches: 1 }])
  expect((await runAudit()).last.report.clean).toBe(true)
})

test('only the operator may see and start an audit', async () => {
  const key = await gateway.key('alice')
  for (const [client, status] of [
    [clientOf(gateway), 401],
    [await signedIn(gateway, { account: 'alice' }), 403],
    [await signedIn(gateway, { key }), 403],
  ] as const) {
    expect((await client.send('GET', '/books')).status).toBe(status)
    expect((await client.send('POST', '/books/audit')).status).toBe(status)
  }
})

describe('the runner', () => {
  test('runs one audit at a time, and reports why one failed', async () => {
    let started = 0
    const ends: ((failure: string) => void)[] = []
    const start = () => {
      started += 1
      const { promise, resolve } = Promise.withResolvers<{ failure: string }>()
      ends.push((failure) => resolve({ failure }))
      return { ended: promise, stop() {} }
    }
    const books = new LastReport(start, () => 7)
    books.begin()
    books.begin()
    expect([started, books.running_since_ms]).toEqual([1, 7])
    ends[0]?.('no disk')
    await eventually('it ended', () => books.running_since_ms === undefined)
    expect([books.failure, books.last]).toEqual(['no disk', undefined])
    books.begin()
    expect(started).toBe(2)
  })

  test('reports a process that cannot audit, with its message', async () => {
    const books = createBooks('/does-not-exist', Date.now)
    books.begin()
    await eventually('it ended', () => books.running_since_ms === undefined)
    expect(books.failure).toContain('does-not-exist')
  })
})
