// Free routes for rows of the caller's account. A member's key and a key with its own limits see only the rows of that key.
import { Type } from '@sinclair/typebox'
import { seesAccount } from '../../access/account-details.ts'
import { type Caller, COMMON_FORMS, findKey, type KeyOfAccount, unknownKey } from '../../access/gate.ts'
import { keyQueries } from '../../access/queries.ts'
import { KEY_PREFIX_PATTERN } from '../../access/secret.ts'
import { permissionDenied } from '../../domain/errors.ts'
import { ErrorBody, plainError } from '../../http/plain-error.ts'
import { failures } from '../../http/schema.ts'
import type { Key } from '../../store/schema.ts'
import { freeCalls } from './calls.ts'
import type { Gateway } from './gateway.ts'

const SURFACE = { surface: 'billing', forms: COMMON_FORMS, render: plainError }

export const ACCOUNT_FAILURES = failures(ErrorBody, 400, 401, 403, 429, 500)

export interface Scope {
  account_id: number
  /** The caller's key, if it sees only its own rows. */
  only: Key | undefined
}

/** `freeCalls` for routes that read an account's rows. The barrier makes the holds of running calls visible to them. */
export const accountCalls = (gateway: Pick<Gateway, 'calls' | 'requests'>) =>
  freeCalls(gateway, SURFACE).onBeforeHandle({ as: 'scoped' }, () => gateway.calls.ledger.barrier())

/** Reads the caller's current key and account: the gate caches them for a second. @throws GatewayError unauthenticated */
export async function currentCaller({ db }: Pick<Gateway, 'db'>, { key }: Caller): Promise<KeyOfAccount> {
  const found = await findKey(db, key.sha256)
  if (!found) throw unknownKey()
  return found
}

/** Returns the scope of the current key: the gate caches it for a second. @throws GatewayError unauthenticated if it was deleted */
export async function scopeOf(gateway: Pick<Gateway, 'db'>, caller: Caller): Promise<Scope> {
  const key = await keyQueries(gateway.db).keyAndBudgets.get({ id: caller.key.id })
  if (!key) throw unknownKey()
  return { account_id: caller.account.id, only: (await seesAccount(gateway.db, key)) ? undefined : key }
}

/** The parameter that selects the rows of one key. */
export const KeyPrefix = Type.Optional(
  Type.String({
    pattern: KEY_PREFIX_PATTERN,
    must: "a key's prefix, its first 10 characters. A whole key does not belong in an address",
    description: 'Of the key with this prefix, its first 10 characters.',
  }),
)

export const KEY_FIELDS = {
  key_prefix: Type.String({ description: 'The first 10 characters of the key.' }),
  key: Type.String({ description: 'The name of the key.' }),
}

/** @throws GatewayError permission_denied if a limited key requests the rows of another key */
export function refuseOtherKeys(prefix: string | undefined, only: Key | undefined): void {
  if (only && prefix !== undefined && prefix !== only.prefix) throw seesOwnOnly('key')
}

/** The refusal of rows that a limited key may not see. @param param the parameter that requested them */
export const seesOwnOnly = (param?: string) =>
  permissionDenied(
    'This API key has limits of its own, or belongs to a member of the account, so it sees its own calls only. Use a key of the account without limits, or ask your operator to let limited keys see the account.',
    { param },
  )
