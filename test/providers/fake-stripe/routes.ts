// The routes of the fake Stripe: only those that the gateway calls.
import { missing } from './errors.ts'
import type { Fields } from './form.ts'
import { type Emit, refund } from './payments.ts'
import { expectOnly, fieldsOf, metadataOf, requiredText, textOf, wholeOf } from './reading.ts'
import { createIntent, createSession, expire } from './sessions.ts'
import { all, expanded, type FakeState, make, type StripeObject } from './state.ts'
import { calculate } from './tax.ts'

export interface ApiRequest {
  method: string
  path: string
  fields: Fields
  expand: readonly string[]
}

export interface Behaviour {
  /** The first state of a refund. */
  refund_status: 'succeeded' | 'pending' | 'failed'
  /** Stripe Tax is set up in the dashboard. */
  is_tax_active: boolean
}

/** @throws StripeRefusal */
export function answer(
  state: FakeState,
  { method, path, fields, expand }: ApiRequest,
  { origin, emit, behaviour }: { origin: string; emit: Emit; behaviour: Behaviour },
): unknown {
  const [, , kind = '', ...rest] = path.split('/')
  const route = `${method} ${[kind, ...rest.map((part) => (/_\w{8,}$/.test(part) ? ':id' : part))].join('/')}`
  const id = rest.find((part) => /_\w{8,}$/.test(part)) ?? ''
  const found = (): StripeObject => {
    const object = state.objects.get(id)
    if (!object || object.deleted === true) throw missing(kind, id)
    return object
  }
  switch (route) {
    case 'POST customers':
      expectOnly(fields, ['name', 'email', 'metadata.*'])
      return make(state, 'customer', {
        name: textOf(fields, 'name') ?? null,
        email: textOf(fields, 'email') ?? null,
        metadata: metadataOf(fields),
      })
    case 'GET customers': {
      expectOnly(fields, ['created.gte', 'created.lte', 'limit'])
      const created = fieldsOf(fields, 'created')
      const [since, until] = [wholeOf(created, 'gte'), wholeOf(created, 'lte')]
      return listed(
        all(state, 'customer').filter(
          (one) => one.deleted !== true && Number(one.created) >= since && Number(one.created) <= until,
        ),
        fields,
      )
    }
    case 'GET customers/:id': {
      expectOnly(fields, [])
      const customer = state.objects.get(id)
      return customer?.deleted === true ? { id, object: 'customer', deleted: true } : found()
    }
    case 'POST customers/:id':
      expectOnly(fields, ['address.*'])
      return Object.assign(found(), { address: fieldsOf(fields, 'address') })
    case 'POST tax/calculations':
      return calculate(state, fields, behaviour)
    case 'DELETE customers/:id':
      expectOnly(fields, [])
      found().deleted = true
      // Stripe detaches its saved cards.
      for (const method of all(state, 'payment_method')) if (method.customer === id) method.customer = null
      return { id, object: 'customer', deleted: true }
    case 'POST checkout/sessions':
      return createSession(state, fields, origin)
    case 'GET checkout/sessions':
      expectOnly(fields, ['payment_intent', 'limit'])
      return listed(
        all(state, 'checkout.session').filter(
          (one) => fields.payment_intent === undefined || one.payment_intent === fields.payment_intent,
        ),
        fields,
      )
    case 'GET payment_intents':
      expectOnly(fields, ['customer', 'created.gte', 'limit'])
      if (!state.objects.has(String(fields.customer)))
        throw missing('customer', String(fields.customer), 'customer')
      return listed(
        all(state, 'payment_intent').filter(
          ({ customer, created }) =>
            customer === fields.customer && Number(created) >= wholeOf(fieldsOf(fields, 'created'), 'gte'),
        ),
        fields,
      )
    case 'GET checkout/sessions/:id':
    case 'GET payment_intents/:id':
    case 'GET setup_intents/:id':
    case 'GET payment_methods/:id':
      expectOnly(fields, [])
      return expanded(state, found(), expand)
    case 'POST checkout/sessions/:id/expire':
      expire(found(), emit)
      return found()
    case 'POST payment_intents':
      return createIntent(state, fields, emit)
    case 'POST payment_methods/:id/detach':
      expectOnly(fields, [])
      return Object.assign(found(), { customer: null })
    case 'POST refunds':
      expectOnly(fields, ['payment_intent', 'amount', 'metadata.*'])
      return refund(
        state,
        {
          payment_intent: requiredText(fields, 'payment_intent'),
          amount: fields.amount === undefined ? undefined : wholeOf(fields, 'amount'),
          metadata: metadataOf(fields),
          status: behaviour.refund_status,
        },
        emit,
      )
    case 'GET refunds':
    case 'GET disputes':
      expectOnly(fields, ['payment_intent', 'limit'])
      return listed(
        all(state, kind.slice(0, -1)).filter((one) => one.payment_intent === fields.payment_intent),
        fields,
      )
    case 'GET webhook_endpoints':
      expectOnly(fields, ['limit'])
      return listed(all(state, 'webhook_endpoint'), fields)
    default:
      throw missing('route', route)
  }
}

const listed = (data: readonly StripeObject[], { limit = '10' }: Fields) => ({
  object: 'list',
  data: data.slice(0, Number(limit)),
  has_more: data.length > Number(limit),
  url: '/v1',
})
