// The check-up in the console: for the operator alone. Its page is tested in test/walks/books.test.ts.
import { expect, test } from 'bun:test'
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway()
const operator = await signedIn(gateway, 'operator')

test('nobody but the operator gets a report, or starts a check-up', async () => {
  await gateway.account('alice', { balance_usd: '1' })
  for (const [client, status] of [
    [clientOf(gateway), 401],
    [await signedIn(gateway, { account: 'alice' }), 403],
    [await signedIn(gateway, { key: await gateway.key('alice') }), 403],
  ] as const)
    for (const method of ['GET', 'POST'])
      expect([method, (await client.send(method, '/doctor')).status]).toEqual([method, status])
})

test('there is no report before the first check-up; then the last one stays', async () => {
  expect(await operator.json('GET', '/doctor')).toEqual({
    running_since_at: null,
    running_since_at_ms: null,
    failure: null,
    last: null,
  })
  const started = await operator.json('POST', '/doctor')
  expect(started.running_since_at_ms).toBeNumber()
  const read = () => operator.json('GET', '/doctor')
  await eventually('the check-up ended', async () => (await read()).running_since_at_ms === null)
  const { failure, last } = await read()
  expect(failure).toBeNull()
  expect(last.report.healthy).toBe(true)
  expect(last.report.findings.length).toBeGreaterThan(5)
})
