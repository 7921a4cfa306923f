// Sources of entries by their ledger keys: a payment with its refund, dispute or welcome credit, a voucher, a plan, a referral.
import type { Db } from '../../src/store/db.ts'
import type { Entry } from '../../src/store/schema.ts'

export const SOURCES = ['order', 'voucher', 'plan', 'referral'] as const
type Source = (typeof SOURCES)[number]

const KEY =
  /^(order|dispute|refund|refund-back|welcome|welcome-back|welcome-again|voucher|voucher-batch|plan|plan-back|referral|referral-back|referral-again):(\d+)/

const SOURCE_OF: Readonly<Record<string, Source>> = {
  ...{ order: 'order', dispute: 'order', refund: 'order', 'refund-back': 'order' },
  ...{ welcome: 'order', 'welcome-back': 'order', 'welcome-again': 'order' },
  ...{ voucher: 'voucher', 'voucher-batch': 'voucher', plan: 'plan', 'plan-back': 'plan' },
  ...{ referral: 'referral', 'referral-back': 'referral', 'referral-again': 'referral' },
}

/** Returns an entry's source; null for an entry by an operator or a call. Callers cannot use such keys themselves. */
export const sourceOf = ({ request_key }: Pick<Entry, 'request_key'>): Source | null =>
  SOURCE_OF[KEY.exec(request_key ?? '')?.[1] ?? ''] ?? null

/** Returns the order of an entry if the viewer may see it: the payment behind a referral share belongs to another account. */
export const visibleOrder = (
  { request_key, order_id = null }: Pick<Entry, 'request_key'> & { order_id?: number | null },
  is_operator: boolean,
): number | null => (is_operator || sourceOf({ request_key }) !== 'referral' ? order_id : null)

/** Adds the order to each entry that has one; for a referral, the shared payment. */
export async function withOrders<Row extends Pick<Entry, 'request_key' | 'note'>>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & { order_id: number | null })[]> {
  const keys = rows.map(({ request_key }) => KEY.exec(request_key ?? ''))
  const refund_ids = keys.flatMap((key) => (key?.[1]?.startsWith('refund') ? [Number(key[2])] : []))
  const orders = await ordersOfRefunds(db, refund_ids)
  return rows.map((row, at) => {
    const [, name = '', number = ''] = keys[at] ?? []
    const source = SOURCE_OF[name]
    const id = Number(number)
    const is_of_order = source === 'order' || source === 'referral'
    if (name.startsWith('welcome')) return { ...row, order_id: orderOfWelcome(row) }
    const order_id = name.startsWith('refund') ? orders.get(id) : is_of_order ? id : undefined
    return { ...row, order_id: order_id ?? null }
  })
}

/** Reads the order from the note: the key of a welcome credit contains the account, which gets only one (sign-up/welcome.ts). */
function orderOfWelcome({ note }: Pick<Entry, 'note'>): number | null {
  const id = /^Welcome credit with order (\d+)/.exec(note)?.[1]
  return id === undefined ? null : Number(id)
}

async function ordersOfRefunds(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const found = await db.rows<{ id: number; order_id: number }>(
    'SELECT id, order_id FROM order_refunds WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($ids))',
    { ids: JSON.stringify(ids) },
  )
  return new Map(found.map(({ id, order_id }) => [id, order_id]))
}
