// Webhooks of payment methods: hints that a payment has changed, after which its provider is asked.
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
import { lookAt } from './looking.ts'
import type { Payments } from './payments.ts'
import { orderByReference } from './store.ts'
import type { Order } from './tables.ts'

const SURFACE = { surface: 'payments', forms: [], render: plainError }
const MAX_BODY_BYTES = 256 * 1024

const RECEIVED = { received: true }
const OPTIONS = { parse: 'none', detail: { hide: true } } as const

/**
 * `/payments/{method}/webhook`, by POST, and by GET for providers that report so. It is answered once the payment was looked at, so that a
 * provider sends it again where that failed.
 */
export const webhookRoutes = (gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>, payments: Payments) => {
  const answer = async ({
    origin,
    params: { method },
  }: {
    origin: CallOrigin
    params: { method: string }
  }) => {
    // Anybody may send them.
    const warn = (fields: LogFields, message: string) =>
      boundedLinesOf(gateway.calls.log).write(
        `address ${addressOf(origin) ?? 'unknown'}`,
        fields,
        message,
        'warn',
      )
    const hint = await receive(payments, method, { request: origin.request, warn })
    return hint?.answer === undefined ? RECEIVED : new Response(hint.answer)
  }
  return new Elysia({ name: 'payments' })
    .use(openCalls(gateway, SURFACE))
    .post('/payments/:method/webhook', answer, OPTIONS)
    .get('/payments/:method/webhook', answer, OPTIONS)
}

interface Received {
  request: Request
  /** Writes a line of the log, of which so many are written at most. */
  warn: (fields: LogFields, message: string) => void
}

/** @throws GatewayError not_found for a method without webhooks; invalid_request for one that nobody signed; payload_too_large; rate_limited; as `lookAt` */
async function receive(
  payments: Payments,
  method: string,
  { request, warn }: Received,
): Promise<PaymentHint | undefined> {
  const { parts } = payments
  const provider = parts.providers().find(({ name }) => name === method)
  if (!provider?.hook) throw notFound('This payment method takes no webhooks.')
  const { url, headers } = request
  announcedBytes(request, MAX_BODY_BYTES)
  const body = request.method === 'GET' ? undefined : await readBytes(request, MAX_BODY_BYTES)
  const copy = body ? new Request(url, { method: 'POST', headers, body }) : new Request(url, { headers })
  const hint = await checked(payments, provider, { request: copy, warn })
  if (!hint) return undefined
  const order = await orderByReference(parts.db, method, hint.reference)
  if (order) {
    takeLookAt(payments, order)
    await lookAt(parts, order.id, { source: 'webhook' })
  } else warn({ method, reference: hint.reference }, 'a webhook names a payment of no order here')
  return hint
}

/** More than a provider sends of one. Payers of some methods get a signed notice into their hands, and may send it over and over. */
const MAX_LOOKS_A_MINUTE = 30

/** @throws GatewayError rate_limited: the provider sends it again */
function takeLookAt({ webhook_looks }: Payments, { id }: Pick<Order, 'id'>): void {
  const { admitted, resets_in_s: retry_after_s } = webhook_looks.take(id, MAX_LOOKS_A_MINUTE)
  if (admitted) return
  throw rateLimited(
    `Order ${id} was looked at ${MAX_LOOKS_A_MINUTE} times within a minute. Send the webhook again later.`,
    {
      retry_after_s,
    },
  )
}

async function checked(
  payments: Payments,
  provider: PaymentProvider,
  { request, warn }: Received,
): Promise<PaymentHint | undefined> {
  try {
    const hint = await provider.hook?.(request)
    if (hint && typeof hint.reference !== 'string') throw new Error('the method’s hook names no payment')
    return hint
  } catch (thrown) {
    // A payment method that does not answer refuses nothing: its provider sends the webhook again.
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
