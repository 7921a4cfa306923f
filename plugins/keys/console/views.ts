// Schemas of keys in requests and responses of the console. Only the response to its creation has the text of a key.

import { type Static, Type } from '@sinclair/typebox'
import type { ListedKey } from '../../../src/access/key-listing.ts'
import { MAX_CONCURRENT_CALLS } from '../../../src/access/key-settings.ts'
import { limitsFor } from '../../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../../src/access/limits-view.ts'
import { may } from '../../../src/access/rights.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { consoleFields, consoleRow } from '../../../src/app/list/pages.ts'
import { AccountRef, RequestKey, UsdText, Words } from '../../../src/app/surface/console/fields.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Moment } from '../../../src/http/period.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { usageOfKeys } from '../key-usage.ts'
import { lineageOf, NO_LINEAGE } from '../lineage.ts'
import { key_list, keyRow, MAY_MANAGE } from '../list.ts'

/** A key on its page. */
export const KeyView = Closed({
  ...consoleFields(key_list),
  limits: LimitsView,
  may_manage: MAY_MANAGE,
  replaces: Nullable(
    Closed(
      { id: Type.Integer(), prefix: Type.String() },
      { description: 'the key that was rotated into this one' },
    ),
  ),
  replaced_by: Nullable(Type.String({ description: 'the prefix of the key that this one was rotated into' })),
})

const Name = Type.String({ maxLength: 200, must: 'a name of letters, digits and . _ @ + -' })
const Models = Nullable(Words('model ids or patterns such as gemini-*'))
const Addresses = Nullable(Words('IP addresses or CIDR blocks'))

const Limits = {
  spend_limit: Type.Optional(Nullable(UsdText)),
  daily_limit: Type.Optional(Nullable(UsdText)),
  monthly_limit: Type.Optional(Nullable(UsdText)),
  five_hour_limit: Type.Optional(Nullable(UsdText)),
  weekly_limit: Type.Optional(Nullable(UsdText)),
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
  /** The owner; only the operator may set it. */
  account: Type.Optional(AccountRef),
  ...Changes,
  /** The person who gets the key; by default the member who creates it, else the account itself. */
  person: Type.Optional(WholeNumber({ minimum: 1 }, 'the number of a person of the account')),
  request_key: Type.Optional(RequestKey),
})
const KeyValues = Closed(Changes)
export type KeyValues = Static<typeof KeyValues>
export type KeyChanges = Static<typeof KeyChanges>
export const KeyChanges = Closed({
  ...Changes,
  /** The values of the changed fields when they were read: 409 `changed_meanwhile` if one differs from the current value. */
  was: Type.Optional(KeyValues),
})

const MAX_GRACE_S = 31 * 86_400
export const Rotation = Closed({
  grace_s: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_GRACE_S, must: `whole seconds from 0 to ${MAX_GRACE_S}` }),
  ),
  request_key: Type.Optional(RequestKey),
})

export type KeyView = Static<typeof KeyView>

/** A new key with its text. */
export const IssuedView = Closed({
  text: Type.String({ description: 'the key itself: it is shown only this once' }),
  key: KeyView,
  unmatched: Type.Array(Type.String(), { description: 'patterns that match no model of the catalogue' }),
  sample_model: Nullable(Type.String({ description: 'a text model that the key may call' })),
})

export type Issued = Static<typeof IssuedView>

export async function keyView(
  { db, calls: { catalogue, limiter, now } }: Pick<Gateway, 'calls' | 'db'>,
  key: ListedKey,
  viewer: Viewer,
): Promise<Static<typeof KeyView>> {
  const now_ms = now()
  const usage = (await usageOfKeys(db, [key], now_ms)).get(key.id)
  const { key: limit } = limitsFor(catalogue().limits, key.account_name, key)
  return {
    ...(await consoleRow(db, viewer, key_list, keyRow(key, { usage, now_ms, viewer }))),
    limits: limitsView(limit, await limiter.used('key', key.id)),
    may_manage: may(viewer, 'manage_keys'),
    // A viewer by key must not see other keys.
    ...(viewer.side === 'key' ? NO_LINEAGE : await lineageOf(db, key)),
  }
}
