// Query of orders by the idempotency key of the request that created them.
import { and } from 'drizzle-orm'
import type { Awaitable, Db } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type Order, orders } from './tables.ts'

export const orderByRequestKey = (
  db: Db,
  account_id: number,
  request_key: string,
): Awaitable<Order | undefined> => queries(db).byRequestKey.get({ account_id, request_key })

const queries = perConnection({
  byRequestKey: (orm) =>
    orm
      .select()
      .from(orders)
      .where(and(equals(orders.account_id, 'account_id'), equals(orders.request_key, 'request_key'))),
})
