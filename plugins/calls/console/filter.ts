// Filters of calls, for the list, its sums and its file.
import { type Static, Type } from '@sinclair/typebox'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { AccountRef, KeyRef, readUsd } from '../../../src/app/surface/console/fields.ts'
import { requestedAccount, requestedKeys } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import { type CallOutcome, FAILED_OUTCOMES, LISTED_OUTCOMES } from '../../../src/domain/outcomes.ts'
import { ModelName } from '../../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../../src/http/period.ts'
import { OneOf } from '../../../src/http/schema.ts'
import type { CallFilter } from '../../../src/money/ledger/queries.ts'
import type { RefusalFilter } from '../../refusals/index.ts'

export const CALL_FILTERS = {
  account: Type.Optional(AccountRef),
  key: Type.Optional(KeyRef),
  model: Type.Optional(ModelName),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 128, must: 'the name of a provider' })),
  /**
   * `failed`: failed and interrupted calls. `refused`: refused requests only; `call`: all except these. `answered`: calls that a route
   * answered; by a provider, these are the calls in its figures, which do not count other calls for which it was tried.
   */
  outcome: Type.Optional(OneOf([...LISTED_OUTCOMES, 'call', 'answered'])),
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](\\d\\d|xx)$',
      must: 'an HTTP status such as 429, or a class of them such as 4xx',
    }),
  ),
  min_cost: Type.Optional(
    Type.String({ maxLength: 40, pattern: '^\\d+(\\.\\d{1,9})?$', must: 'an amount in USD, such as 0.05' }),
  ),
  ...PERIOD_PARAMETERS,
}
const Filters = Type.Object(CALL_FILTERS)
type CallsQuery = Static<typeof Filters>

/** The filters of a query for calls and for refused requests; undefined if none of them can match. */
export interface RequestedCalls {
  calls: CallFilter | undefined
  refusals: RefusalFilter | undefined
}

/**
 * Reads the filters of a query. A refused request has no provider and no cost, so filters by these exclude it.
 *
 * @throws GatewayError not_found for an account or key that the viewer may not see; permission_denied for filters of the operator
 */
export async function requestedCalls(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  query: CallsQuery,
): Promise<RequestedCalls> {
  const { account, key, model, provider, outcome, status, min_cost } = query
  if (accountOf(viewer) !== undefined && provider !== undefined)
    throw permissionDenied('Only the operator may filter by provider. Leave it out.', { param: 'provider' })
  const account_id = await requestedAccount(gateway, viewer, account)
  const both = {
    account_id,
    key_ids: await requestedKeys(gateway, viewer, account_id, key),
    model,
    status: status === undefined ? undefined : statusesOf(status),
    ...readPeriod(query),
  }
  const min_cost_nanos = min_cost === undefined ? undefined : readUsd('min_cost', min_cost)
  const has_refusals = (outcome ?? 'refused') === 'refused' && provider === undefined && !min_cost_nanos
  return {
    calls:
      outcome === 'refused'
        ? undefined
        : {
            ...both,
            provider,
            min_cost_nanos,
            outcomes: outcomesOf(outcome),
            answered: outcome === 'answered' || undefined,
          },
    refusals: has_refusals ? both : undefined,
  }
}

function outcomesOf(
  outcome: CallOutcome | 'call' | 'answered' | undefined,
): readonly CallOutcome[] | undefined {
  if (outcome === undefined || outcome === 'call' || outcome === 'answered') return undefined
  return outcome === 'failed' ? FAILED_OUTCOMES : [outcome]
}

/** @param status `429` or `4xx`, as in `CALL_FILTERS` */
export function statusesOf(status: string): { from: number; to: number } {
  if (!status.endsWith('xx')) return { from: Number(status), to: Number(status) }
  const from = Number(status[0]) * 100
  return { from, to: from + 99 }
}
