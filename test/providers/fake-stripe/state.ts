// The objects of a fake Stripe, in the shapes of Stripe's API reference (docs.stripe.com/api), of its version 2026-10-28.
import { randomBytes } from 'node:crypto'

export interface StripeObject {
  id: string
  object: string
  [field: string]: unknown
}

export interface FakeState {
  now: () => number
  livemode: boolean
  objects: Map<string, StripeObject>
}

const ID_PREFIX: Readonly<Record<string, string>> = {
  customer: 'cus',
  'checkout.session': 'cs',
  payment_intent: 'pi',
  charge: 'ch',
  balance_transaction: 'txn',
  refund: 're',
  dispute: 'du',
  setup_intent: 'seti',
  payment_method: 'pm',
  webhook_endpoint: 'we',
  event: 'evt',
  'tax.calculation': 'taxcalc',
  'tax.transaction': 'tax',
}

/** Creates and stores an object. */
export function make<O extends Record<string, unknown>>(
  state: FakeState,
  object: string,
  fields: O,
): StripeObject & O {
  const mode = object === 'checkout.session' ? (state.livemode ? 'live_' : 'test_') : ''
  const id = `${ID_PREFIX[object]}_${mode}${randomBytes(12).toString('hex')}`
  const made = {
    id,
    object,
    created: Math.floor(state.now() / 1_000),
    livemode: state.livemode,
    metadata: {},
    ...fields,
  }
  state.objects.set(id, made)
  return made
}

/** All of a kind, the newest first, as Stripe lists them. */
export const all = ({ objects }: FakeState, object: string): StripeObject[] =>
  [...objects.values()].filter((one) => one.object === object).reverse()

/** An object as Stripe returns it: with objects in place of the ids that `expand` names. */
export function expanded(state: FakeState, object: StripeObject, paths: readonly string[]): StripeObject {
  const copy = { ...object }
  for (const path of paths) {
    const [field = '', ...rest] = path.split('.')
    const value = copy[field]
    const id = typeof value === 'string' ? value : (value as StripeObject | null)?.id
    const found = id === undefined ? undefined : state.objects.get(id)
    if (!found) continue
    const before = typeof value === 'string' ? found : (value as StripeObject)
    copy[field] = rest.length > 0 ? expanded(state, before, [rest.join('.')]) : before
  }
  return copy
}

/** The fee of Stripe: 2.9 % and 30 cents of its own unit. */
export const feeOf = (amount: number): number => Math.round(amount * 0.029) + 30
