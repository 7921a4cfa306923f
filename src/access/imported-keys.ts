// Import of another gateway's API keys, which keep working. Only their hashes are known; many are inserted in one statement.
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import { recordActions } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import { bareColumns } from '../store/placeholders.ts'
import { type Key, keys } from '../store/schema.ts'
import { batchesOf } from '../utilities/batches.ts'
import { checkBudgets } from './budgets.ts'
import { refuseClosed } from './closing.ts'
import { type ImportedBudgets, insertBudgets, limitFields, MAX_ROWS } from './imported-budgets.ts'
import { keyFields } from './key-fields.ts'
import { checkSettings, type KeySettings } from './key-settings.ts'
import { refuseTakenName } from './keys.ts'
import { accountQueries } from './queries.ts'
import { isImportedPrefix } from './secret.ts'

/** A key of the other gateway with its settings and the use of its budgets. */
export interface NewImportedKey extends ImportedBudgets {
  readonly settings: KeySettings
  /** Hash of the whole text that callers send, including `sk-`. */
  readonly sha256: Uint8Array
  /** 10 characters that identify the key in lists (`importedPrefix`). Not necessarily unique. */
  readonly prefix: string
  /** Creation at the other gateway; Unix milliseconds. */
  readonly created_at_ms: number
}

/**
 * Adds another gateway's keys to an account, in the caller's transaction. They work like own keys; a rotation replaces one by an own key.
 *
 * @returns the keys, in order
 * @throws GatewayError not_found without the account; conflict if the account is closed or a key exists; invalid_request if a
 * setting, limit, hash or prefix is malformed, or a name is taken
 */
export async function importKeys(
  tx: Tx,
  account_id: number,
  imported: readonly NewImportedKey[],
  now_ms: number,
): Promise<Key[]> {
  for (const key of imported) checkImportedKey(key, now_ms)
  await tx.lock(account_id)
  const account = await accountQueries(tx).accountById.get({ id: account_id })
  if (!account) throw notFound(`Account ${account_id} not found.`)
  await refuseClosed(tx, account)
  for (const { settings } of imported) await refuseTakenName(tx, account_id, settings.name, now_ms)
  return await insertKeys(
    tx,
    imported.map((key) => ({ ...key, account_id })),
    now_ms,
  )
}

/** Inserts validated keys into accounts that the transaction has locked or created. @throws GatewayError conflict for a key that exists */
export async function insertKeys(
  tx: Tx,
  imported: readonly (NewImportedKey & { account_id: number })[],
  now_ms: number,
): Promise<Key[]> {
  const rows: Key[] = []
  for (const part of batchesOf(imported, MAX_ROWS))
    rows.push(
      ...(await tx.orm
        .insert(keys)
        .values(part.map(rowOf))
        .onConflictDoNothing({ target: bareColumns('sha256') })
        .returning()),
    )
  const by_hash = new Map(rows.map((row) => [row.sha256.toString('hex'), row]))
  const added = imported.map(({ sha256, prefix }) => {
    const row = by_hash.get(Buffer.from(sha256).toString('hex'))
    if (!row) throw keyExists(prefix)
    return row
  })
  const owners = imported.map((key, at) => ({ ...key, key_id: added[at]?.id ?? null }))
  await insertBudgets(tx, owners, now_ms)
  await recordActions(
    tx,
    added.map((key, at) => ({
      action: 'key.imported',
      account_id: key.account_id,
      key_id: key.id,
      after: { ...keyFields(key), ...limitFields(imported[at]?.budgets ?? {}) },
    })),
  )
  return added
}

const rowOf = ({
  settings,
  account_id,
  prefix,
  sha256,
  created_at_ms,
}: NewImportedKey & { account_id: number }) => ({
  ...settings,
  models: settings.models && [...settings.models],
  addresses: settings.addresses && [...settings.addresses],
  account_id,
  prefix,
  sha256: Buffer.from(sha256),
  created_at_ms,
  spent_nanos: 0,
  held_nanos: 0,
  revoked_at_ms: null,
  person_from_hold_id: 0,
})

/** @throws GatewayError invalid_request for a malformed setting, limit, hash or prefix */
export function checkImportedKey(
  { settings, budgets, sha256, prefix }: NewImportedKey,
  now_ms: number,
): void {
  checkSettings(settings, now_ms)
  checkBudgets(budgets)
  if (sha256.length !== 32) throw invalidRequest('sha256: must have 32 bytes.', { param: 'sha256' })
  if (!isImportedPrefix(prefix))
    throw invalidRequest(
      `prefix: "${prefix}" must be "sk-" and 7 letters, digits, dots, hyphens or underscores.`,
      { param: 'prefix' },
    )
}

const keyExists = (prefix: string) =>
  conflict(`The key "${prefix}" already exists, in this account or another.`, { code: 'key_exists' })
