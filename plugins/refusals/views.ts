// The refused requests of an account as its callers ask for them, and as they are shown.
import { type Static, Type } from '@sinclair/typebox'
import { keyQueries } from '../../src/access/queries.ts'
import type { Db } from '../../src/db/db.ts'
import type { Key } from '../../src/db/schema.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { KEY_FIELDS, KeyPrefix, refuseOtherKeys, type Scope } from '../../src/surface/account-calls.ts'
import { listRefusals, type RecordedRefusal } from './listing.ts'
import { countRefused } from './sums.ts'

/** A page has at most so many, whatever was asked for: about 10 ms. */
const MAX_REFUSALS = 500

export const RefusalsQuery = Closed({
  key: KeyPrefix,
  model: Type.Optional({ ...ModelName, description: 'Of this model only.', examples: ['sim-flash'] }),
  ...PERIOD_PARAMETERS,
  ...PAGE_PARAMETERS,
})

const RefusalView = Closed({
  request_id: Type.String({ description: 'The id of the request, as its answer had it.' }),
  surface: Type.String({ description: 'The API that it came by.' }),
  model: Nullable(Type.String({ description: 'The model, as it was asked for; null if it is not known.' })),
  status: Type.Integer({ description: 'The HTTP status.' }),
  code: Type.String({ description: 'Why, for programs.' }),
  message: Type.String({ description: 'Why, as the answer said.' }),
  ...KEY_FIELDS,
  ...TimeFields('refused', 'When'),
})

export const RefusalsView = Closed(
  {
    refusals: Type.Array(RefusalView, { description: 'The newest first.' }),
    refused: Nullable(
      Type.Integer({
        description:
          'How many there were in the period, in whole hours, with those that are not listed; null with `model`.',
      }),
    ),
    ...PAGE_FIELDS,
  },
  { description: 'A page of refused requests.' },
)

/**
 * @param only the key that asks, where it sees its own only
 * @throws GatewayError invalid_request for days that do not exist; permission_denied for another key's where `only` is given
 */
export async function refusalsPage(
  db: Db,
  { account_id, only }: Scope,
  { key, model, ...query }: Static<typeof RefusalsQuery>,
): Promise<Static<typeof RefusalsView>> {
  refuseOtherKeys(key, only)
  const { since_ms, until_ms } = readPeriod(query)
  const { limit, cursor } = pageOf(query)
  const whose = { account_id, key_id: only?.id ?? (await keyWith(db, account_id, key)) }
  const page = await listRefusals(
    db,
    { ...whose, model, since_ms, until_ms },
    { limit: Math.min(limit, MAX_REFUSALS), cursor },
  )
  const period = { from_ms: since_ms ?? 0, until_ms: until_ms ?? Number.MAX_SAFE_INTEGER }
  return {
    refusals: page.refusals.map(refusalView),
    refused: model === undefined ? await countRefused(db, { ...whose, ...period, span: 'hour' }) : null,
    ...pageFields(page),
  }
}

/** No key has this number. */
const NOBODY = -1

async function keyWith(db: Db, account_id: number, prefix: string | undefined): Promise<number | undefined> {
  if (prefix === undefined) return undefined
  const found: Key[] = await keyQueries(db).keysByPrefix.all({ prefix })
  return found.find((key) => key.account_id === account_id)?.id ?? NOBODY
}

const refusalView = (refusal: RecordedRefusal): Static<typeof RefusalView> => ({
  request_id: refusal.request_id,
  surface: refusal.surface,
  model: refusal.model,
  status: refusal.status,
  code: refusal.code,
  message: refusal.sentence,
  key_prefix: refusal.key_prefix,
  key: refusal.key_name,
  ...time('refused', refusal.at_ms),
})
