// The catalogue's history: each text that was in force, without its keys, and its author.

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

/** A console session, a command, or an edit of the file. */
export type Author = `session:${number}` | `command:${string}` | 'file'

/** Parses an author; the name is the ID of a session, or the words of a command. */
export function parseAuthor(made_by: Author): { kind: 'session' | 'command' | 'file'; name: string } {
  const [kind, name = ''] = made_by.split(':')
  return { kind: kind === 'session' || kind === 'command' ? kind : 'file', name }
}

/** Older ones are deleted. */
export const MAX_VERSIONS = 100

export interface Version {
  version: number
  /** With masks for keys, as in `Configuration.read`. */
  text: string
  made_at_ms: number
  made_by: Author
}

export type ListedVersion = Pick<Version, 'made_at_ms' | 'made_by'> & { id: number }

export type NewVersion = Omit<Version, 'version'> & { request_id?: string | undefined }

/**
 * Stores a text that came into force on a machine, and its changes in the audit log, in the caller's transaction.
 *
 * @param text without keys
 * @param request_id of the save in the console
 * @returns its version; undefined if the newest version has the same text
 */
export async function keepText(tx: Tx, next: NewVersion): Promise<number | undefined> {
  // If several gateways have the same text, only one stores it.
  await tx.lock(null)
  const before = await pastQueries(tx).newest.get()
  return before?.text === next.text ? undefined : await addText(tx, next, { before, shared: 0 })
}

/** Stores a text for all gateways of the database; the caller has the operator's lock. @returns its version */
export async function keepShared(tx: Tx, next: NewVersion): Promise<number> {
  const before = await pastQueries(tx).newest.get()
  // The machine's settings are only removed from the text, which is no change.
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
  // The first stored text is no change.
  if (before !== undefined) {
    const by = { actor: await actorOf(tx, made_by), now_ms: made_at_ms, request_id }
    const { owned, actions } = catalogueChanges(before.text, text)
    const owners = await ownersOf(tx, owned)
    for (const action of actions(version, owners)) await recordAction(tx, action, by)
  }
  await removeUpTo.run({ version: version - MAX_VERSIONS })
  return version
}

/** Returns the actor of a text's author, for the audit log. */
async function actorOf(tx: Tx, made_by: Author): Promise<Actor> {
  const { kind, name } = parseAuthor(made_by)
  if (kind === 'file') return { kind: 'system' }
  if (kind === 'session') {
    const session_id = Number(name)
    const { address, person_id } = (await pastQueries(tx).sessionOrigin.get({ id: session_id })) ?? {}
    return { kind: 'operator', session_id, person_id: person_id ?? undefined, address: address ?? undefined }
  }
  const { actor } = actorFor(tx)
  return actor.kind === 'command' ? actor : { kind: 'command', command: name }
}

async function ownersOf(tx: Tx, { account, key }: CatalogueChanges['owned']): Promise<Owners> {
  const { accountsByName, keysByPrefix } = pastQueries(tx)
  const accounts = account.length === 0 ? [] : await accountsByName.all({ names: JSON.stringify(account) })
  const keys = key.length === 0 ? [] : await keysByPrefix.all({ prefixes: JSON.stringify(key) })
  const by_name = new Map(accounts.map(({ name, ...owner }) => [name, owner]))
  // If several keys have the same prefix, the oldest one counts.
  const oldest_last = keys.toSorted((one, other) => other.key_id - one.key_id)
  const by_prefix = new Map(oldest_last.map(({ prefix, ...owner }) => [prefix, owner]))
  return { account: (name) => by_name.get(name), key: (prefix) => by_prefix.get(prefix) }
}

/** Reads a page of versions, the newest first; `id` is the version number. */
export async function listVersions(db: Db, page: PageRequest): Promise<Page<ListedVersion>> {
  const found = await pastQueries(db).page.all(pageValues(page))
  return pageOf(found as ListedVersion[], page)
}

/** @throws GatewayError not_found if the version does not exist, or is no longer stored */
export async function requireVersion(db: Db, version: number): Promise<Version> {
  const found = await pastQueries(db).one.get({ version })
  if (!found)
    throw notFound(
      `Version ${version} of the catalogue not found. The newest ${MAX_VERSIONS} versions are kept.`,
      { param: 'version' },
    )
  return maskedVersion(found as Version)
}

/** Reads the stored version before another; undefined for the oldest. */
export async function versionBefore(db: Db, version: number): Promise<Version | undefined> {
  const found = await pastQueries(db).before.get({ version })
  return found && maskedVersion(found as Version)
}

/** Earlier versions of the gateway stored comments that are hidden today. */
const maskedVersion = (version: Version): Version => ({
  ...version,
  text: hideSecrets(version.text, createRedactor([]))?.text ?? version.text,
})

/** Reads a version and the one before it; a deleted version is missing. */
export const withVersionBefore = (db: Db, version: number): Awaitable<{ version: number; text: string }[]> =>
  pastQueries(db).withBefore.all({ version })

/**
 * Deletes the versions that have limits for an account, whose name is personal data, in the caller's transaction.
 *
 * @returns the number of deleted versions @throws GatewayError as `refuseLimits`
 */
export async function forgetAccount(tx: Tx, name: string): Promise<number> {
  const { all, remove } = pastQueries(tx)
  await refuseLimits(tx, name)
  const versions = await all.all()
  const naming = versions.filter(({ text }) => text.includes(name) && hasLimitsOf(text, name))
  await remove.run({ versions: JSON.stringify(naming.map(({ version }) => version)) })
  return naming.length
}

/** @throws GatewayError conflict if the catalogue in the database has limits for an account */
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
