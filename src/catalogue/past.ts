// The catalogue's past: each text that the file had while it was in force, without its keys, and who saved it.

import type { Actor } from '../domain/actions.ts'
import { conflict, notFound } from '../domain/errors.ts'
import { createRedactor } from '../observe/redact.ts'
import { actorFor, recordAction } from '../store/actions.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../store/page.ts'
import { type CatalogueChanges, catalogueChanges, type Owners } from './catalogue-actions.ts'
import { hideSecrets } from './hidden-text.ts'
import { withoutMachine } from './machine-text.ts'
import { pastQueries } from './past-queries.ts'
import { readToml } from './toml.ts'

/** A session of the console, a command, or an editor on the file. */
export type Author = `session:${number}` | `command:${string}` | 'file'

/** The author of a text: the id of a session, or the words of a command, as the name. */
export function parseAuthor(made_by: Author): { kind: 'session' | 'command' | 'file'; name: string } {
  const [kind, name = ''] = made_by.split(':')
  return { kind: kind === 'session' || kind === 'command' ? kind : 'file', name }
}

/** Older ones are deleted. */
export const MAX_VERSIONS = 100

export interface Version {
  version: number
  /** With marks in place of keys, as `Configuration.read` shows the file. */
  text: string
  made_at_ms: number
  made_by: Author
}

export type ListedVersion = Pick<Version, 'made_at_ms' | 'made_by'> & { id: number }

export type NewVersion = Omit<Version, 'version'> & { request_id?: string | undefined }

/**
 * Keeps a text that came into force on a machine, and writes to the audit log what it changes, in the caller's transaction.
 *
 * @param text without its keys
 * @param request_id by which it was saved in the console
 * @returns its version; undefined if it is that of the newest one already
 */
export async function keepText(tx: Tx, next: NewVersion): Promise<number | undefined> {
  // Of several gateways with the same text one keeps it.
  await tx.lock(null)
  const before = await pastQueries(tx).newest.get()
  return before?.text === next.text ? undefined : await addText(tx, next, { before, shared: 0 })
}

/** The same for all gateways over the database, once the operator is locked. @returns its version */
export async function keepShared(tx: Tx, next: NewVersion): Promise<number> {
  const before = await pastQueries(tx).newest.get()
  // A part that belongs to a machine has only gone from the text.
  const text = before && (before.shared === 1 ? before.text : withoutMachine(before.text).text)
  return await addText(tx, next, { before: text === undefined ? undefined : { text }, shared: 1 })
}

interface Added {
  before: { text: string } | undefined
  shared: 0 | 1
}

async function addText(
  tx: Tx,
  { text, made_at_ms, made_by, request_id }: NewVersion,
  { before, shared }: Added,
): Promise<number> {
  const { insert, removeUpTo } = pastQueries(tx)
  const { version } = await insert.get({ text, made_at_ms, made_by, shared })
  // The first text that is kept changes nothing.
  if (before !== undefined) {
    const by = { actor: await actorOf(tx, made_by), now_ms: made_at_ms, request_id }
    const { owned, actions } = catalogueChanges(before.text, text)
    const owners = await ownersOf(tx, owned)
    for (const action of actions(version, owners)) await recordAction(tx, action, by)
  }
  await removeUpTo.run({ version: version - MAX_VERSIONS })
  return version
}

/** The author of a text, as the audit log has them. */
async function actorOf(tx: Tx, made_by: Author): Promise<Actor> {
  const { kind, name } = parseAuthor(made_by)
  if (kind === 'file') return { kind: 'system' }
  if (kind === 'session') {
    const session_id = Number(name)
    const session = await pastQueries(tx).sessionAddress.get({ id: session_id })
    return { kind: 'operator', session_id, address: session?.address ?? undefined }
  }
  const { actor } = actorFor(tx)
  return actor.kind === 'command' ? actor : { kind: 'command', command: name }
}

async function ownersOf(tx: Tx, { account, key }: CatalogueChanges['owned']): Promise<Owners> {
  const { accountsByName, keysByPrefix } = pastQueries(tx)
  const accounts = account.length === 0 ? [] : await accountsByName.all({ names: JSON.stringify(account) })
  const keys = key.length === 0 ? [] : await keysByPrefix.all({ prefixes: JSON.stringify(key) })
  const by_name = new Map(accounts.map(({ name, ...owner }) => [name, owner]))
  // Of keys with the same prefix the oldest counts.
  const oldest_last = keys.toSorted((one, other) => other.key_id - one.key_id)
  const by_prefix = new Map(oldest_last.map(({ prefix, ...owner }) => [prefix, owner]))
  return { account: (name) => by_name.get(name), key: (prefix) => by_prefix.get(prefix) }
}

/** A page of versions, the newest first, by their numbers as `id`. */
export async function listVersions(db: Db, page: PageRequest): Promise<Page<ListedVersion>> {
  const found = await pastQueries(db).page.all(pageValues(page))
  return pageOf(found as ListedVersion[], page)
}

/** @throws GatewayError not_found for one that never was, or is no longer kept */
export async function requireVersion(db: Db, version: number): Promise<Version> {
  const found = await pastQueries(db).one.get({ version })
  if (!found)
    throw notFound(
      `Version ${version} of the catalogue not found. The newest ${MAX_VERSIONS} versions are kept.`,
      { param: 'version' },
    )
  return maskedVersion(found as Version)
}

/** The version before another one; undefined if that is the oldest that is kept. */
export async function versionBefore(db: Db, version: number): Promise<Version | undefined> {
  const found = await pastQueries(db).before.get({ version })
  return found && maskedVersion(found as Version)
}

/** Earlier versions of the gateway kept comments that are hidden by now. */
const maskedVersion = (version: Version): Version => ({
  ...version,
  text: hideSecrets(version.text, createRedactor([]))?.text ?? version.text,
})

/** A version and the one before it; without a version that was deleted meanwhile. */
export const withVersionBefore = (db: Db, version: number): Awaitable<{ version: number; text: string }[]> =>
  pastQueries(db).withBefore.all({ version })

/**
 * Deletes the versions that have limits for an account, in the caller's transaction: its name is personal data.
 *
 * @returns how many @throws GatewayError as `refuseLimits`
 */
export async function forgetAccount(tx: Tx, name: string): Promise<number> {
  const { all, remove } = pastQueries(tx)
  await refuseLimits(tx, name)
  const versions = await all.all()
  const naming = versions.filter(({ text }) => text.includes(name) && hasLimitsOf(text, name))
  await remove.run({ versions: JSON.stringify(naming.map(({ version }) => version)) })
  return naming.length
}

/** @throws GatewayError conflict where the catalogue in the database has limits for an account */
export async function refuseLimits(db: Db, name: string): Promise<void> {
  const in_force = await pastQueries(db).newestShared.get()
  if (in_force && hasLimitsOf(in_force.text, name))
    throw conflict(
      `The catalogue in the database has limits for ${name}. Take [limits.accounts.${name}] out first, by \`tollgate config apply\` or in the console.`,
    )
}

function hasLimitsOf(text: string, name: string): boolean {
  const reading = readToml(text)
  if (!reading.ok) return true
  const accounts: unknown = Reflect.get(Object(reading.value.limits), 'accounts')
  return Object.hasOwn(Object(accounts), name)
}
