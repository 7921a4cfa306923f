// The catalogue's past: each text that the file had while it was in force, without its keys, and who saved it.
import type { Database } from 'bun:sqlite'
import { recordAction, whoActs } from '../db/actions.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../db/page.ts'
import type { Actor } from '../domain/actions.ts'
import { notFound } from '../domain/errors.ts'
import { catalogueActions, type Owners } from './catalogue-actions.ts'
import { pastQueries } from './past-queries.ts'
import { readToml } from './toml.ts'

/** A session of the console, a command, or an editor on the file. */
export type MadeBy = `session:${number}` | `command:${string}` | 'file'

/** Who saved a text: the id of a session, or the words of a command, as the name. */
export function madeBy(made_by: MadeBy): { kind: 'session' | 'command' | 'file'; name: string } {
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
  made_by: MadeBy
}

export type ListedVersion = Pick<Version, 'made_at_ms' | 'made_by'> & { id: number }

/**
 * Keeps a text that came into force, and writes to the audit log what it changes, in the caller's transaction.
 *
 * @param text without its keys
 * @param request_id by which it was saved in the console
 * @returns its version; undefined if it is that of the newest one already
 */
export function keepText(
  db: Database,
  { text, made_at_ms, made_by, request_id }: Omit<Version, 'version'> & { request_id?: string | undefined },
) {
  const { newest, insert, removeUpTo } = pastQueries(db)
  const before = newest.get()?.text
  if (before === text) return undefined
  const kept = insert.get({ text, made_at_ms, made_by })
  // The first text that is kept changes nothing.
  if (before !== undefined) {
    const by = { actor: actorOf(db, made_by), now_ms: made_at_ms, request_id }
    const actions = catalogueActions({ before, after: text, version: kept.version }, ownersIn(db))
    for (const action of actions) recordAction(db, action, by)
  }
  removeUpTo.run({ version: kept.version - MAX_VERSIONS })
  return kept.version
}

/** Who saved a text, as the audit log has them. */
function actorOf(db: Database, made_by: MadeBy): Actor {
  const { kind, name } = madeBy(made_by)
  if (kind === 'file') return { kind: 'system' }
  if (kind === 'session') {
    const session_id = Number(name)
    const address = pastQueries(db).sessionAddress.get({ id: session_id })?.address ?? undefined
    return { kind: 'operator', session_id, address }
  }
  const { actor } = whoActs(db)
  return actor.kind === 'command' ? actor : { kind: 'command', command: name }
}

const ownersIn = (db: Database): Owners => {
  const { accountByName, keyByPrefix } = pastQueries(db)
  return {
    account: (name) => accountByName.get({ name }),
    key: (prefix) => keyByPrefix.get({ prefix }),
  }
}

/** A page of versions, the newest first, by their numbers as `id`. */
export const listVersions = (db: Database, page: PageRequest): Page<ListedVersion> =>
  pageOf(pastQueries(db).page.all(pageValues(page)) as ListedVersion[], page)

/** @throws GatewayError not_found for one that never was, or is no longer kept */
export function requireVersion(db: Database, version: number): Version {
  const found = pastQueries(db).one.get({ version })
  if (!found)
    throw notFound(
      `Version ${version} of the catalogue not found. The newest ${MAX_VERSIONS} versions are kept.`,
      { param: 'version' },
    )
  return found as Version
}

/** The version before another one; undefined if that is the oldest that is kept. */
export const versionBefore = (db: Database, version: number): Version | undefined =>
  pastQueries(db).before.get({ version }) as Version | undefined

/**
 * Deletes the versions that have limits for an account, in the caller's transaction: its name is personal data.
 *
 * @returns how many
 */
export function forgetAccount(db: Database, name: string): number {
  const { all, remove } = pastQueries(db)
  const naming = all.all().filter(({ text }) => text.includes(name) && hasLimitsOf(text, name))
  for (const { version } of naming) remove.run({ version })
  return naming.length
}

function hasLimitsOf(text: string, name: string): boolean {
  const reading = readToml(text)
  if (!reading.ok) return true
  const accounts: unknown = Reflect.get(Object(reading.value.limits), 'accounts')
  return Object.hasOwn(Object(accounts), name)
}
