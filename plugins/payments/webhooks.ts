// Webhooks of payment methods. A webhook is only a hint: the gateway then asks the provider for the payment.
import { Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { GatewayError, invalidRequest, isFailure, notFound, rateLimited } from '../../src/domain/errors.ts'
import { announcedBytes, readBytes } from '../../src/http/body.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { addressOf } from '../../src/http/sockets.ts'
import { boundedLinesOf } from '../../src/observe/bounded-lines.ts'
import type { LogFields } from '../../src/observe/log.ts'
import type { PaymentHint, PaymentProvider } from '../../src/payment-api.ts'
import type { Payments } from './payments.ts'
import { refreshOrder } from './refreshing.ts'
import { orderByReference } from './store.ts'
import type { Order } from './tables.ts'

const SURFACE = { surface: 'payments', forms: [], render: plainError }
const MAX_BODY_BYTES = 256 * 1024

const RECEIVED = { received: true }
const OPTIONS = { parse: 'none', detail: { hide: true } } as const

/**
 * `/payments/{method}/webhook`, by POST, and by GET for providers that use it. The answer follows the refresh of the order, so that the provider
 * sends the webhook again if the refresh failed.
 */
export const webhookRoutes = (gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>, payments: Payments) => {
  const answer = async ({
    origin,
    params: { method },
  }: {
    origin: CallOrigin
    params: { method: string }
  }) => {
    // Bounded, since strangers may send webhooks.
    const warn = (fields: LogFields, message: string) =>
      boundedLinesOf(gateway.calls.log).write(
        `address ${addressOf(origin) ?? 'unknown'}`,
        fields,
        message,
        'warn',
      )
    const hint = await receiveWebhook(payments, method, { request: origin.request, warn })
    return hint?.answer === undefined ? RECEIVED : new Response(hint.answer)
  }
  return new Elysia({ name: 'payments' })
    .use(openCalls(gateway, SURFACE))
    .post('/payments/:method/webhook', answer, OPTIONS)
    .get('/payments/:method/webhook', answer, OPTIONS)
}

interface ReceivedWebhook {
  request: Request
  /** Writes a log line; lines are limited per address. */
  warn: (fields: LogFields, message: string) => void
}

/** @throws GatewayError not_found for a method without webhooks; invalid_request for a wrong signature; payload_too_large; rate_limited; as `refreshOrder` */
async function receiveWebhook(
  payments: Payments,
  method: string,
  { request, warn }: ReceivedWebhook,
): Promise<PaymentHint | undefined> {
  const { parts } = payments
  const provider = parts.providers().find(({ name }) => name === method)
  if (!provider?.hook) throw notFound('This payment method takes no webhooks.')
  const { url, headers } = request
  announcedBytes(request, MAX_BODY_BYTES)
  const body = request.method === 'GET' ? undefined : await readBytes(request, MAX_BODY_BYTES)
  const copy = body ? new Request(url, { method: 'POST', headers, body }) : new Request(url, { headers })
  const hint = await verifyWebhook(payments, provider, { request: copy, warn })
  if (!hint) return undefined
  const order = await orderByReference(parts.db, method, hint.reference)
  if (order) {
    requireRefreshQuota(payments, order)
    await refreshOrder(parts, order.id, { source: 'webhook' })
  } else warn({ method, reference: hint.reference }, 'a webhook names a payment of no order here')
  return hint
}

/** Per order; more than a provider sends. With some methods payers get a signed notice, which they could send again and again. */
const MAX_REFRESHES_A_MINUTE = 30

/** @throws GatewayError rate_limited: the provider sends it again */
function requireRefreshQuota({ webhook_looks }: Payments, { id }: Pick<Order, 'id'>): void {
  const { admitted, resets_in_s: retry_after_s } = webhook_looks.take(id, MAX_REFRESHES_A_MINUTE)
  if (admitted) return
  throw rateLimited(
    `Order ${id} was checked ${MAX_REFRESHES_A_MINUTE} times within a minute. Send the webhook again later.`,
    {
      retry_after_s,
    },
  )
}

async function verifyWebhook(
  payments: Payments,
  provider: PaymentProvider,
  { request, warn }: ReceivedWebhook,
): Promise<PaymentHint | undefined> {
  try {
    const hint = await provider.hook?.(request)
    if (hint && typeof hint.reference !== 'string') throw new Error('the method’s hook names no payment')
    return hint
  } catch (thrown) {
    // A payment method that does not answer has not refused the webhook: the provider sends it again.
    if (thrown instanceof GatewayError && isFailure(thrown)) throw thrown
    const { parts, refused_webhooks } = payments
    refused_webhooks.by_method.add({ method: provider.name })
    refused_webhooks.last = { at_ms: parts.now(), method: provider.name }
    warn({ method: provider.name, cause: thrown }, 'a webhook was refused')
    if (thrown instanceof GatewayError) throw thrown
    throw invalidRequest('The webhook’s signature is wrong. Check its secret in [payments].', {
      code: 'wrong_signature',
    })
  }
}
