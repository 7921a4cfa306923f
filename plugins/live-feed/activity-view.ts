// JSON views of live activity: one event for each stage of a call.

import { type Static, Type } from '@sinclair/typebox'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money } from '../../src/http/views.ts'
import type { ActivityEvent } from './activity.ts'

const aboutCall = {
  request_id: Type.String({ description: 'The request.' }),
  key: Type.String({ description: 'The prefix of the key that made it.' }),
  surface: Type.String({ description: 'The API of the request.' }),
  model: Type.String({ description: 'The model.' }),
  streamed: Type.Boolean({ description: 'It is answered as a stream.' }),
  at: Type.String({ description: 'When, as ISO 8601 in UTC.' }),
}

/** Schemas of the events of a call. @param more additional fields of a feed */
export const activityEvents = <More extends Record<string, ReturnType<typeof Type.String>>>(more: More) =>
  [
    Type.Object({
      type: Type.Literal('held'),
      ...aboutCall,
      ...more,
      ...MoneyFields('held', 'Its hold'),
    }),
    Type.Object({
      type: Type.Literal('first_byte'),
      ...aboutCall,
      ...more,
      after_ms: Type.Integer({ description: 'Since the call was let in.' }),
    }),
    Type.Object({
      type: Type.Literal('settled'),
      ...aboutCall,
      ...more,
      outcome: OneOf(OUTCOMES, { description: 'How it ended.' }),
      status: Type.Integer({ description: 'The HTTP status.' }),
      duration_ms: Type.Integer({ description: 'How long it took.' }),
      ...MoneyFields('cost', 'The charge'),
    }),
  ] as const

export const PingEvent = Type.Object({ type: Type.Literal('ping') })

/** Any event of a call: the `data` of a server-sent event. */
const AnyCallEvent = Type.Union([...activityEvents({})])
export type ActivityView = Static<typeof AnyCallEvent>

export function activityView(event: ActivityEvent, now_ms: number): ActivityView {
  const at = new Date(now_ms).toISOString()
  if (event.type === 'held') {
    const { held_nanos, ...call } = event
    return { ...call, at, ...money('held', held_nanos) }
  }
  if (event.type === 'first_byte') return { ...event, at }
  const { cost_nanos, ...call } = event
  return { ...call, at, ...money('cost', cost_nanos) }
}
