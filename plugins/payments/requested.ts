// Orders by the key of the request that made them: asked for again, it is the same order.
import { and } from 'drizzle-orm'
import type { Awaitable, Db } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type Order, orders } from './tables.ts'

/** The order that an account asked for under a key. */
export const orderByRequest = (
  db: Db,
  account_id: number,
  request_key: string,
): Awaitable<Order | undefined> => queries(db).byRequest.get({ account_id, request_key })

const queries = perConnection({
  byRequest: (orm) =>
    orm
      .select()
      .from(orders)
      .where(and(equals(orders.account_id, 'account_id'), equals(orders.request_key, 'request_key'))),
})
