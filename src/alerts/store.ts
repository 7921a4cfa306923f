// Alerts and their sendings in the database: what is open, what was, what is to be sent; kept for thirty days.
import type { Database } from 'bun:sqlite'
import { asc, desc, eq, inArray, isNull, lte, sql } from 'drizzle-orm'
import { allGiven, equals, placeholders } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { type AlertRow, type AlertSendingRow, alert_sendings, alerts } from '../db/schema.ts'
import type { Steps } from './steps.ts'
import type { AlertEvent } from './webhook.ts'

export type SendingWithAlert = AlertSendingRow & { alert: AlertRow }

const KEPT_MS = 30 * 86_400_000
/** Of the newest, whatever their age: a row is some 200 bytes. */
const MAX_ENDED = 2_000

export interface Applying {
  now_ms: number
  /** A new id of a message, each time. Undefined: nothing is sent. */
  newWebhookId: (() => string) | undefined
}

/** Writes what becomes of alerts, and what is to be sent of it. For a transaction of its own. */
export function applySteps(db: Database, steps: Steps, { now_ms, newWebhookId }: Applying): void {
  const { insert, setOver, end, send, sweep, trim } = queries(db)
  const sendOf = (alert: AlertRow, event: AlertEvent): void => {
    if (!newWebhookId) return
    const { id: alert_id, account_id } = alert
    send.run({
      alert_id,
      account_id,
      event,
      webhook_id: newWebhookId(),
      created_at_ms: now_ms,
      due_at_ms: now_ms,
    })
  }
  for (const condition of steps.raise) sendOf(insert.get({ ...condition, raised_at_ms: now_ms }), 'raised')
  for (const id of steps.over) setOver.run({ id, over_since_ms: now_ms })
  for (const id of steps.back) setOver.run({ id, over_since_ms: null })
  for (const id of steps.end) {
    const ended = end.get({ id, ended_at_ms: now_ms })
    if (ended) sendOf(ended, 'ended')
  }
  sweep.run({ ended_at_ms: now_ms - KEPT_MS })
  trim.run({ kept: MAX_ENDED })
}

export const openAlerts = (db: Database): AlertRow[] => queries(db).open.all()

/** Those that are open and those that were, the newest first. */
export const recentAlerts = (db: Database, limit: number): AlertRow[] =>
  queries(db).recent.all({ row_limit: limit })

/** The newest first. */
export const recentSendings = (db: Database, limit: number): SendingWithAlert[] =>
  queries(db).sendings.all({ row_limit: limit }).map(joined)

/** What is to be sent now, the oldest first. */
export const dueSendings = (db: Database, now_ms: number, limit: number): SendingWithAlert[] =>
  queries(db).due.all({ due_at_ms: now_ms, row_limit: limit }).map(joined)

/** What came of a try. */
export interface TryResult {
  id: number
  /** When it is tried again; null if it is not. */
  due_at_ms: number | null
  sent_at_ms: number | null
  status: number | null
  failure: string | null
}

export const recordTry = (db: Database, result: TryResult): void => void queries(db).tried.run({ ...result })

const joined = ({ sending, alert }: { sending: AlertSendingRow; alert: AlertRow }): SendingWithAlert => ({
  ...sending,
  alert,
})

const { placeholder } = sql

const queries = perConnection({
  open: (orm) =>
    orm.select().from(alerts).where(isNull(alerts.ended_at_ms)).orderBy(asc(alerts.id)).prepare(),
  recent: (orm) =>
    orm.select().from(alerts).orderBy(desc(alerts.id)).limit(placeholder('row_limit')).prepare(),
  insert: (orm) =>
    orm
      .insert(alerts)
      .values(placeholders('rule', 'subject', 'account_id', 'sentence', 'raised_at_ms'))
      .returning()
      .prepare(),
  setOver: (orm) =>
    orm.update(alerts).set(allGiven('over_since_ms')).where(equals(alerts.id, 'id')).prepare(),
  end: (orm) =>
    orm.update(alerts).set(allGiven('ended_at_ms')).where(equals(alerts.id, 'id')).returning().prepare(),
  send: (orm) =>
    orm
      .insert(alert_sendings)
      .values({
        ...placeholders('alert_id', 'account_id', 'event', 'webhook_id', 'created_at_ms', 'due_at_ms'),
        tries: 0,
      })
      .prepare(),
  sendings: (orm) =>
    orm
      .select({ sending: alert_sendings, alert: alerts })
      .from(alert_sendings)
      .innerJoin(alerts, eq(alerts.id, alert_sendings.alert_id))
      .orderBy(desc(alert_sendings.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  due: (orm) =>
    orm
      .select({ sending: alert_sendings, alert: alerts })
      .from(alert_sendings)
      .innerJoin(alerts, eq(alerts.id, alert_sendings.alert_id))
      .where(lte(alert_sendings.due_at_ms, placeholder('due_at_ms')))
      .orderBy(asc(alert_sendings.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  tried: (orm) =>
    orm
      .update(alert_sendings)
      .set({
        ...allGiven('due_at_ms', 'sent_at_ms', 'status', 'failure'),
        tries: sql`${alert_sendings.tries} + 1`,
      })
      .where(equals(alert_sendings.id, 'id'))
      .prepare(),
  sweep: (orm) =>
    orm
      .delete(alerts)
      .where(lte(alerts.ended_at_ms, placeholder('ended_at_ms')))
      .prepare(),
  trim: (orm) =>
    orm
      .delete(alerts)
      .where(
        inArray(
          alerts.id,
          sql`(SELECT id FROM alerts WHERE ended_at_ms IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ${placeholder('kept')})`,
        ),
      )
      .prepare(),
})
