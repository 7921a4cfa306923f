// JSON views of alerts and their webhook messages for the console.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import type { SendingWithAlert } from './store.ts'
import type { AlertRow } from './tables.ts'

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

export const SendingView = Type.Object({
  id: Type.Integer(),
  event: OneOf(['raised', 'ended']),
  sentence: Type.String({ description: 'of its alert' }),
  state: OneOf(['sent', 'waiting', 'failed']),
  tries: Type.Integer(),
  status: Nullable(Type.Integer({ description: 'that the receiver answered the last time' })),
  failure: Nullable(Type.String()),
  ...TimeFields('created'),
  ...NullableTimeFields('sent'),
  ...NullableTimeFields('due'),
})

export function alertView(alert: AlertRow): Static<typeof AlertView> {
  const { id, rule, subject, account_id, sentence, raised_at_ms, ended_at_ms } = alert
  return {
    id,
    rule,
    subject,
    account_id,
    sentence,
    ...time('raised', raised_at_ms),
    ...time('ended', ended_at_ms),
  }
}

export function sendingView(sending: SendingWithAlert): Static<typeof SendingView> {
  const { id, event, tries, status, failure, alert } = sending
  const ended = sending.sent_at_ms === null ? 'failed' : 'sent'
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
