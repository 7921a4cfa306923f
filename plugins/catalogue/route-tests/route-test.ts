// The test of a route: one cheap real request with one key, and the provider's answer for the operator.
import type { Catalogue, Model, Provider, Route } from '../../../src/domain/catalogue.ts'
import { UpstreamFault } from '../../../src/domain/errors.ts'
import type { UpstreamFailure } from '../../../src/protocols/facts.ts'
import { readEmbeddingRequest } from '../../../src/protocols/openai/embeddings.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { protocolOf, type Registry } from '../../../src/protocols/registry.ts'
import { objectIn, objectsIn, parseAnswer } from '../../../src/protocols/wire/json.ts'
import { type DispatchDeps, dispatch } from '../../../src/upstream/dispatch.ts'
import { requestTo } from '../../../src/upstream/request.ts'
import { readAnswer } from '../../../src/upstream/transport.ts'
import { PlainSignal } from '../../../src/utilities/plain-signal.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { type Question, UNIT_QUESTIONS } from './unit-questions.ts'

/** A route to a model, with one of its provider's keys. */
export interface RouteToTest {
  provider: Provider
  /** Index in `provider.api_keys`. */
  key: number
  model: Model
  route: Route
  /** Whether to use the Responses API, which a provider of chat completions may support too. */
  by_responses?: boolean | undefined
}

export type TestResult =
  | 'ok'
  | 'bad key'
  | 'not found'
  | 'rate limited'
  | 'refused'
  | 'failed'
  | 'unreachable'
  | 'too slow'

export interface RouteTest {
  result: TestResult
  /** URL of the request; undefined if the protocol could not encode it. */
  address: string | undefined
  /** The HTTP status; undefined without an answer. */
  status: number | undefined
  /** The provider's message, or the fault of its answer. May contain secrets. */
  words: string
  latency_ms: number
}

export interface RouteTestDeps extends DispatchDeps {
  protocols: Registry
  catalogue: Catalogue
}

/** Reasoning models spend tokens before they answer, and some refuse a limit that leaves no room for them. */
const MAX_OUTPUT_TOKENS = 256
const PROMPT = 'Reply with the word OK.'
const TEXT_REQUEST = () =>
  openai.text.decodeRequest(
    { model: '', messages: [{ role: 'user', content: PROMPT }], max_completion_tokens: MAX_OUTPUT_TOKENS },
    false,
  )
const EMBEDDING_REQUEST = () => readEmbeddingRequest({ model: '', input: PROMPT })
const IMAGE_REQUEST = {
  prompt: 'A red circle on a white ground.',
  references: [],
  count: 1,
  size: undefined,
  aspect_ratio: undefined,
  quality: undefined,
  background: undefined,
  output_format: undefined,
}

/** With `store: false`, so that the provider keeps nothing. */
const RESPONSES_QUESTION: Question = {
  timeout_ms: 60_000,
  write(_, attempt) {
    const { model } = attempt
    const body = { model, input: PROMPT, max_output_tokens: MAX_OUTPUT_TOKENS, store: false }
    return requestTo(attempt, responses.text.target({ model, streams: false }), JSON.stringify(body))
  },
  read(_, answer) {
    const { output } = parseAnswer(answer)
    if (!Array.isArray(output)) throw new UpstreamFault('the answer has no output')
    return output
      .flatMap((item) => objectsIn(objectIn(item).content))
      .map(({ text }) => (typeof text === 'string' ? text : ''))
      .join('')
  },
}

