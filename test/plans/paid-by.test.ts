// The payer of a call, balance or plan, in lists, files, the call's page and statements; a covered call has no refund.
import { expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'

const PLANS = `
[[plans.offered]]
name = "pro"
price_usd = 2
models = ["sim-gpt"]
usd_per_month = 50
`
const clock = { now_ms: Date.parse('2026-11-15T10:30:00Z') }
const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE + PLANS, now: () => clock.now_ms })
await gateway.account('anna', { balance_usd: '10' })
const key = await gateway.key('anna')
const owner = await signedIn(gateway, { account: 'anna', role: 'owner' }, clock.now_ms)
const operator = await signedIn(gateway, 'operator', clock.now_ms)

async function chat(model: string) {
  const body = { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 }
  const answer = await gateway.call('/v1/chat/completions', body, { key })
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  clock.now_ms += 1_001
  return await gateway.lastCall()
}
await owner.json('POST', '/plan/buy', { plan: 'pro' })
clock.now_ms += 1_001
const covered = await chat('sim-gpt')
const paid = await chat('sim-flash')
const list = covered.covered_nanos

test('the plan covers one call, and the balance pays the other', () => {
  expect([covered.cost_nanos, paid.covered_nanos]).toEqual([0, 0])
  expect(list).toBeGreaterThan(0)
  expect(paid.cost_nanos).toBeGreaterThan(0)
})

test('GET /api/v1/usage and the list at the console name the payer', async () => {
  const answer = await gateway.call('/api/v1/usage', undefined, { key })
  const { calls } = (await answer.json()) as { calls: object[] }
  const wanted = [
    { model: 'sim-flash', paid_by: 'balance', cost_nanos: paid.cost_nanos, covered_nanos: 0 },
    { model: 'sim-gpt', paid_by: 'plan', cost_nanos: 0, covered_nanos: list },
  ]
  expect(calls).toMatchObject(wanted)
  expect((await owner.json('GET', '/calls')).calls).toMatchObject(wanted)
})

test('a refused request has no payer', async () => {
  await (
    await gateway.call(
      '/v1/chat/completions',
      { model: 'nothing', messages: [{ role: 'user', content: 'x' }] },
      { key },
    )
  ).arrayBuffer()
  const refused = async () => (await owner.json('GET', '/calls?outcome=refused')).calls
  await eventually('the refusal is written', async () => (await refused()).length > 0)
  expect(await refused()).toMatchObject([{ outcome: 'refused', paid_by: null }])
})

test('the file of calls has the payer and the covered amount', async () => {
  const rows = (await (await owner.send('GET', '/calls.csv?outcome=call')).text()).trimEnd().split('\r\n')
  expect(rows[0]).toEndWith(',paid_by,covered_usd')
  expect(rows[1]).toEndWith(',balance,0.00')
  expect(rows[2]).toMatch(/,plan,0\.0\d+$/)
})

test('the lines of a covered call add up to zero, and the operator sees its cost and no margin', async () => {
  const { lines, paid_by, entry, margin_nanos, provider_cost_nanos } = await operator.json(
    'GET',
    `/calls/${covered.request_id}`,
  )
  expect([paid_by, entry, margin_nanos]).toEqual(['plan', null, null])
  expect(provider_cost_nanos).toBe(covered.provider_cost_nanos)
  expect(lines.at(-1)).toMatchObject({ what: 'plan', amount_nanos: -list })
  const sum = lines.reduce(
    (total: number, { amount_nanos }: { amount_nanos: number }) => total + amount_nanos,
    0,
  )
  expect(sum).toBe(0)
})

test('the statement has the covered call with its list price, beside lines that add up', async () => {
  const statement = await owner.json('GET', '/statement')
  expect(statement.covered).toEqual([
    { model: 'sim-gpt', calls: 1, covered_nanos: list, covered_usd: expect.any(String) },
  ])
  expect(statement.charges).toMatchObject([{ model: 'sim-flash', calls: 1 }])
  const [head, ...rows] = (await (await owner.send('GET', '/statement.csv')).text()).trimEnd().split('\r\n')
  expect(head).toEndWith(',covered_usd,covered_nanos,seller,buyer')
  const row = rows.find((row) => row.split(',')[2] === 'plan')?.split(',')
  expect([row?.[3], row?.[4], row?.[6], row?.[8]]).toEqual(['sim-gpt', '1', '0', String(list)])
  const earlier = await owner.json('GET', '/statement?month=2026-10')
  expect(earlier.covered).toEqual([])
})

test('a covered call cannot be refunded, and the error gives the reason', async () => {
  for (const method of ['GET', 'POST'] as const) {
    const answer = await operator.send(
      method,
      `/calls/${covered.request_id}/refund`,
      method === 'POST' ? { body: {} } : {},
    )
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    expect([answer.status, error.code]).toEqual([422, 'paid_by_plan'])
    expect(error.message).toBe(
      `The plan of the account paid for the call ${covered.request_id}: nothing was taken from the balance, so nothing can be refunded. Add funds to the account in its place.`,
    )
  }
})

test('the Overview lists fees and costs of plans separately, so that a covered call is not sold below cost', async () => {
  gateway.db.run('UPDATE calls SET provider_cost_nanos = 5 WHERE id = ?', [covered.id])
  gateway.db.run(
    "UPDATE call_sums SET provider_cost_nanos = 5, covered_cost_nanos = 5, uncosted_calls = 0 WHERE model = 'sim-gpt'",
  )
  const days = 'since=2026-11-01&until=2026-11-30'
  const { resale, totals } = await operator.json('GET', `/overview?${days}`)
  expect(resale.plans).toMatchObject({
    fees_nanos: 2_000_000_000,
    calls: 1,
    covered_nanos: list,
    provider_cost_nanos: 5,
  })
  expect(resale.below_cost).toEqual([])
  const usage = await operator.json('GET', `/usage?${days}`)
  expect(usage.total).toMatchObject({
    revenue_nanos: totals.revenue_nanos,
    margin_nanos: totals.margin_nanos,
  })
  expect(totals.revenue_nanos).toBe(2_000_000_000 + paid.cost_nanos)
  expect(usage.rows.at(-1)).toMatchObject({ name: '(plans)', provider_cost_nanos: 5 })
  expect((await owner.json('GET', `/overview?${days}`)).totals.spent_nanos).toBe(paid.cost_nanos)
  const of_model = await operator.json('GET', '/overview?since=2026-11-01&until=2026-11-30&model=sim-gpt')
  expect(of_model.resale.plans).toBeNull()
})
