// Payment methods of custom plugins: registered at the start, with checked names; tested by `plugin check`; in the types.
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { sceneOfFile } from '../app/commands/scene.ts'
import { startTransferGateway } from '../payments/manual/transfers.ts'
import { startTestGateway } from '../support/gateway.ts'

const plugin = (name: string, more = '') => `
const begun = new Map()
export default {
  open: () => 'kiosk.example',
  payments: (host) => [{
    name: '${name}', title: 'Kiosk', currencies: ['USD'], limits: { USD: { min_minor: 100, max_minor: 10000 } },
    async start(order) {
      const reference = 'K' + order.id + 'T' + order.expires_at_ms
      begun.set(reference, order)
      return { reference, go_to: 'https://' + host + '/' + reference }
    },
    async look(reference) {
      const { currency, amount_minor } = begun.get(reference)
      return { state: 'open', currency, amount_minor }
    },
    ${more}
  }],
}`

const scene = sceneOfFile()
const write = (name: string, text: string) => {
  mkdirSync(scene.path('plugins'), { recursive: true })
  writeFileSync(scene.path(`plugins/${name}`), text)
}

test('the gateway has the methods of a plugin beside built-in ones, and makes orders by them', async () => {
  await using world = await startTransferGateway({ own_plugins: { 'kiosk.ts': plugin('kiosk') } })
  expect(world.parts.providers().map(({ name }) => name)).toEqual(['manual', 'kiosk'])
  const { id } = await world.gateway.account('anna')
  const order = await world.order(id, 2_500, 'USD', 'kiosk')
  expect(order).toMatchObject({
    provider: 'kiosk',
    reference: `K${order.id}T${order.expires_at_ms}`,
    state: 'open',
  })
})

test.each<[what: string, files: Record<string, string>, says: string]>([
  ['the name of a built-in method', { 'a.ts': plugin('manual') }, 'the name is that of a built-in one'],
  [
    'one name in two plugins',
    { 'a.ts': plugin('kiosk'), 'b.ts': plugin('kiosk') },
    'its payment method "kiosk" exists twice',
  ],
  [
    'no list',
    { 'a.ts': 'export default { payments: () => ({}) }' },
    'its function payments must return a list',
  ],
  ['no function', { 'a.ts': 'export default { payments: [] }' }, 'its field payments must be a function'],
  ['a fault', { 'a.ts': plugin('kiosk', 'limits: {},') }, 'limits.USD must have min_minor and max_minor'],
  [
    'an error that it throws',
    { 'a.ts': 'export default { payments: () => { throw new Error("no key") } }' },
    'cannot be loaded: no key',
  ],
])('%s refuses the start', async (_, own_plugins, says) => {
  await expect(startTestGateway({ own_plugins })).rejects.toThrow(says)
})

test('check tests payment methods against their contract: status 1 and each fault', async () => {
  scene.columns = 80
  write('kiosk.ts', plugin('kiosk'))
  write(
    'shop.ts',
    plugin(
      'shop',
      "hook: async () => ({ reference: 'x' }), look: async () => ({ state: 'paid', currency: 'USD', amount_minor: 100 }),",
    ),
  )
  const { status, out, err } = await scene.run('plugin', 'check')
  expect(status).toBe(1)
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'NAME   RESULT         BEFORE CALL  AFTER SETTLE  ROUTES  PAYMENTS',
    'kiosk  ok                       0             0          kiosk',
    'shop   payments fail            0             0          shop',
  ])
  expect(err).toContain('shop: look returned "paid" for a payment that was just started.')
  expect(err).toContain('shop: payment method shop: hook took an empty body')
  rmSync(scene.path('plugins/shop.ts'))
  expect(await scene.json('plugin', 'check')).toMatchObject({
    ok: true,
    plugins: [{ name: 'kiosk', ok: true, problem: null, payments: [{ name: 'kiosk', faults: [] }] }],
  })
})

test('the types have payment methods', async () => {
  const { file } = await scene.json('plugin', 'types')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('export interface PaymentProvider {')
  expect(text).not.toMatch(/^import /m)
})
