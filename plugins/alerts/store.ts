// Alerts and their webhook messages in the database, kept for 30 days.

import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import type { Awaitable, Db, Orm } from '../../src/store/db.ts'
import { equals, isOneOf, placeholder, placeholders, rawPlaceholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type CheckedScope, type Condition, type Steps, stepsOf } from './steps.ts'
import { type AlertRow, type AlertSendingRow, alert_sendings, alerts } from './tables.ts'
import type { AlertEvent } from './webhook.ts'

export type SendingWithAlert = AlertSendingRow & { alert: AlertRow }

const KEPT_MS = 30 * 86_400_000
/** The maximum number of ended alerts that are kept, the newest, even if older ones are not yet 30 days old. A row is about 200 bytes. */
const MAX_ENDED = 2_000

interface ApplyOptions {
  now_ms: number
  /** Returns a new message id. Undefined if no messages are sent. */
  newWebhookId: (() => string) | undefined
}

/** Writes the steps and their messages in one transaction. */
export function applySteps(db: Db, steps: Steps, { now_ms, newWebhookId }: ApplyOptions): Promise<void> {
  return db.begin(async (tx) => {
    const { insert, setOver, end, send, sweep, trim } = queries(tx)
    const queueMessage = async (alert: AlertRow, event: AlertEvent): Promise<void> => {
      if (!newWebhookId) return
      const { id: alert_id, account_id } = alert
      await send.run({
        alert_id,
        account_id,
        event,
        webhook_id: newWebhookId(),
        created_at_ms: now_ms,
        due_at_ms: now_ms,
      })
    }
    for (const condition of steps.raise)
      await queueMessage(await insert.get({ ...condition, raised_at_ms: now_ms }), 'raised')
    await setOver.run({ ids: JSON.stringify(steps.over), over_since_ms: now_ms })
    await setOver.run({ ids: JSON.stringify(steps.back), over_since_ms: null })
    const ended = await end.all({ ids: JSON.stringify(steps.end), ended_at_ms: now_ms })
    for (const alert of ended) await queueMessage(alert, 'ended')
    await sweep.run({ ended_at_ms: now_ms - KEPT_MS })
    await trim.run({ kept: MAX_ENDED })
  })
}

/**
 * Writes the changes of alerts that follow from the present conditions. If several gateways check the same conditions, one of them writes.
 *
 * @param conditions as for `stepsOf`
 * @returns the steps that were written
 */
export async function writeConditions(
  db: Db,
  conditions: readonly Condition[],
  { checked_rules, isOwn, ...applying }: ApplyOptions & Omit<CheckedScope, 'now_ms'>,
): Promise<Steps> {
  const computeSteps = async (db: Db) =>
    stepsOf(await openAlerts(db), conditions, { checked_rules, isOwn, now_ms: applying.now_ms })
  const steps = await computeSteps(db)
  if (Object.values(steps).every((each) => each.length === 0)) return steps
  return await db.begin(async (tx) => {
    // Another gateway may have written the same steps since.
    await tx.lock(null)
    const steps = await computeSteps(tx)
    await applySteps(tx, steps, applying)
    return steps
  })
}

export const openAlerts = (db: Db): Awaitable<AlertRow[]> => queries(db).open.all()

/** Open and past alerts, newest first. */
export const recentAlerts = (db: Db, limit: number): Awaitable<AlertRow[]> =>
  queries(db).recent.all({ row_limit: limit })

/** Newest first. */
export const recentSendings = (db: Db, limit: number): Awaitable<SendingWithAlert[]> =>
  queries(db).sendings.all({ row_limit: limit })

/** The messages that are due, oldest first. */
export const dueSendings = (db: Db, now_ms: number, limit: number): Awaitable<SendingWithAlert[]> =>
  queries(db).due.all({ due_at_ms: now_ms, row_limit: limit })

/**
 * Leases a message that is due, so that only one of several gateways sends it.
 *
 * @param due_at_ms the end of the lease: the message is due again then, unless an attempt is recorded
 * @returns false if another gateway has leased the message since it was read
 */
export async function takeSending(
  db: Db,
  sending: Pick<AlertSendingRow, 'id' | 'due_at_ms'>,
  due_at_ms: number,
): Promise<boolean> {
  const values = { id: sending.id, read_due_at_ms: sending.due_at_ms, due_at_ms }
  return (await db.write((db) => queries(db).take.get(values))) !== undefined
}

/** The result of an attempt to send. */
export interface TryResult {
  id: number
  /** The time of the next attempt; null if none follows. */
  due_at_ms: number | null
  sent_at_ms: number | null
  status: number | null
  failure: string | null
}

export async function recordTry(db: Db, result: TryResult): Promise<void> {
  await db.write((db) => queries(db).tried.run({ ...result }))
}

const sendingsWithAlert = (orm: Orm) =>
  orm
    .select({ ...getTableColumns(alert_sendings), alert: alerts })
    .from(alert_sendings)
    .innerJoin(alerts, eq(alerts.id, alert_sendings.alert_id))

const queries = perConnection({
  open: (orm) => orm.select().from(alerts).where(isNull(alerts.ended_at_ms)).orderBy(asc(alerts.id)),
  recent: (orm) => orm.select().from(alerts).orderBy(desc(alerts.id)).limit(placeholder('row_limit')),
  insert: (orm) =>
    orm
      .insert(alerts)
      .values(placeholders('rule', 'subject', 'account_id', 'sentence', 'raised_at_ms'))
      .returning(),
  setOver: (orm) => orm.update(alerts).set(rawPlaceholders('over_since_ms')).where(isOneOf(alerts.id, 'ids')),
  end: (orm) =>
    orm.update(alerts).set(rawPlaceholders('ended_at_ms')).where(isOneOf(alerts.id, 'ids')).returning(),
  send: (orm) =>
    orm.insert(alert_sendings).values({
      ...placeholders('alert_id', 'account_id', 'event', 'webhook_id', 'created_at_ms', 'due_at_ms'),
      tries: 0,
    }),
  sendings: (orm) => sendingsWithAlert(orm).orderBy(desc(alert_sendings.id)).limit(placeholder('row_limit')),
  due: (orm) =>
    sendingsWithAlert(orm)
      .where(lte(alert_sendings.due_at_ms, placeholder('due_at_ms')))
      .orderBy(asc(alert_sendings.id))
      .limit(placeholder('row_limit')),
  take: (orm) =>
    orm
      .update(alert_sendings)
      .set(rawPlaceholders('due_at_ms'))
      .where(
        and(equals(alert_sendings.id, 'id'), eq(alert_sendings.due_at_ms, placeholder('read_due_at_ms'))),
      )
      .returning({ id: alert_sendings.id }),
  tried: (orm) =>
    orm
      .update(alert_sendings)
      .set({
        ...rawPlaceholders('due_at_ms', 'sent_at_ms', 'status', 'failure'),
        tries: sql`${alert_sendings.tries} + 1`,
      })
      .where(equals(alert_sendings.id, 'id')),
  sweep: (orm) => orm.delete(alerts).where(lte(alerts.ended_at_ms, placeholder('ended_at_ms'))),
  trim: (orm) =>
    orm.delete(alerts).where(
      and(
        isNotNull(alerts.ended_at_ms),
        sql`${alerts.id} <= (SELECT id FROM alerts WHERE ended_at_ms IS NOT NULL
            ORDER BY id DESC LIMIT 1 OFFSET ${placeholder('kept')})`,
      ),
    ),
})
