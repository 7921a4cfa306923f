// The alerts of a running gateway: the watch that raises and sends them, and the test of their webhook.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { otherGateways } from './other-gateways.ts'
import type { AlertSettings } from './settings.ts'
import { createWebhookTest, type TestResult } from './test-message.ts'
import { type RunningAlerts, watchAlerts } from './watch.ts'

export interface Alerting {
  /** Starts the regular checks. */
  begin(): void
  /** Sends a test to the webhook. @throws GatewayError conflict if no webhook is set */
  test(): Promise<TestResult>
  settings(): AlertSettings
  close(): Promise<void>
}

export function openAlerting(
  gateway: Pick<Gateway, 'calls' | 'operations' | 'db'>,
  settings: () => AlertSettings,
): Alerting {
  const { now, log } = gateway.calls
  const { postWebhook: post } = gateway.operations
  let watch: RunningAlerts | undefined
  return {
    begin() {
      watch ??= watchAlerts({ gateway, settings, post, others: otherGateways(gateway.operations) })
    },
    settings,
    test: createWebhookTest({ settings, post, now, log }),
    close: async () => await watch?.stop(),
  }
}
