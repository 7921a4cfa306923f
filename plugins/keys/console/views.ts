// Keys as they are asked for, made and shown. The text of a key is in one answer only: that which made it.
import { type Static, Type } from '@sinclair/typebox'
import type { ListedKey } from '../../../src/access/key-listing.ts'
import { MAX_CONCURRENT_CALLS } from '../../../src/access/key-settings.ts'
import { KEY_STATUSES, keyStatus } from '../../../src/access/key-status.ts'
import { limitsFor } from '../../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../../src/access/limits-view.ts'
import { SpendLimitsView, spendLimitsView } from '../../../src/access/spend-limits-view.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { DISPLAY_NAME, named, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { AccountRef, RequestKey, Search, UsdText, Words } from '../../../src/app/surface/console/fields.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../../src/http/paging.ts'
import { Moment } from '../../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import {
  MoneyFields,
  money,
  NullableMoneyFields,
  NullableTimeFields,
  TimeFields,
  time,
} from '../../../src/http/views.ts'
import type { KeyUsage } from '../../../src/money/ledger/key-usage.ts'

export const KEY_FILTERS = {
  account: Type.Optional(AccountRef),
  search: Type.Optional(Search),
  status: Type.Optional(OneOf([...KEY_STATUSES, 'usable'])),
}
export const KeysQuery = Closed({ ...KEY_FILTERS, ...PAGE_PARAMETERS })

const KeyFields = {
  id: Type.Integer(),
  account_id: Type.Integer(),
  account: Type.String(),
  ...DISPLAY_NAME,
  name: Type.String(),
  prefix: Type.String(),
  status: OneOf(KEY_STATUSES),
  /** Patterns of model ids; null: all. */
  models: Nullable(Type.Array(Type.String())),
  /** Addresses and CIDR blocks; null: anywhere. */
  addresses: Nullable(Type.Array(Type.String())),
  ...NullableMoneyFields('spend_limit'),
  ...NullableMoneyFields('daily_limit'),
  ...NullableMoneyFields('monthly_limit'),
  concurrent_calls: Nullable(Type.Integer()),
  spend_limits: SpendLimitsView,
  ...MoneyFields('spent'),
  ...MoneyFields('held'),
  ...NullableMoneyFields('left'),
  ...MoneyFields('week'),
  week_calls: Type.Integer(),
  ...NullableTimeFields('last_used'),
  ...NullableTimeFields('expires'),
  ...NullableTimeFields('revoked'),
  ...TimeFields('created'),
  own: Type.Boolean({ description: 'whether it is the key that the viewer is signed in with' }),
}

const KeyRow = Closed(KeyFields)
/** What the viewer may do here. */
const may_manage = Type.Boolean({
  description: 'whether the viewer may make, change, rotate and revoke keys',
})
export const KeysView = Closed({ keys: Type.Array(KeyRow), may_manage, ...PAGE_FIELDS })
export const KeyView = Closed({ ...KeyFields, limits: LimitsView, may_manage })

const Name = Type.String({ maxLength: 200, must: 'a name of letters, digits and . _ @ + -' })
const Models = Nullable(Words('model ids or patterns such as gemini-*'))
const Addresses = Nullable(Words('IP addresses or CIDR blocks'))

const Limits = {
  spend_limit: Type.Optional(Nullable(UsdText)),
  daily_limit: Type.Optional(Nullable(UsdText)),
  monthly_limit: Type.Optional(Nullable(UsdText)),
  concurrent_calls: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: MAX_CONCURRENT_CALLS,
        must: `a whole number from 1 to ${MAX_CONCURRENT_CALLS}`,
      }),
    ),
  ),
}

const Changes = {
  name: Type.Optional(Name),
  models: Type.Optional(Models),
  addresses: Type.Optional(Addresses),
  ...Limits,
  expires: Type.Optional(Nullable(Moment)),
}
export const NewKey = Closed({
  /** Whose key; only the operator says so. */
  account: Type.Optional(AccountRef),
  ...Changes,
  request_key: Type.Optional(RequestKey),
})
const KeyValues = Closed(Changes)
export type KeyValues = Static<typeof KeyValues>
export type KeyChanges = Static<typeof KeyChanges>
export const KeyChanges = Closed({
  ...Changes,
  /** The values that were read, of the fields that change: 409 `changed_meanwhile` if one is another by now. */
  was: Type.Optional(KeyValues),
})

const MAX_GRACE_S = 31 * 86_400
export const Rotation = Closed({
  grace_s: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_GRACE_S, must: `whole seconds from 0 to ${MAX_GRACE_S}` }),
  ),
  request_key: Type.Optional(RequestKey),
})

export type KeysAsked = Static<typeof KeysQuery>
export type ShownKeyRow = Static<typeof KeyRow>
export type ShownKey = Static<typeof KeyView>

/** A key that was made, with its text, which is shown only here. */
export const IssuedView = Closed({
  text: Type.String({ description: 'the key itself: it is shown only this once' }),
  key: KeyView,
  unmatched: Type.Array(Type.String(), { description: 'patterns that match no model of the catalogue' }),
  sample_model: Nullable(Type.String({ description: 'a text model that the key may call' })),
})

export type Issued = Static<typeof IssuedView>

export function keyRow(
  key: ListedKey,
  usage: KeyUsage,
  viewer: Viewer,
  now_ms: number,
): Unnamed<Static<typeof KeyRow>> {
  const { spend_limit_nanos, spent_nanos, held_nanos } = key
  const left_nanos =
    spend_limit_nanos === null ? null : Math.max(0, spend_limit_nanos - spent_nanos - held_nanos)
  return {
    id: key.id,
    account_id: key.account_id,
    account: key.account_name,
    name: key.name,
    prefix: key.prefix,
    status: keyStatus(key, now_ms),
    models: key.models,
    addresses: key.addresses,
    ...money('spend_limit', spend_limit_nanos),
    ...money('daily_limit', key.daily_limit_nanos),
    ...money('monthly_limit', key.monthly_limit_nanos),
    concurrent_calls: key.concurrent_calls,
    spend_limits: spendLimitsView(key, now_ms),
    ...money('spent', spent_nanos),
    ...money('held', held_nanos),
    ...money('left', left_nanos),
    ...money('week', usage.week_nanos),
    week_calls: usage.week_calls,
    ...time('last_used', usage.last_used_at_ms),
    ...time('expires', key.expires_at_ms),
    ...time('revoked', key.revoked_at_ms),
    ...time('created', key.created_at_ms),
    own: viewer.role === 'key' && viewer.key_id === key.id,
  }
}

export async function keyView(
  { db, exchange: { catalogue, limiter, now } }: Pick<Gateway, 'exchange' | 'db'>,
  key: ListedKey,
  usage: KeyUsage,
  viewer: Viewer,
): Promise<Static<typeof KeyView>> {
  const { key: limit } = limitsFor(catalogue().limits, key.account_name, key)
  return {
    ...(await named(db, viewer, keyRow(key, usage, viewer, now()))),
    limits: limitsView(limit, await limiter.used('key', key.id)),
    may_manage: mayManage(viewer),
  }
}

/** A session by a key sees keys, and manages none. */
export const mayManage = (viewer: Viewer): boolean => viewer.role !== 'key'
