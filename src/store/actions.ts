// The audit log: lines that are written in the transaction of the change that they describe, with the actor of the connection.

import { desc, sql } from 'drizzle-orm'
import {
  type Action,
  type ActionContext,
  type Actor,
  actionsOf,
  boundedJson,
  type Fields,
} from '../domain/actions.ts'
import { rateLimited } from '../domain/errors.ts'
import { DAY_MS } from '../domain/ranges.ts'
import { batchesOf } from '../utilities/batches.ts'
import type { Db, Tx } from './db.ts'
import { placeholder, placeholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { type ActionRow, actions } from './schema.ts'

/** How long a line is kept: until there is a line that is this much younger. The table's trigger has the same value. */
export const ACTIONS_KEPT_MS = 400 * DAY_MS
/** Changes by an account's own people in any 24 hours, except for `UNLIMITED`. */
export const MAX_CHANGES_A_DAY = 200
/** The newest lines on signing in of an account's people that are kept. Lines on changes stay for their whole time. */
export const MAX_SIGN_INS_KEPT = 1_000

const SIGN_IN_ACTIONS = actionsOf('sign_in')
/** A key is revoked once, and a person with a stolen session must not be able to keep the key's owner from revoking it. */
const UNLIMITED = [...SIGN_IN_ACTIONS, 'key.revoked']
const is_by_own_people = sql`${actions.account_id} = ${placeholder('account_id')} AND ${actions.actor} IN ('account', 'key')`
const isOneOf = (names: readonly string[]) =>
  sql`${actions.action} IN (${sql.raw(names.map((name) => `'${name}'`).join(', '))})`

const actionQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(actions)
      .values(
        placeholders(
          'created_at_ms',
          'action',
          'actor',
          'session_id',
          'address',
          'command',
          'machine_user',
          'request_id',
          'account_id',
          'key_id',
          'subject',
          'before',
          'after',
          'person_id',
        ),
      ),
  removeOldestSignIn: (orm) =>
    orm.delete(actions).where(
      sql`${is_by_own_people} AND ${isOneOf(SIGN_IN_ACTIONS)} AND ${actions.id} <= (
          SELECT id FROM actions WHERE ${is_by_own_people} AND ${isOneOf(SIGN_IN_ACTIONS)}
          ORDER BY id DESC LIMIT 1 OFFSET ${sql.raw(String(MAX_SIGN_INS_KEPT))})`,
    ),
  /** The change that must be a day old before the next one. */
  firstOfAllowed: (orm) =>
    orm
      .select({ at_ms: actions.created_at_ms })
      .from(actions)
      .where(sql`${is_by_own_people} AND NOT ${isOneOf(UNLIMITED)}`)
      .orderBy(desc(actions.id))
      .limit(1)
      .offset(MAX_CHANGES_A_DAY - 1),
  /** The newest line always stays, whatever the clock says. */
  removeOlder: (orm) =>
    orm
      .delete(actions)
      .where(
        sql`${actions.id} IN (SELECT id FROM actions WHERE created_at_ms <=
            (SELECT created_at_ms FROM actions ORDER BY id DESC LIMIT 1) - ${sql.raw(String(ACTIONS_KEPT_MS))}
          ORDER BY id LIMIT ${placeholder('row_limit')})`,
      )
      .returning({ id: actions.id }),
})

/** Returns the actor of a database connection: the gateway itself if none is named. */
export const actorFor = ({ by }: Db): ActionContext => by ?? { actor: { kind: 'system' }, now_ms: Date.now() }

/**
 * Records an action. Call it in the transaction of the change, so that neither exists without the other; for a change by an account's own
 * people, which is counted, after the account is locked.
 *
 * @throws GatewayError rate_limited if an account's own people make more changes in 24 hours than allowed
 */
export async function recordAction(tx: Tx, action: Action, by: ActionContext = actorFor(tx)): Promise<void> {
  const row = actionRow(action, by)
  const { insert, removeOldestSignIn } = actionQueries(tx)
  const { actor, account_id } = row
  const is_own = actor === 'account' || actor === 'key'
  if (is_own && !UNLIMITED.includes(action.action)) await refuseTooMany(tx, account_id, by.now_ms)
  await insert.run(row)
  if (is_own && SIGN_IN_ACTIONS.includes(action.action)) await removeOldestSignIn.run({ account_id })
}

/** The number of rows in one statement. */
const MAX_ROWS = 500

/** Records many actions of an actor without a limit: the operator, a command or the gateway. */
export async function recordActions(tx: Tx, all: readonly Action[]): Promise<void> {
  const by = actorFor(tx)
  for (const part of batchesOf(all, MAX_ROWS))
    await tx.orm.insert(actions).values(part.map((action) => actionRow(action, by)))
}

async function refuseTooMany(tx: Tx, account_id: number | null, now_ms: number): Promise<void> {
  const first = await actionQueries(tx).firstOfAllowed.get({ account_id })
  const wait_ms = first ? first.at_ms + DAY_MS - now_ms : 0
  if (wait_ms <= 0) return
  const retry_after_s = Math.ceil(Math.min(wait_ms, DAY_MS) / 1_000)
  throw rateLimited(
    `This account has made ${MAX_CHANGES_A_DAY} changes in 24 hours. Try again in ${Math.ceil(retry_after_s / 3_600)} h, or ask the operator to make the change.`,
    { retry_after_s },
  )
}

/** Deletes some lines that are past their time. @returns how many */
export async function sweepActions(db: Db): Promise<number> {
  const removed = await db.write((db) => actionQueries(db).removeOlder.all({ row_limit: 500 }))
  return removed.length
}

/** Returns a row of the table without its number, which the database assigns. */
export function actionRow(
  { action, account_id, key_id, subject, before, after }: Action,
  { actor, now_ms, request_id }: ActionContext,
): Omit<ActionRow, 'id'> {
  return {
    created_at_ms: now_ms,
    action,
    ...actorColumns(actor),
    request_id: request_id ?? null,
    account_id: account_id ?? null,
    key_id: key_id ?? null,
    subject: subject ?? null,
    before: jsonOf(before),
    after: jsonOf(after),
  }
}

const jsonOf = (fields: Fields | undefined): string | null => (fields ? boundedJson(fields) : null)

function actorColumns(
  actor: Actor,
): Pick<ActionRow, 'actor' | 'session_id' | 'person_id' | 'address' | 'command' | 'machine_user'> {
  const nobody = { session_id: null, person_id: null, address: null, command: null, machine_user: null }
  if (actor.kind === 'system') return { ...nobody, actor: 'system' }
  if (actor.kind === 'command')
    return { ...nobody, actor: 'command', command: actor.command, machine_user: actor.machine_user ?? null }
  const { kind, session_id, person_id = null, address = null } = actor
  return { ...nobody, actor: kind, session_id, person_id, address }
}
