// Console routes of keys: the operator and the account create, change, rotate and revoke them.

import type { Static } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { countUsableKeys, type ListedKey } from '../../../src/access/key-listing.ts'
import type { KeyChanges as Changes } from '../../../src/access/key-settings.ts'
import {
  changeKey,
  createKey,
  freeKeyName,
  type IssuedKey,
  revokeKey,
  rotateKey,
} from '../../../src/access/keys.ts'
import { compileModelPatterns } from '../../../src/access/model-patterns.ts'
import { noSuchPerson, requireKeyHolder } from '../../../src/access/person-keys.ts'
import { issueOnce } from '../../../src/access/repeatable-key.ts'
import { may } from '../../../src/access/rights.ts'
import { type Viewer, withKey } from '../../../src/access/viewer.ts'
import { consoleList } from '../../../src/app/list/pages.ts'
import {
  type ConsoleParts,
  changed,
  countCall,
  FAILURES,
  type Requester,
  viewerCalls,
} from '../../../src/app/surface/console/calls.ts'
import { KeyParams, readUsd } from '../../../src/app/surface/console/fields.ts'
import { requireUnchanged } from '../../../src/app/surface/console/meanwhile.ts'
import { payingAccount, requireAccount, requireKey } from '../../../src/app/surface/console/references.ts'
import { sampleModel } from '../../../src/app/surface/console/suggested-models.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { BUDGET_PERIODS } from '../../../src/domain/budgets.ts'
import { conflict, invalidRequest, permissionDenied } from '../../../src/domain/errors.ts'
import { formatUsd, type Nanos } from '../../../src/domain/money.ts'
import { readMoment } from '../../../src/http/period.ts'
import type { Db, Tx } from '../../../src/store/db.ts'
import { defined } from '../../../src/utilities/defined.ts'
import { budgetOf, key_list } from '../list.ts'
import { ownLimitRoutes } from './own-limits.ts'
import { IssuedView, KeyChanges, type KeyValues, KeyView, keyView, NewKey, Rotation } from './views.ts'

/** Keys are never deleted, so an account may create at most 120 a minute (KEY_COUNTS_AS), and have at most MAX_USABLE_KEYS usable ones. */
const KEY_COUNTS_AS = 10
export const MAX_USABLE_KEYS = 200

export const keysRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-keys-all' })
    .use(keyRoutes(gateway))
    .use(keyEndRoutes(gateway))
    .use(ownLimitRoutes(gateway))

