// Tokens as keys: the hash of the text that callers send, the spend limit, and the allowed networks and models.
import { hashKey } from '../../../src/access/secret.ts'
import { isAddressBlock } from '../../../src/domain/addresses.ts'
import type { IncomingKey, LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { type Fraction, nanosOfQuota } from './fraction.ts'
import { flagOf, isSet, partsOf, textOf, wholeOf } from './values.ts'

/** The four states of a token: common/constants.go of new-api, model/token.go of one-api. */
const [ENABLED, DISABLED, EXPIRED, EXHAUSTED] = [1, 2, 3, 4]
const NEVER = -1

/** Callers send this before the 32 or 48 characters in the table; both programs strip it (middleware/auth.go). */
const PREFIX = 'sk-'
const PREFIX_CHARS = 10

interface TokenContext {
  readonly quota_per_usd: Fraction
  readonly now_ms: number
}

type TokenRead = { readonly key: IncomingKey } | { readonly left_out: LeftOut }

/** @param owner of the token, for messages */
export function readToken(row: SourceRow, owner: string, context: TokenContext): TokenRead {
  const id = wholeOf(row, 'id')
  const name = textOf(row, 'name')
  const label = `token ${id}${name === '' ? '' : ` "${name}"`} of ${owner}`
  const leaveOut = (reason: string): TokenRead => ({ left_out: { kind: 'keys', row: label, reason } })
  const fault = invalidReason(row, context.now_ms)
  if (fault !== undefined) return leaveOut(fault)
  const addresses = addressesOf(row)
  if (addresses?.length === 0)
    return leaveOut('Its list of networks has no valid address. Without one, the key would work everywhere.')
  const models = modelsOf(row)
  if (models?.length === 0) return leaveOut('Its list of models is empty, so it can call none.')
  const secret = PREFIX + textOf(row, 'key').replace(/^sk-/, '')
  const expires_s = wholeOf(row, 'expired_time')
  const is_unlimited = flagOf(row, 'unlimited_quota') && wholeOf(row, 'status') !== EXHAUSTED
  return {
    key: {
      source_id: `token ${id}`,
      name,
      sha256: hashKey(secret),
      prefix: secret.slice(0, PREFIX_CHARS),
      created_at_ms: wholeOf(row, 'created_time') > 0 ? wholeOf(row, 'created_time') * 1000 : null,
      expires_at_ms: hasExpiry(row) ? expires_s * 1000 : null,
      spend_limit_nanos: is_unlimited ? null : spendLimit(row, context.quota_per_usd),
      models,
      addresses,
      budgets: {},
      limits: {},
    },
  }
}

/** 0 for an exhausted token, whatever quota is left: the source refuses it until somebody changes its status. */
const spendLimit = (row: SourceRow, per_usd: Fraction): number =>
  wholeOf(row, 'status') === EXHAUSTED ? 0 : nanosOfQuota(Math.max(0, wholeOf(row, 'remain_quota')), per_usd)

const hasExpiry = ({ expired_time }: SourceRow): boolean =>
  isSet(expired_time) && Number(expired_time) !== NEVER

function invalidReason(row: SourceRow, now_ms: number): string | undefined {
  if (isSet(row.deleted_at)) return 'It is deleted.'
  if (textOf(row, 'key') === '') return 'It has no key.'
  const status = wholeOf(row, 'status')
  if (status === DISABLED) return 'It is disabled.'
  if (status === EXPIRED || (hasExpiry(row) && wholeOf(row, 'expired_time') * 1000 < now_ms))
    return 'It has expired.'
  return status === ENABLED || status === EXHAUSTED ? undefined : `Its status is ${status}, which is unknown.`
}

/** new-api separates addresses in `allow_ips` by lines, one-api in `subnet` by commas. @returns null: the key works everywhere */
function addressesOf(row: SourceRow): string[] | null {
  const entries = partsOf(`${textOf(row, 'allow_ips')}\n${textOf(row, 'subnet')}`, /[\n,]/)
  return entries.length === 0 ? null : entries.filter(isAddressBlock)
}

/** @returns null: all models */
function modelsOf(row: SourceRow): string[] | null {
  if (row.model_limits_enabled !== undefined)
    return flagOf(row, 'model_limits_enabled') ? partsOf(textOf(row, 'model_limits'), ',') : null
  const models = partsOf(textOf(row, 'models'), ',')
  return models.length === 0 ? null : models
}