const QUESTIONS: Readonly<Record<Model['kind'], Question>> = {
  ...UNIT_QUESTIONS,
  text: {
    timeout_ms: 60_000,
    write({ text, serverOf }, attempt) {
      const { model, generation } = attempt
      const target = { model, generation, max_output_tokens: MAX_OUTPUT_TOKENS }
      const body = text.encodeRequest(TEXT_REQUEST(), target)
      const server = serverOf?.(attempt.provider)
      const prepared = text.prepare(body, { model, generation, streams: false, server })
      return requestTo(attempt, text.target({ model, streams: false }), JSON.stringify(prepared))
    },
    read({ text }, answer) {
      const json = parseAnswer(answer)
      const [{ parts }] = text.decodeAnswer(json, 'test').candidates
      if (parts.length === 0 && text.readUsage(json) === undefined)
        throw new UpstreamFault('the answer has neither text nor usage')
      return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    },
  },
  embedding: {
    timeout_ms: 60_000,
    write({ embeddings }, attempt) {
      if (!embeddings) throw new UpstreamFault('the protocol has no embeddings')
      const body = embeddings.encode(EMBEDDING_REQUEST(), attempt.model)
      return requestTo(attempt, embeddings.target(attempt), JSON.stringify(body))
    },
    read({ embeddings }, answer) {
      embeddings?.decode(parseAnswer(answer), EMBEDDING_REQUEST())
      return ''
    },
  },
  image: {
    timeout_ms: 300_000,
    write({ images }, attempt) {
      if (!images) throw new UpstreamFault('the protocol makes no images')
      const { body, ...target } = images.encode(IMAGE_REQUEST, attempt)
      return requestTo(attempt, target, body)
    },
    read({ images }, answer) {
      const made = images?.decode(parseAnswer(answer))
      if (!made || 'refusal' in made) throw new UpstreamFault(`no image: ${made?.refusal}`)
      return ''
    },
    readFailure: ({ images }) => images?.readFailure,
  },
}

/**
 * Sends one request like a call, with the same encoding, headers, transport and time limits, but without a hold, a record or
 * a charge. The provider bills it.
 */
export async function testRoute(deps: RouteTestDeps, tested: RouteToTest): Promise<RouteTest> {
  const { provider, key, model, route } = tested
  const question = tested.by_responses ? RESPONSES_QUESTION : QUESTIONS[model.kind]
  const protocol = protocolOf(deps.protocols, provider)
  const with_one_key = { ...provider, api_keys: [provider.api_keys[key] ?? ''] as const }
  const never = new PlainSignal()
  let address: string | undefined
  let status: number | undefined
  let failure: UpstreamFailure | undefined
  const started_ms = performance.now()
  const finish = (result: TestResult, words: string): RouteTest => ({
    result,
    address,
    status,
    words,
    latency_ms: Math.round(performance.now() - started_ms),
  })
  try {
    const { answer } = await dispatch(deps, {
      catalogue: { ...deps.catalogue, providers: new Map([[provider.name, with_one_key]]) },
      model: { ...model, routes: [route] },
      signal: never,
      gone: never,
      sending: {
        streams: false,
        write(attempt) {
          const request = question.write(protocol, attempt)
          address = request.url
          return { ...request, headers: { 'accept-encoding': 'identity', ...request.headers } }
        },
        async open(response) {
          status = response.status
          const bytes = await readAnswer(response, deps.catalogue.server.max_answer_bytes)
          return question.read(protocol, bytes.toString(), response.headers.get('content-type'))
        },
      },
      readFailure(_attempt, ...refusal) {
        status = refusal[0]
        failure = (question.readFailure?.(protocol) ?? protocol.readFailure)(...refusal)
        return failure
      },
      publicWords: (words) => words,
      timeoutOf: () => Math.min(question.timeout_ms, provider.call_timeout_ms),
      onFailure: (_attempt, reported) => {
        failure = reported
      },
    })
    return finish('ok', answer)
  } catch (thrown) {
    const words = failure?.message ?? messageOf(thrown)
    return finish(resultOf(status, failure), words)
  }
}

function resultOf(status: number | undefined, failure: UpstreamFailure | undefined): TestResult {
  if (status === 404) return 'not found'
  // Without a status if the provider refused to exchange the key for a token.
  if (failure?.failure_class === 'bad_key') return 'bad key'
  if (status === undefined) return failure?.failure_class === 'timed_out' ? 'too slow' : 'unreachable'
  if (failure?.failure_class === 'rate_limited') return 'rate limited'
  return failure?.failure_class === 'bad_request' ? 'refused' : 'failed'
}
