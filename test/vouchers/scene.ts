// The scene of vouchers: a gateway with accounts, an operator who creates vouchers, and the balances and rows.
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

export const USD = 1_000_000_000
export const DAY_MS = 86_400_000

interface NewBatch {
  amount?: string
  count?: number
  days?: number
  once_per_account?: boolean
  note?: string
}

export async function voucherScene(accounts: readonly string[], { now }: { now?: () => number } = {}) {
  const { gateway, ...opened } = await fileScene({
    ...(now ? { now } : {}),
    sweep_every_ms: 10 * DAY_MS,
    server: 'trusted_proxies = ["127.0.0.1"]',
  })
  for (const name of accounts) await gateway.account(name)
  const operator = await signedIn(gateway, 'operator', now?.())
  const one = async <Row>(sql: string): Promise<Row> => {
    const [row] = await gateway.store.rows<Row>(sql)
    if (!row) throw new Error(`no row: ${sql}`)
    return row
  }
  return {
    ...opened,
    gateway,
    operator,
    one,
    /** Creates a batch. @returns its codes */
    async create({ amount = '10', count = 1, once_per_account = false, ...rest }: NewBatch = {}) {
      const made = await operator.json('POST', '/voucher-batches', {
        amount,
        count,
        once_per_account,
        ...rest,
      })
      return made as { batch: number; codes: string[] }
    },
    async code(batch?: NewBatch): Promise<string> {
      return (await this.create(batch)).codes[0] ?? ''
    },
    owner: (name: string): Promise<ConsoleClient> => signedIn(gateway, { account: name }, now?.()),
    async balance(name: string): Promise<number> {
      const { balance_nanos } = await one<{ balance_nanos: number }>(
        `SELECT balance_nanos FROM accounts WHERE name = '${name}'`,
      )
      return Number(balance_nanos)
    },
  }
}

export const redeem = (client: ConsoleClient, code: string, more: object = {}, address?: string) =>
  client.send('POST', '/vouchers/redeem', {
    body: { code, ...more },
    headers: address === undefined ? {} : { 'x-forwarded-for': address },
  })
