// `plan`: months listed, a plan shown, bought and cancelled by commands; refusals.
import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const scene = sceneOfEachTest()
const PLAN = '\n[[plans.offered]]\nname = "pro"\nprice_usd = 20\nmodels = ["*"]\nusd_per_week = 30\n'

beforeEach(async () => {
  await scene.run('account', 'create', 'alice')
  writeFileSync(scene.path('tollgate.toml'), FIRST_CATALOGUE + PLAN)
})

test('an account buys a plan, which is shown, listed and cancelled', async () => {
  expect(await scene.json('plan', 'show', 'alice')).toEqual({ account: 'alice', plan: null })
  expect(await scene.refusal('plan', 'subscribe', 'alice', 'pro')).toContain('less than 20.00 USD')
  await scene.run('credit', 'alice', '25')
  expect(await scene.json('plan', 'subscribe', 'alice', 'pro')).toEqual({
    account: 'alice',
    plan: 'pro',
    changes_at: null,
  })
  expect((await scene.json('plan', 'show', 'alice')).plan).toMatchObject({
    plan: 'pro',
    renews: true,
    limits: [{ period: 'week', limit_usd: '30.00', left_usd: '30.00' }],
  })
  expect((await scene.run('plan', 'show', 'alice')).out).toMatch(
    /^pro, renews at .*\nweek: 30\.00 of 30\.00 USD left, until /,
  )
  expect((await scene.json('account', 'show', 'alice')).balance_usd).toBe('5.00')
  expect((await scene.json('plan', 'list')).months).toMatchObject([
    { plan: 'pro', state: 'active', due_usd: '20.00' },
    { plan: 'pro', state: 'lapsed' },
  ])
  expect((await scene.run('plan', 'list', '--state', 'active')).out).toContain('alice')
  const { ends_at } = await scene.json('plan', 'cancel', 'alice')
  expect((await scene.json('plan', 'show', 'alice')).plan).toMatchObject({ renews: false, ends_at })
  const { actions } = await scene.json('audit-log', 'alice')
  expect(actions.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['plan.begun', 'plan.cancelled', 'balance.debited']),
  )
})

test.each([
  ['a plan that is not offered', ['subscribe', 'alice', 'max'], 'Plan "max" not found.'],
  ['an unknown account', ['subscribe', 'bob', 'pro'], 'bob'],
  ['the cancellation of a missing plan', ['cancel', 'alice'], 'The account has no plan.'],
])('%s is refused', async (_, words, sentence) => {
  await scene.run('credit', 'alice', '25')
  expect(await scene.refusal('plan', ...words)).toContain(sentence)
})
