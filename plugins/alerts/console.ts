// Alerts in the console: those that are open, those that were, and what was sent of them to the webhook.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { SendingWithAlert } from './store.ts'
import type { AlertRow } from '../../src/db/schema.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import { FAILURES, operatorCalls } from '../../src/surface/console/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

export const AlertView = Type.Object({
  id: Type.Integer(),
  rule: Type.String(),
  subject: Type.String({
    description:
      'an account, the prefix of a key, a model, a provider or a route; of several gateways the machine and its data folder',
  }),
  account_id: Nullable(Type.Integer({ description: 'of the account that it is about, or whose key' })),
  sentence: Type.String(),
  ...TimeFields('raised'),
  ...NullableTimeFields('ended'),
})

const SendingView = Type.Object({
  id: Type.Integer(),
  event: OneOf(['raised', 'ended']),
  sentence: Type.String({ description: 'of its alert' }),
  state: OneOf(['sent', 'waiting', 'given up']),
  tries: Type.Integer(),
  status: Nullable(Type.Integer({ description: 'that the receiver answered the last time' })),
  failure: Nullable(Type.String()),
  ...TimeFields('created'),
  ...NullableTimeFields('sent'),
  ...NullableTimeFields('due'),
})

const AlertsView = Type.Object({
  open: Type.Array(AlertView),
  recent: Type.Array(AlertView, { description: 'open or over, the newest first' }),
  sendings: Type.Array(SendingView, { description: 'the newest first' }),
  webhook: Nullable(Type.String({ description: 'the host that alerts are sent to' })),
})

const TestView = Closed({
  status: Nullable(Type.Integer({ description: 'that the receiver answered' })),
  failure: Nullable(Type.String({ description: 'null if the message was received' })),
  sentence: Type.String({ description: 'the result, and what to do' }),
})

const SHOWN = 20

/** `GET /console/api/alerts`, and the test of their webhook. For the operator alone. */
export function alertRoutes(gateway: Pick<Gateway, 'exchange' | 'requests' | 'people' | 'operations'>) {
  const { alerts } = gateway.operations
  const { catalogue } = gateway.exchange
  return new Elysia({ name: 'console-alerts' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/alerts',
      async () => {
        const { webhook } = catalogue().alerts
        return {
          open: (await alerts.open()).map(alertView),
          recent: (await alerts.recent(SHOWN)).map(alertView),
          sendings: (await alerts.sendings(SHOWN)).map(sendingView),
          webhook: webhook ? new URL(webhook.url).host : null,
        }
      },
      { response: { 200: AlertsView, ...FAILURES } },
    )
    .post('/console/api/alerts/test', () => alerts.test(), { response: { 200: TestView, ...FAILURES } })
}

export const alertView = ({
  id,
  rule,
  subject,
  account_id,
  sentence,
  raised_at_ms,
  ended_at_ms,
}: AlertRow): Static<typeof AlertView> => ({
  id,
  rule,
  subject,
  account_id,
  sentence,
  ...time('raised', raised_at_ms),
  ...time('ended', ended_at_ms),
})

function sendingView(sending: SendingWithAlert): Static<typeof SendingView> {
  const { id, event, tries, status, failure, alert } = sending
  const ended = sending.sent_at_ms === null ? 'given up' : 'sent'
  return {
    id,
    event,
    sentence: alert.sentence,
    state: sending.due_at_ms === null ? ended : 'waiting',
    tries,
    status,
    failure,
    ...time('created', sending.created_at_ms),
    ...time('sent', sending.sent_at_ms),
    ...time('due', sending.due_at_ms),
  }
}
