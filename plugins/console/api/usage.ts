// The usage of an account: GET /console/api/usage, by day, model and key.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { keyQueries } from '../../../src/access/queries.ts'
import type { Key } from '../../../src/db/schema.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { ModelName, WholeNumber } from '../../../src/http/parameters.ts'
import { Closed } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { type UsageSum, usageOf } from '../../../src/ledger/usage.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../calls.ts'
import { accountNeeded, WHOSE } from './whose.ts'

/** A quarter. */
const MAX_DAYS = 92
const DEFAULT_DAYS = 30
const MAX_KEYS = 200
/** It reads some thousand sums. */
const COUNTS_AS = 10

const UsageQuery = Closed({
  ...WHOSE,
  days: Type.Optional(
    WholeNumber({ minimum: 1, maximum: MAX_DAYS }, `a whole number of days from 1 to ${MAX_DAYS}`),
  ),
  model: Type.Optional(ModelName),
  key: Type.Optional(
    Type.String({ pattern: '^tg_[A-Za-z0-9_-]{7}$', must: "a key's prefix, its first 10 characters" }),
  ),
})

const SUM = {
  calls: Type.Integer(),
  failed: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  images: Type.Integer(),
  ...MoneyFields('cost'),
}

const UsageView = Closed({
  account: Type.String(),
  total: Closed(SUM),
  days: Type.Array(Closed({ day: Type.String(), ...SUM })),
  models: Type.Array(Closed({ model: Type.String(), ...SUM })),
  keys: Type.Array(Closed({ key: Type.String(), key_prefix: Type.String(), ...SUM })),
  further_keys: Type.Integer({ description: 'keys that were used, too, and cost less than those listed' }),
})

/** Days are in UTC, and today is one of them. The operator names an account: the figures of all are on the overview. */
export function usage(gateway: ConsoleParts) {
  const { db } = gateway
  const { now } = gateway.exchange

  function keyOf(account_id: number, prefix: string | undefined): number | undefined {
    if (prefix === undefined) return undefined
    const found: Key[] = keyQueries(db).keysByPrefix.all({ prefix })
    const own = found.find((key) => key.account_id === account_id)
    if (own) return own.id
    throw notFound(`Key "${prefix}" not found in this account.`, { param: 'key' })
  }

  return new Elysia({ name: 'console-usage' }).use(viewerCalls(gateway, { counts_as: COUNTS_AS })).get(
    '/console/api/usage',
    async ({ viewer, query }): Promise<Static<typeof UsageView>> => {
      const { model, key, days = DEFAULT_DAYS } = query
      const { id: account_id, name } = accountNeeded(db, viewer, query.account)
      const key_id = keyOf(account_id, key)
      const used = await usageOf(db, { account_id, key_id, model, days, until_ms: now() })
      return {
        account: name,
        total: sumView(used.total),
        days: used.days.map(({ day, ...sum }) => ({ day, ...sumView(sum) })),
        models: used.models.map(({ model, ...sum }) => ({ model, ...sumView(sum) })),
        keys: used.keys.slice(0, MAX_KEYS).map(({ key_id, ...sum }) => {
          const [row]: Key[] = keyQueries(db).keysById.all({ id: key_id })
          return { key: row?.name ?? '', key_prefix: row?.prefix ?? '', ...sumView(sum) }
        }),
        further_keys: Math.max(0, used.keys.length - MAX_KEYS),
      }
    },
    { query: UsageQuery, response: { 200: UsageView, ...FAILURES } },
  )
}

const sumView = ({ cost_nanos, ...counts }: UsageSum) => ({ ...counts, ...money('cost', cost_nanos) })
