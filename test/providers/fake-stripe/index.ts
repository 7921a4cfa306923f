// A fake Stripe: HTTP API with states, idempotency keys and errors, payment pages, and webhooks with delivery faults.
import { API_VERSION } from '../../../plugins/payments/stripe/client.ts'
import { createDelivery, type Delivery } from './delivery.ts'
import { invalid, StripeRefusal } from './errors.ts'
import { type Fields, readForm } from './form.ts'
import { payPage } from './page.ts'
import { decideRefund, dispute, type Means, refund } from './payments.ts'
import { type ApiRequest, answer, type Behaviour } from './routes.ts'
import { arrive, expire, submit } from './sessions.ts'
import { type FakeState, make, type StripeObject } from './state.ts'

export interface FakeStripe extends AsyncDisposable {
  origin: string
  key: string
  state: FakeState
  webhooks: Delivery
  behaviour: Behaviour
  /** Each request that was answered: `POST /v1/refunds`. */
  readonly requests: string[]
  /** Failures of the next requests: a status before any effect; `lost`: done, but the answer does not arrive; undefined: none. */
  mishaps: (429 | 500 | 503 | 'lost' | undefined)[]
  /** Sends requests for Stripe's address here. */
  network(url: string, init: RequestInit): Promise<Response>
  /** The payer pays on the page. @throws Error with the page's message */
  pay(session: string, means?: Means): void
  arrive(session: string, has_arrived?: boolean): void
  expire(session: string): void
  /** The operator refunds in Stripe's dashboard. */
  refund(session: string, amount?: number): StripeObject
  decideRefund(id: string, status: 'succeeded' | 'failed'): void
  dispute(session: string, status: string): StripeObject
  object(id: string): StripeObject
}

interface FakeOptions {
  key?: string
  now?: () => number
}

const STRIPE = 'https://api.stripe.com'

export function startFakeStripe({
  key = 'sk_test_of_the_fake',
  now = Date.now,
}: FakeOptions = {}): FakeStripe {
  const state: FakeState = { now, livemode: key.includes('_live_'), objects: new Map() }
  const webhooks = createDelivery(state, API_VERSION)
  const answers = new Map<string, { request: string; answer: Promise<{ status: number; body: unknown }> }>()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => serve(request) })
  const { emit } = webhooks

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    try {
      return pathname.startsWith('/pay/')
        ? await servePage(request, pathname.slice(5))
        : await serveApi(request)
    } catch (thrown) {
      if (thrown instanceof StripeRefusal) return thrown.toResponse()
      throw thrown
    }
  }

  async function servePage(request: Request, id: string): Promise<Response> {
    const session = fake.object(id)
    if (request.method !== 'POST') return payPage(session)
    const means = String((await request.formData()).get('means') ?? 'card') as Means
    const error = submit(state, session, means, emit)
    return error === undefined ? Response.redirect(String(session.success_url), 303) : payPage(session, error)
  }

  async function serveApi(request: Request): Promise<Response> {
    const api_request = await readRequest(request, fake.key)
    fake.requests.push(`${api_request.method} ${api_request.path}`)
    const mishap = fake.mishaps.shift()
    if (typeof mishap === 'number')
      throw new StripeRefusal(mishap, {
        type: mishap === 429 ? 'rate_limit_error' : 'api_error',
        message: 'Too much at once.',
      })
    const { status, body } = await once(request.headers.get('idempotency-key'), api_request)
    if (mishap === 'lost') throw new StripeRefusal(500, { type: 'api_error', message: 'The answer is lost.' })
    return Response.json(body, { status })
  }

  /** The same key gets the same answer, and other parameters under it an error. */
  function once(key: string | null, request: ApiRequest): Promise<{ status: number; body: unknown }> {
    const run = async () => {
      try {
        const body = answer(state, request, { origin: fake.origin, emit, behaviour: fake.behaviour })
        return { status: 200, body: structuredClone(body) }
      } catch (thrown) {
        if (!(thrown instanceof StripeRefusal)) throw thrown
        return { status: thrown.status, body: { error: thrown.error } }
      }
    }
    if (key === null) return run()
    const text = JSON.stringify([request.path, request.fields])
    const known = answers.get(key)
    if (known && known.request !== text)
      throw new StripeRefusal(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      })
    const made = known ?? { request: text, answer: run() }
    answers.set(key, made)
    return made.answer
  }

  const paymentOf = (session: string): string => {
    const { payment_intent } = fake.object(session)
    return String(payment_intent ?? session)
  }
  const fake: FakeStripe = {
    origin: `http://127.0.0.1:${server.port}`,
    key,
    state,
    webhooks,
    behaviour: { refund_status: 'succeeded', is_tax_active: true },
    requests: [],
    mishaps: [],
    network: (url, init) =>
      fetch(url.startsWith(STRIPE) ? fake.origin + url.slice(STRIPE.length) : url, init),
    pay(session, means = 'card') {
      const error = submit(state, fake.object(session), means, emit)
      if (error !== undefined) throw new Error(error)
    },
    arrive: (session, has_arrived = true) => arrive(state, fake.object(session), has_arrived, emit),
    expire: (session) => expire(fake.object(session), emit),
    refund: (session, amount) =>
      refund(state, { payment_intent: paymentOf(session), amount, metadata: {}, status: 'succeeded' }, emit),
    decideRefund: (id, status) => decideRefund(state, id, status, emit),
    dispute: (session, status) => dispute(state, paymentOf(session), status, emit),
    object(id) {
      const found = state.objects.get(id)
      if (!found) throw new Error(`the fake Stripe has no ${id}`)
      return found
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return fake
}

/** Registers a webhook endpoint, as in Stripe's dashboard. */
export const registerEndpoint = (
  { state, webhooks }: Pick<FakeStripe, 'state' | 'webhooks'>,
  url: string,
  fields: { enabled_events?: readonly string[]; status?: string } = {},
): StripeObject => {
  webhooks.url = url
  return make(state, 'webhook_endpoint', { url, enabled_events: ['*'], status: 'enabled', ...fields })
}

/** @throws StripeRefusal for the wrong key, version or form of a body */
async function readRequest(request: Request, key: string): Promise<ApiRequest> {
  const { pathname: path, searchParams } = new URL(request.url)
  const { method, headers } = request
  if (headers.get('authorization') !== `Bearer ${key}`)
    throw new StripeRefusal(401, {
      type: 'invalid_request_error',
      message: 'Invalid API Key provided: sk_****',
    })
  if (headers.get('stripe-version') !== API_VERSION)
    throw invalid('Another version of the API than the pinned one.')
  const body = await request.text()
  if (method === 'POST' && headers.get('content-type') !== 'application/x-www-form-urlencoded')
    throw invalid('The body is not form-encoded.')
  if (method === 'POST' && !headers.has('idempotency-key'))
    throw invalid('A POST without an idempotency key.')
  const { expand, ...fields } = readForm(method === 'POST' ? body : searchParams.toString()) as Fields & {
    expand?: string[]
  }
  return { method, path, fields, expand: expand ?? [] }
}
