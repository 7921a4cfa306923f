// Webhooks of payment methods: hints that a payment has changed, after which its provider is asked.
import { Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { GatewayError, invalidRequest, notFound } from '../../src/domain/errors.ts'
import { readBytes } from '../../src/http/body.ts'
import { plainError } from '../../src/http/plain-error.ts'
import type { PaymentProvider } from '../../src/payment-api.ts'
import { lookAt } from './looking.ts'
import type { Payments } from './payments.ts'
import { orderByReference } from './store.ts'

const SURFACE = { surface: 'payments', forms: [], render: plainError }
const MAX_BODY_BYTES = 256 * 1024

/** Below the gateway's address, with the name of the method: what the operator enters at the provider. */
export const webhookPath = (method: string): string => `/payments/${method}/webhook`

/** `POST /payments/{method}/webhook`. It is answered once the payment was looked at, so that a provider sends it again where that failed. */
export const webhookRoutes = (gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>, payments: Payments) =>
  new Elysia({ name: 'payments' }).use(openCalls(gateway, SURFACE)).post(
    '/payments/:method/webhook',
    async ({ request, params: { method } }) => {
      await receive(payments, method, request)
      return { received: true }
    },
    { parse: 'none', detail: { hide: true } },
  )

/** @throws GatewayError not_found for a method without webhooks; invalid_request for one that nobody signed; as `lookAt` */
async function receive(payments: Payments, method: string, request: Request): Promise<void> {
  const { parts } = payments
  const provider = parts.providers().find(({ name }) => name === method)
  if (!provider?.hook) throw notFound('This payment method takes no webhooks.')
  const body = await readBytes(request, MAX_BODY_BYTES)
  const hint = await checked(
    payments,
    provider,
    new Request(request.url, { method: 'POST', headers: request.headers, body }),
  )
  if (!hint) return
  const order = await orderByReference(parts.db, method, hint.reference)
  if (order) await lookAt(parts, order.id, { source: 'webhook' })
  else parts.log.warn({ method, reference: hint.reference }, 'a webhook names a payment of no order here')
}

async function checked(
  payments: Payments,
  provider: PaymentProvider,
  request: Request,
): Promise<{ reference: string } | undefined> {
  try {
    return await provider.hook?.(request)
  } catch (thrown) {
    const { parts, refused_webhooks } = payments
    refused_webhooks.count += 1
    refused_webhooks.last = { at_ms: parts.now(), method: provider.name }
    parts.log.warn({ method: provider.name, cause: thrown }, 'a webhook was refused')
    if (thrown instanceof GatewayError) throw thrown
    throw invalidRequest('The webhook’s signature is wrong. Check its secret in [payments].', {
      code: 'wrong_signature',
    })
  }
}
