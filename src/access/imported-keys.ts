// API keys of another gateway that go on working here: known by their hash alone.
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import type { Key } from '../store/schema.ts'
import { setBudgets } from './budgets.ts'
import { refuseClosed } from './closing.ts'
import { keyFields } from './key-fields.ts'
import { checkSettings, columnsOf, type NewKeySettings, NO_LIMITS } from './key-settings.ts'
import { refuseTakenName } from './keys.ts'
import { accountQueries, keyQueries } from './queries.ts'
import { isImportedPrefix } from './secret.ts'

/** A key as the other gateway knows it. */
export interface ImportedKey {
  /** Of the whole text that callers send, `sk-` included. */
  sha256: Uint8Array
  /** 10 characters that tell it from others in lists (`importedPrefix`). Not necessarily unique. */
  prefix: string
  /** Its creation there; Unix milliseconds. */
  created_at_ms: number
}

/**
 * Adds another gateway's key to an account, in the caller's transaction. It works as our own keys do; a rotation replaces it by one of ours.
 *
 * @throws GatewayError not_found without the account; conflict if the account is closed or the key is known; invalid_request when a
 * setting, the hash or the prefix is malformed or the name taken
 */
export async function importKey(
  tx: Tx,
  account_id: number,
  requested: NewKeySettings,
  { sha256, prefix, created_at_ms }: ImportedKey,
  now_ms: number,
): Promise<Key> {
  const { budgets = {}, ...limits } = requested
  const settings = { ...NO_LIMITS, ...limits }
  checkSettings(settings, now_ms)
  checkImportedKey({ sha256, prefix })
  await tx.lock(account_id)
  const account = await accountQueries(tx).accountById.get({ id: account_id })
  if (!account) throw notFound(`There is no account ${account_id}.`)
  await refuseClosed(tx, account)
  await refuseTakenName(tx, account_id, settings.name, now_ms)
  const columns = { ...columnsOf(settings), account_id, prefix, sha256: Buffer.from(sha256), created_at_ms }
  const key: Key | undefined = await keyQueries(tx).insertUnknownKey.get(columns)
  if (!key) throw keyExists(prefix)
  const set = await setBudgets(tx, { account_id, key_id: key.id }, budgets, now_ms)
  const after = { ...keyFields(key), ...set?.after }
  await recordAction(tx, { action: 'key.imported', account_id, key_id: key.id, after })
  return key
}

/** @throws GatewayError invalid_request where the hash or the prefix is malformed */
export function checkImportedKey({ sha256, prefix }: Pick<ImportedKey, 'sha256' | 'prefix'>): void {
  if (sha256.length !== 32) throw invalidRequest('sha256: must have 32 bytes.', { param: 'sha256' })
  if (!isImportedPrefix(prefix))
    throw invalidRequest(
      `prefix: "${prefix}" must be "sk-" and 7 letters, digits, dots, hyphens or underscores.`,
      { param: 'prefix' },
    )
}

export const keyExists = (prefix: string) =>
  conflict(`The key "${prefix}" is there already, of this account or another one.`, { code: 'key_exists' })
