// Alerts as plugins see them: open and past ones, and the webhooks sent for them.
import type { SendingWithAlert } from '../../plugins/alerts/store.ts'
import type { TestResult } from '../../plugins/alerts/test-message.ts'
import type { Awaitable } from '../db/db.ts'
import type { AlertRow } from '../db/schema.ts'

export interface Alerts {
  /** Open alerts, oldest first. */
  open(): Awaitable<AlertRow[]>
  /** Open and past ones, newest first. */
  recent(limit: number): Awaitable<AlertRow[]>
  /** Newest first. */
  sendings(limit: number): Awaitable<SendingWithAlert[]>
  /** Sends a test to the webhook. @throws GatewayError conflict if none is set */
  test(): Promise<TestResult>
}