/** `GET` and `POST /console/api/keys`, `/console/api/keys.csv`; `GET` and `PATCH /console/api/keys/{id}`. */
function keyRoutes(gateway: ConsoleParts) {
  const { now } = gateway.calls
  const list = consoleList(gateway, key_list)
  return new Elysia({ name: 'console-keys' })
    .use(viewerCalls(gateway, { changes: 'manage_keys' }))
    .get('/console/api/keys', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/keys.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
    .post('/console/api/keys', ({ viewer, origin, body }) => issueKey(gateway, { viewer, origin }, body), {
      body: NewKey,
      response: { 200: IssuedView, ...FAILURES },
    })
    .get('/console/api/keys/:id', ({ viewer, params }) => viewOfKey(gateway, viewer, params.id), {
      params: KeyParams,
      response: { 200: KeyView, ...FAILURES },
    })
    .patch(
      '/console/api/keys/:id',
      async ({ viewer, origin, params: { id }, body: { was, ...values } }) => {
        const changes = settingsOf(values)
        const read = was && settingsOf(was)
        await changed(gateway, { viewer, origin }, async (tx) => {
          const key = await lockedManagedKey(tx, viewer, id)
          const is = await requireKey({ db: tx }, viewer, key)
          requireUnchanged(read && valuesOf(read), valuesOf(asSettings(is)), valuesOf(changes))
          return changeKey(tx, key, changes, now())
        })
        return viewOfKey(gateway, viewer, id)
      },
      { params: KeyParams, body: KeyChanges, response: { 200: KeyView, ...FAILURES } },
    )
}

/** `POST /console/api/keys/{id}/rotate` and `/revoke`. */
function keyEndRoutes(gateway: ConsoleParts) {
  const { now } = gateway.calls
  const { randomBytes } = gateway.people
  return new Elysia({ name: 'console-key-end' })
    .use(viewerCalls(gateway, { changes: 'manage_keys' }))
    .post(
      '/console/api/keys/:id/rotate',
      async ({ viewer, origin, params: { id }, body: { grace_s = 0, request_key } }) => {
        countCall(gateway, viewer, KEY_COUNTS_AS)
        const made = await changed(gateway, { viewer, origin }, async (tx) => {
          const key = await lockedManagedKey(tx, viewer, id)
          const repeatable = { request_key, content: ['rotate', key, grace_s] }
          return issueOnce(tx, repeatable, { randomBytes, now_ms: now() }, (issuing) =>
            rotateKey(tx, key, grace_s, issuing),
          )
        })
        return issued(gateway, viewer, made)
      },
      { params: KeyParams, body: Rotation, response: { 200: IssuedView, ...FAILURES } },
    )
    .post(
      '/console/api/keys/:id/revoke',
      async ({ viewer, origin, params: { id } }) => {
        await changed(gateway, { viewer, origin }, async (tx) =>
          revokeKey(tx, await requireManaged(tx, viewer, id), now()),
        )
        return viewOfKey(gateway, viewer, id)
      },
      { params: KeyParams, response: { 200: KeyView, ...FAILURES } },
    )
}

/** Creates a key. @throws GatewayError as `createKey`; conflict if an account has the maximum number of keys */
export async function issueKey(
  gateway: Pick<Gateway, 'calls' | 'people' | 'db'>,
  asking: Requester,
  { request_key, account, person, ...values }: Static<typeof NewKey>,
): Promise<Static<typeof IssuedView>> {
  const { now } = gateway.calls
  const { randomBytes } = gateway.people
  const { viewer } = asking
  if (!may(viewer, 'manage_keys')) throw mayNotManage()
  const account_id = await payingAccount(gateway, viewer, account)
  if (account_id === undefined)
    throw invalidRequest('account: is missing; it must be the number or name of the account for the key.', {
      param: 'account',
    })
  const changes = settingsOf(values)
  countCall(gateway, viewer, KEY_COUNTS_AS)
  const made = await changed(gateway, asking, async (tx) => {
    await tx.lock(account_id)
    const repeatable = {
      request_key,
      content: ['key', account_id, changes, ...(person === undefined ? [] : [person])],
    }
    return issueOnce(tx, repeatable, { randomBytes, now_ms: now() }, async (issuing) => {
      if (viewer.side !== 'operator') refuseMore(await countUsableKeys(tx, account_id, now()))
      const person_id = await holderOf(tx, viewer, { account_id, person })
      const settings = { name: await freeKeyName(tx, account_id, now()), ...changes, person_id }
      const { name } = await requireAccount({ db: tx }, String(account_id))
      return createKey(tx, name, settings, issuing)
    })
  })
  return issued(gateway, viewer, made)
}

/** Returns the person who gets the new key. @throws GatewayError not_found if they may not have keys, or a member names another person */
async function holderOf(
  tx: Tx,
  viewer: Viewer,
  { account_id, person }: { account_id: number; person: number | undefined },
): Promise<number | null> {
  const own = viewer.side === 'account' && viewer.role === 'member' ? viewer.person_id : undefined
  const person_id = person ?? own
  if (person_id === undefined) return null
  if (own !== undefined && person_id !== own) throw noSuchPerson()
  await requireKeyHolder(tx, { person_id, account_id })
  return person_id
}

async function issued(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  { key, text }: IssuedKey,
): Promise<Static<typeof IssuedView>> {
  return {
    text,
    key: await viewOfKey(gateway, withKey(viewer, key.id), String(key.id)),
    unmatched: unmatchedBy(gateway, key.models),
    sample_model: sampleModel(gateway.calls.catalogue(), key.models),
  }
}

/** Returns the patterns without a match. They are reported, not refused, because their models may be added later. */
function unmatchedBy(
  { calls: { catalogue } }: Pick<Gateway, 'calls'>,
  patterns: readonly string[] | null,
): string[] {
  const ids = [...catalogue().models.keys()]
  return (patterns ?? []).filter((pattern) => !ids.some(compileModelPatterns([pattern])))
}

/** Converts settings to the values of a request. */
function valuesOf(settings: Changes): KeyValues {
  const { name, models, addresses, concurrent_calls, expires_at_ms } = settings
  const usd = (nanos: Nanos | null | undefined) => (nanos == null ? nanos : formatUsd(nanos))
  return defined({
    name,
    models: models && [...models],
    addresses: addresses && [...addresses],
    concurrent_calls,
    spend_limit: usd(settings.spend_limit_nanos),
    daily_limit: usd(settings.budgets?.day),
    monthly_limit: usd(settings.budgets?.month),
    five_hour_limit: usd(settings.budgets?.['5h']),
    weekly_limit: usd(settings.budgets?.week),
    expires: typeof expires_at_ms === 'number' ? new Date(expires_at_ms).toISOString() : expires_at_ms,
  })
}

/** Converts a key to settings. */
const asSettings = (key: ListedKey): Changes => ({
  ...key,
  budgets: Object.fromEntries(BUDGET_PERIODS.map((period) => [period, budgetOf(key, period)])),
})

/** Reads the settings of a request; null removes a limit. @throws GatewayError invalid_request */
function settingsOf(body: KeyValues): Changes {
  const { name, models, addresses, concurrent_calls, expires } = body
  const budgets = defined({
    '5h': limitIn(body, 'five_hour_limit'),
    day: limitIn(body, 'daily_limit'),
    week: limitIn(body, 'weekly_limit'),
    month: limitIn(body, 'monthly_limit'),
  })
  return defined({
    name,
    models,
    addresses,
    concurrent_calls,
    spend_limit_nanos: limitIn(body, 'spend_limit'),
    budgets: Object.keys(budgets).length > 0 ? budgets : undefined,
    expires_at_ms: typeof expires === 'string' ? readMoment('expires', expires, { edge: 'end' }) : expires,
  })
}

/** @throws GatewayError invalid_request */
function limitIn(
  body: KeyValues,
  name: 'spend_limit' | 'daily_limit' | 'monthly_limit' | 'five_hour_limit' | 'weekly_limit',
): Nanos | null | undefined {
  const text = body[name]
  return typeof text === 'string' ? readUsd(name, text) : text
}

async function viewOfKey(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  id: string,
): Promise<Static<typeof KeyView>> {
  return keyView(gateway, await requireKey(gateway, viewer, id), viewer)
}

/** Returns the id of the key. @throws GatewayError not_found as `requireKey`; permission_denied for viewers without the right */
async function requireManaged(db: Db, viewer: Viewer, reference: string): Promise<string> {
  const { id } = await requireKey({ db }, viewer, reference)
  if (!may(viewer, 'manage_keys')) throw mayNotManage()
  return String(id)
}

/** The same, with a lock on the keys of its account until the transaction ends. @throws as `requireManaged` */
async function lockedManagedKey(tx: Tx, viewer: Viewer, reference: string): Promise<string> {
  const id = await requireManaged(tx, viewer, reference)
  await tx.lock((await requireKey({ db: tx }, viewer, id)).account_id)
  return id
}

function refuseMore(usable: number): void {
  if (usable >= MAX_USABLE_KEYS)
    throw conflict(
      `${usable} active keys are the maximum for an account. Revoke some that you no longer use.`,
    )
}

const mayNotManage = () =>
  permissionDenied(
    'You cannot manage keys while signed in with an API key. Sign in with the account’s password.',
  )
