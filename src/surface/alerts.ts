// Alerts as plugins see them: open and past ones, and the webhooks sent for them.
import type { SendingWithAlert } from '../alerts/store.ts'
import type { TestResult } from '../alerts/test-message.ts'
import type { AlertRow } from '../db/schema.ts'

export interface Alerts {
  /** Open alerts, oldest first. */
  open(): AlertRow[]
  /** Open and past ones, newest first. */
  recent(limit: number): AlertRow[]
  /** Newest first. */
  sendings(limit: number): SendingWithAlert[]
  /** Sends a test to the webhook. @throws GatewayError conflict if none is set */
  test(): Promise<TestResult>
}
