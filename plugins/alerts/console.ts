// Console routes of alerts, for operators only: open and past alerts, their webhook messages, and a test of the webhook.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Closed, Nullable } from '../../src/http/schema.ts'
import type { Alerting } from './alerting.ts'
import { openAlerts, recentAlerts, recentSendings } from './store.ts'
import { AlertView, alertView, SendingView, sendingView } from './views.ts'

const AlertsView = Type.Object({
  open: Type.Array(AlertView),
  recent: Type.Array(AlertView, { description: 'open or over, newest first' }),
  sendings: Type.Array(SendingView, { description: 'newest first' }),
  webhook: Nullable(Type.String({ description: 'the host that alerts are sent to' })),
})

const TestView = Closed({
  status: Nullable(Type.Integer({ description: 'that the receiver answered' })),
  failure: Nullable(Type.String({ description: 'null if the message was received' })),
  sentence: Type.String({ description: 'the result, and what to do' }),
})

const MAX_RECENT = 20

/** `GET /console/api/alerts`, and `POST /console/api/alerts/test`. */
export function alertRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'db'>,
  { test, settings }: Pick<Alerting, 'test' | 'settings'>,
) {
  const { db } = gateway
  return new Elysia({ name: 'console-alerts' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/alerts',
      async () => {
        const { webhook } = settings()
        return {
          open: (await openAlerts(db)).map(alertView),
          recent: (await recentAlerts(db, MAX_RECENT)).map(alertView),
          sendings: (await recentSendings(db, MAX_RECENT)).map(sendingView),
          webhook: webhook ? new URL(webhook.url).host : null,
        }
      },
      { response: { 200: AlertsView, ...FAILURES } },
    )
    .post('/console/api/alerts/test', () => test(), { response: { 200: TestView, ...FAILURES } })
}
