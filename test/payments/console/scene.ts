// The scene of payments at the console: a gateway with a payment method, two accounts, and their people.
import { plugins } from '../../../plugins/index.ts'
import type { MembershipRow, StaffRow } from '../../../src/store/schema.ts'
import { type ConsoleClient, errorOf, signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'
import { type FakeMethod, type FakeMethodOptions, fakeMethod } from '../fake-method.ts'

const PUBLIC_URL = 'https://gateway.example.com'

/** 1 EUR gives 1.08 USD; from 50 USD of credit 5 % more. */
const SETTINGS = `[payments]
presets = ["10", "25"]
rates = { EUR = "1.08", USD = "1", JPY = "0.0067" }
bonuses = [{ from_usd = "50", percent = "5" }]
`

export async function paymentScene({
  method,
  now,
  more = '',
  open = fileScene,
}: {
  method?: FakeMethodOptions
  now?: () => number
  more?: string
  /** `scene` for a gateway that the test stops. Default: one that is stopped after the tests of the file. */
  open?: typeof fileScene
} = {}) {
  const fake: FakeMethod = fakeMethod(method)
  const { gateway } = await open({
    server: `public_url = "${PUBLIC_URL}"`,
    more: SETTINGS + more,
    plugins: [...plugins, fake.plugin],
    ...(now ? { now } : {}),
  })
  const alice = await gateway.account('alice', { balance_usd: '1' })
  await gateway.account('bob')
  const as = (role: MembershipRow['role'], account = 'alice') => signedIn(gateway, { account, role }, now?.())
  const withKey = (key: string) => signedIn(gateway, { key }, now?.())
  const staff = (role: StaffRow['role']) => signedIn(gateway, { staff: role }, now?.())
  const owner = await as('owner')
  const operator = await signedIn(gateway, 'operator', now?.())

  /** Makes an order, which the test may then pay. */
  async function makeOrder(
    amount: string,
    { currency = 'EUR', by = owner }: { currency?: string; by?: ConsoleClient } = {},
  ): Promise<number> {
    const { order } = await by.json('POST', '/orders', { method: fake.name, currency, amount })
    return order.id
  }

  return {
    ...{ gateway, fake, alice, owner, operator, as, staff, withKey, makeOrder },
    async makePaidOrder(amount: string, payment?: Parameters<FakeMethod['pay']>[1]): Promise<number> {
      const id = await makeOrder(amount)
      fake.pay(id, payment)
      await owner.json('POST', `/orders/${id}/look`)
      return id
    },
    /** The operator in a session of an hour ago. */
    stale: () => signedIn(gateway, 'operator', (now?.() ?? Date.now()) - 3_600_000),
    balance: (name = 'alice') =>
      gateway.rows().accounts.find((account) => account.name === name)?.balance_nanos,
    refused: async (client: ConsoleClient, method: string, path: string, body?: object) =>
      await errorOf(await client.send(method, path, { body })),
  }
}
