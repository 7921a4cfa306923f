// Webhooks of the fake Stripe: signed events (docs.stripe.com/webhooks), delivered late, twice, out of order, or never.
import { createHmac } from 'node:crypto'
import { type FakeState, make, type StripeObject } from './state.ts'

/** `Stripe-Signature` of a payload. */
export function signatureOf(payload: string, secret: string, at_s: number, scheme = 'v1'): string {
  const signature = createHmac('sha256', secret).update(`${at_s}.${payload}`).digest('hex')
  return `t=${at_s},${scheme}=${signature}`
}

export interface Delivery {
  /** The address of events; none is sent without. */
  url: string | undefined
  secret: string
  /** `hold`: kept until `release`; `lose`: dropped. */
  way: 'send' | 'hold' | 'lose'
  /** The number of times that each is sent. */
  copies: number
  /** The status of each answer. */
  readonly statuses: number[]
  readonly events: StripeObject[]
  emit(type: string, object: StripeObject): void
  /** Sends the held events. */
  release(order?: 'as made' | 'reversed'): Promise<void>
  /** Sends one event, with the time of its signature. @returns its status */
  send(event: StripeObject, at_s?: number): Promise<number>
  /** Waits until each sent event has been answered. */
  settled(): Promise<void>
}

export function createDelivery(state: FakeState, api_version: string): Delivery {
  const held: StripeObject[] = []
  const under_way = new Set<Promise<number>>()
  const delivery: Delivery = {
    url: undefined,
    secret: 'whsec_of_the_fake',
    way: 'send',
    copies: 1,
    statuses: [],
    events: [],
    emit(type, object) {
      const event = make(state, 'event', {
        api_version,
        type,
        data: { object: structuredClone(object) },
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
      })
      delivery.events.push(event)
      if (delivery.way === 'lose') return
      for (let copy = 0; copy < delivery.copies; copy++)
        if (delivery.way === 'hold') held.push(event)
        else void delivery.send(event)
    },
    async release(order = 'as made') {
      const events = held.splice(0)
      if (order === 'reversed') events.reverse()
      for (const event of events) await delivery.send(event)
    },
    send(event, at_s = Math.floor(state.now() / 1_000)) {
      const sent = post(delivery, event, at_s)
      under_way.add(sent)
      return sent.finally(() => under_way.delete(sent))
    },
    async settled() {
      while (under_way.size > 0) await Promise.all(under_way)
    },
  }
  return delivery
}

async function post({ url, secret, statuses }: Delivery, event: StripeObject, at_s: number): Promise<number> {
  if (url === undefined) return 0
  const payload = JSON.stringify(event)
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signatureOf(payload, secret, at_s),
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    },
    body: payload,
  })
  await response.arrayBuffer()
  statuses.push(response.status)
  return response.status
}
