// The native generation surface: /v1beta/models/{model}:{action}, whole and streamed, and 501 for methods that are not implemented.
// Google's SDK uses version v1 by default (@google/genai from 3.0), so both versions behave the same.
import { type Context, Elysia } from 'elysia'
import { NATIVE_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { embeddingCalls } from '../../src/calls/kinds/embedding/call.ts'
import { nativeEmbeddings } from '../../src/calls/kinds/embedding/dialect.ts'
import { rateHeaders } from '../../src/calls/kinds/image/rate.ts'
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import type { CallOrigin } from '../../src/calls/life/call.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { createConversationServer } from '../../src/calls/pictures/call.ts'
import { notFound } from '../../src/domain/errors.ts'
import { decodePathPart } from '../../src/http/parameters.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { ARRAY_FRAME, eventFrame } from '../../src/upstream/relay.ts'
import { countTokens } from './count-tokens.ts'
import { listed } from './listed.ts'
import {
  type ExtraMethod,
  isUnimplemented,
  NATIVE_BODY_LIMIT_BYTES,
  notImplemented,
  readAction,
} from './model.ts'
import { nativeSettings } from './settings.ts'

const WANTS_EVENTS = /[?&]alt=sse(?:&|$)/
const EVENTS: Dialect = { protocol: gemini, frame: eventFrame(), raw: true, shows_usage: true }
const ARRAY: Dialect = { protocol: gemini, frame: ARRAY_FRAME, raw: false, shows_usage: true }
const SURFACE = { surface: 'native', forms: NATIVE_FORMS, render: gemini.renderError }

/** The API reference lists the first; the description of its group says that the second is the same. */
const GENERATING_PATHS = ['/v1beta/models/*', '/v1/models/*'] as const
const OTHER_PATHS = ['/v1beta/*', '/upload/v1beta/*', '/upload/v1/*']

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`; 501 for spec.md, Native endpoints not implemented. */
export function native(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const { gate, catalogue } = gateway.calls
  const serve = createConversationServer(gateway.content.images)

  function generate(origin: CallOrigin, set: Answered, target: string): Promise<Response> {
    const action = readAction(target)
    if (action.kind === 'extra' && nativeSettings.of(catalogue()).extra_methods) return extra(origin, action)
    if (action.kind !== 'generate') return refuse(origin, action.kind !== 'unknown')
    return serve(gateway.calls, {
      origin,
      body_limit_bytes: NATIVE_BODY_LIMIT_BYTES,
      target: action,
      protocol: gemini,
      dialect: () => (WANTS_EVENTS.test(origin.request.url) ? EVENTS : ARRAY),
      forwarded_headers: {},
      onRate: (state) => Object.assign(set.headers, rateHeaders(state)),
    })
  }

  function extra(origin: CallOrigin, { method, model_id }: { method: ExtraMethod; model_id: string }) {
    if (method === 'countTokens') return countTokens(gateway.calls, origin, model_id)
    return servePaid(gateway.calls, embeddingCalls, { origin, dialect: nativeEmbeddings(method, model_id) })
  }

  /** Authenticates first, so that only callers with a key learn which methods exist. */
  async function refuse(origin: CallOrigin, known: boolean): Promise<never> {
    await gate.admit(origin)
    throw known
      ? notImplemented()
      : notFound(
          'No such method. Call models/{model}:generateContent or models/{model}:streamGenerateContent.',
        )
  }

  const unparsed = { parse: 'none' } as const
  const hidden = { ...unparsed, detail: { hide: true } }
  const app = new Elysia({ name: 'native' }).use(listed(gateway, SURFACE)).use(calls(gateway, SURFACE))
  // Handlers destructure their parameters: for others Elysia parses cookies, headers and query of every call.
  for (const path of GENERATING_PATHS)
    app.post(
      path,
      ({ origin, set, params }) => generate(origin, set, decodePathPart(params['*'])),
      path === GENERATING_PATHS[0] ? unparsed : hidden,
    )
  for (const path of OTHER_PATHS)
    app.all(
      path,
      ({ origin }) => refuse(origin, isUnimplemented(new URL(origin.request.url).pathname)),
      hidden,
    )
  return app
}

type Answered = Pick<Context['set'], 'headers'>
