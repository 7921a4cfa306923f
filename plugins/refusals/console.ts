// Console routes of refused requests: counts, the most frequent reasons, and one request in full. An account sees only its own.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountOf, seesKey, type Viewer } from '../../src/access/viewer.ts'
import { allNamed, DISPLAY_NAME, named } from '../../src/app/surface/console/account-names.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../src/app/surface/console/calls.ts'
import { AccountRef, KeyRef } from '../../src/app/surface/console/fields.ts'
import { requestedAccount, requestedKeys } from '../../src/app/surface/console/references.ts'
import { notFound } from '../../src/domain/errors.ts'
import { FIGURE_RANGES, HOUR_MS, lastMs, REPORT_RANGES } from '../../src/domain/ranges.ts'
import { PERIOD_PARAMETERS } from '../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { findRefusal } from './listing.ts'
import { countRefused, type RefusedIn, reasonsOfRefused } from './sums.ts'
import { timeIn } from './time.ts'

const Reason = Closed({
  account_id: Type.Integer(),
  account: Type.String(),
  ...DISPLAY_NAME,
  code: Type.String({ description: 'the kind of refusal, for programs' }),
  refused: Type.Integer(),
  sentence: Nullable(Type.String({ description: 'the most frequent message; null if none was recorded' })),
})

const RefusalsQuery = Closed({
  range: Type.Optional(OneOf([...FIGURE_RANGES, ...REPORT_RANGES])),
  ...PERIOD_PARAMETERS,
  account: Type.Optional(AccountRef),
  key: Type.Optional(KeyRef),
})
const RefusalsView = Closed({
  refused: Type.Integer({ description: 'in the range, recorded one by one or not' }),
  before: Type.Integer({ description: 'in the time of the same length directly before' }),
  last_hour: Type.Integer({ description: 'in the last hour; for a key, in this clock hour' }),
  reasons: Type.Array(Reason, { description: 'the most frequent ones of the range' }),
  reasons_of_hour: Type.Array(Reason, { description: 'the same of the last hour' }),
})

const RefusalView = Closed({
  request_id: Type.String(),
  account_id: Type.Integer(),
  account: Type.String(),
  ...DISPLAY_NAME,
  key_id: Type.Integer(),
  key: Type.String(),
  key_prefix: Type.String(),
  surface: Type.String(),
  model: Nullable(Type.String({ description: 'as the request named it; null if it is not known' })),
  status: Type.Integer(),
  code: Type.String(),
  sentence: Type.String(),
  ...TimeFields('refused'),
})

const MAX_REASONS = 5

/** `GET /console/api/refusals`, and `GET /console/api/refusals/:request_id`. */
export function consoleRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-refusals' })
    .use(viewerCalls(gateway))
    .get('/console/api/refusals', ({ viewer, query }) => refusalsView(gateway, viewer, query), {
      query: RefusalsQuery,
      response: { 200: RefusalsView, ...FAILURES },
    })
    .get(
      '/console/api/refusals/:request_id',
      ({ viewer, params }) => refusalView(gateway, viewer, params.request_id),
      {
        params: Closed({
          request_id: Type.String({ minLength: 1, maxLength: 256, must: 'the id of a request' }),
        }),
        response: { 200: RefusalView, ...FAILURES },
      },
    )
}

/** @throws GatewayError not_found for an account or key that the viewer may not see */
async function refusalsView(
  gateway: ConsoleParts,
  viewer: Viewer,
  { range = 'day', account, key, ...period }: Static<typeof RefusalsQuery>,
): Promise<Static<typeof RefusalsView>> {
  const { db } = gateway
  const now_ms = gateway.calls.now()
  const account_id = await requestedAccount(gateway, viewer, account)
  const key_ids = await requestedKeys(gateway, viewer, account_id, key)
  const owner = { account_id, key_ids }
  // Sums by minute are not kept by key, so a filter by key needs sums by hour.
  const span = range === 'hour' && key_ids === undefined ? 'minute' : 'hour'
  const { from_ms, until_ms } = timeIn(range, period, now_ms)
  const in_range: RefusedIn = { ...owner, span, from_ms, until_ms }
  const length_ms = until_ms - from_ms
  const hour: RefusedIn =
    key_ids === undefined
      ? { ...owner, ...lastMs(now_ms, HOUR_MS), span: 'minute' }
      : { ...owner, from_ms: now_ms, until_ms: now_ms + 1, span: 'hour' }
  return {
    refused: await countRefused(db, in_range),
    before: await countRefused(db, { ...in_range, from_ms: from_ms - length_ms, until_ms: from_ms }),
    last_hour: await countRefused(db, hour),
    reasons: await reasonsView(gateway, viewer, in_range),
    reasons_of_hour: await reasonsView(gateway, viewer, hour),
  }
}

async function reasonsView(
  { db }: Pick<ConsoleParts, 'db'>,
  viewer: Viewer,
  range: RefusedIn,
): Promise<Static<typeof Reason>[]> {
  const reasons = (await reasonsOfRefused(db, range, MAX_REASONS)).map(
    ({ account_name, refusals, sentence = null, ...reason }) => ({
      ...reason,
      account: account_name,
      refused: refusals,
      sentence,
    }),
  )
  return allNamed(db, viewer, reasons)
}

/** @throws GatewayError not_found, also for another account's request */
async function refusalView(
  { db }: Pick<ConsoleParts, 'db'>,
  viewer: Viewer,
  request_id: string,
): Promise<Static<typeof RefusalView>> {
  const refusal = await findRefusal(db, request_id, accountOf(viewer))
  if (!refusal || !seesKey(viewer, refusal.key_id))
    throw notFound('No refused request found with this request id.', { param: 'request_id' })
  const { id, account_name: account, key_name: key, at_ms, ...rest } = refusal
  return { ...(await named(db, viewer, { ...rest, account, key })), ...time('refused', at_ms) }
}
