// The doctor's check of Stripe: the key, its mode, and the webhook endpoint.
import type Stripe from 'stripe'
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import type { Network } from '../method-parts.ts'
import { paymentSettings } from '../settings.ts'
import { webhookPath } from '../webhook-path.ts'
import { connect } from './client.ts'
import { isRefusedKey, lacksPermission } from './failures.ts'
import { HOOK_EVENTS } from './hook.ts'
import { isTestKey } from './settings.ts'

const { ok, warn, fail } = diagnosesOf('stripe')

/** @param network for tests */
export async function checkStripe(
  { catalogue }: Pick<ReadContext, 'catalogue'>,
  network: Network = fetch,
): Promise<Diagnosis[]> {
  const { stripe: settings, stripe_unavailable } = paymentSettings.of(catalogue)
  if (stripe_unavailable !== undefined)
    return [
      warn(
        `not checked: ${stripe_unavailable}`,
        'Set it for this command, too, and check that the gateway has it.',
      ),
    ]
  if (!settings) return [ok('not configured: nobody pays by card')]
  const stripe = await connect(settings, network)
  const mode = isTestKey(settings.secret_key) ? 'in test mode: no money moves' : 'live'
  try {
    await stripe.checkout.sessions.list({ limit: 1 })
  } catch (thrown) {
    return [failed(thrown)]
  }
  const address = withoutTrailing(catalogue.server.public_url ?? '', '/') + webhookPath('stripe')
  return [ok(`Stripe takes the key, ${mode}`), await checkWebhooks(stripe, address)]
}

function failed(thrown: unknown): Diagnosis {
  if (isRefusedKey(thrown))
    return fail(
      'Stripe does not know the key',
      'Compare secret_key in [payments.stripe] with API keys in Stripe’s dashboard.',
    )
  if (lacksPermission(thrown))
    return fail(
      'the key may not use Checkout',
      'Give the restricted key write access to Checkout Sessions, Customers, PaymentIntents, SetupIntents, PaymentMethods and Refunds, and read access to Charges, Disputes and Balance.',
    )
  return fail(
    `Stripe does not answer: ${messageOf(thrown)}`,
    'Check that this machine reaches https://api.stripe.com.',
  )
}

const LIMIT = 100

async function checkWebhooks(stripe: Stripe, address: string): Promise<Diagnosis> {
  const advice = `Add an endpoint with the address ${address} in Stripe’s dashboard, Developers, Webhooks, with the events ${HOOK_EVENTS.join(', ')}; and set webhook_secret to its signing secret. Without it, payments are credited by polling alone.`
  try {
    const { data } = await stripe.webhookEndpoints.list({ limit: LIMIT })
    const endpoint = data.find(({ url }) => url === address)
    if (!endpoint) return warn('no webhook endpoint leads to this gateway', advice)
    if (endpoint.status !== 'enabled')
      return warn(
        'the webhook endpoint is disabled',
        'Enable it in Stripe’s dashboard, Developers, Webhooks.',
      )
    const { enabled_events } = endpoint
    const lacks = enabled_events.includes('*')
      ? []
      : HOOK_EVENTS.filter((event) => !enabled_events.includes(event))
    if (lacks.length > 0)
      return warn(
        `the webhook endpoint lacks ${lacks.join(', ')}`,
        'Add these events to it in Stripe’s dashboard, Developers, Webhooks.',
      )
    return ok('webhooks are sent to this gateway')
  } catch (thrown) {
    if (lacksPermission(thrown))
      return ok(`the key may not read webhook endpoints: check by hand that one leads to ${address}`)
    return warn(`webhook endpoints could not be read: ${messageOf(thrown)}`, 'Run the doctor again.')
  }
}
