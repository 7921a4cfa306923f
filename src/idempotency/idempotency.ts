// Owns the Idempotency-Key of paid calls: a request that is sent again is answered again, and charged once.

import { createHash } from 'node:crypto'
import type { IdempotencyKey } from '../db/schema.ts'
import {
  conflict,
  type ErrorKind,
  type GatewayError,
  invalidRequest,
  toGatewayError,
  unprocessable,
} from '../domain/errors.ts'
import type { CallOrigin } from '../exchange/admission.ts'
import { renderFailure } from '../http/answers.ts'
import type { Logger } from '../observe/log.ts'
import type { KeptAnswers, KeptBody, KeyedRequest } from './kept-answers.ts'
import { keepWhole, type Recording, startRecording } from './recording.ts'

/** A paid request that was read, and not yet paid for. */
export interface RepeatableCall {
  origin: Pick<CallOrigin, 'request' | 'request_id' | 'render' | 'id_header'>
  account_id: number
  /** What the request says; its body, or the parts of it that are the same when it is sent again. */
  content: readonly (Uint8Array | string)[]
  streams: boolean
  /** Fires when nobody waits for the answer any more. */
  gone: AbortSignal
}

export interface Idempotency {
  /**
   * Serves a paid request, once for each Idempotency-Key of an account. Without the header it is served, and that is all.
   *
   * What began to be executed, which is from the hold on, is kept for 24 hours, as Stripe does
   * (https://docs.stripe.com/api/idempotent_requests): a complete answer, whole or streamed, and a refusal that would
   * be the same again, such as a prompt that the vendor's moderation blocks. Whoever sends the same request with the
   * same key gets its status, headers and bytes again, with `idempotent-replayed: true`.
   *
   * The key is free again after what may be better next time and cost nothing: refusals before the hold, failures of
   * vendors and time-outs, callers who left before anything was charged. Stripe keeps those too; here a client that
   * retries by itself, as the vendors' SDKs do, would only get its 502 again.
   *
   * The ledger decides what was charged, so that this holds over a crash: a request that was charged and whose answer
   * is not there to be sent again is refused, not charged again.
   *
   * @param serve holds, asks and settles under the call's request id
   * @throws GatewayError what `serve` throws; invalid_request for a malformed key; conflict while the first request is
   * under way, or where its answer was charged but broken off or too large to keep; unprocessable for another request
   */
  once(call: RepeatableCall, serve: () => Promise<Response>): Promise<Response>
  /** Forgets what is older than 24 hours. */
  sweep(): Promise<void>
  /** Removes the files that a dead process left. Only at start. */
  recover(): Promise<void>
}

export interface IdempotencyDeps {
  answers: KeptAnswers
  log: Logger
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** What would be refused again, whoever asks and whenever. */
const LASTING: ReadonlySet<ErrorKind> = new Set([
  'invalid_request',
  'permission_denied',
  'not_found',
  'payload_too_large',
  'unprocessable',
  'unimplemented',
])

/** Idempotency over kept answers. */
export function createIdempotency({ answers, log }: IdempotencyDeps): Idempotency {
  const under_way = new Set<string>()

  /** The answer that is kept under a request's key; undefined where the key is free. */
  function find(asked: KeyedRequest): IdempotencyKey | undefined {
    const found = answers.find(asked)
    if (!found) return undefined
    if (!asked.request_sha256.equals(found.request_sha256)) throw anotherRequest()
    if (found.status !== null) return found
    if (under_way.has(nameOf(asked)) || answers.isHeld(found)) throw stillUnderWay()
    if ((answers.callOf(found)?.cost_nanos ?? 0) > 0) throw answerIsLost()
    return undefined
  }

  async function replay(asked: KeyedRequest, found: IdempotencyKey): Promise<Response> {
    const body = await answers.open(found)
    if (body === undefined || found.status === null) throw answerIsLost()
    log.info({ request_id: asked.request_id, original_request_id: found.request_id }, 'answer sent again')
    const headers = new Headers(found.headers ?? [])
    headers.set('idempotent-replayed', 'true')
    return new Response(body, { status: found.status, headers })
  }

  /** Puts an answer under its key. That it cannot be kept is no reason to keep it from who paid for it. */
  async function keep(
    asked: KeyedRequest,
    { status, headers }: Response,
    write: () => Promise<KeptBody>,
  ): Promise<void> {
    try {
      answers.keep(asked, { status, headers: [...headers], body: await write() })
    } catch (cause) {
      log.warn({ request_id: asked.request_id, cause }, 'an answer could not be kept for its Idempotency-Key')
    }
  }

  async function keepAnswer(asked: KeyedRequest, answer: Response): Promise<Response> {
    const bytes = await answer.bytes()
    await keep(asked, answer, () => keepWhole(answers, bytes))
    return new Response(bytes, answer)
  }

  /**
   * Only a call that has begun is in the books: what it was refused with then is its answer. Where the key cannot be
   * freed, it frees itself at its next use, because the books say that nothing was charged.
   */
  async function concludeFailure(asked: KeyedRequest, error: GatewayError, origin: RepeatableCall['origin']) {
    const row = answers.find(asked)
    if (LASTING.has(error.kind) && row && answers.callOf(row))
      await keepAnswer(asked, renderFailure(error, origin))
    else await answers.forget(asked)
  }

  /** Only a stream that came to its end is kept; of another one the ledger knows whether it was charged. */
  async function concludeStream(asked: KeyedRequest, answer: Response, recording: Recording) {
    const row = answers.find(asked)
    const call = row && answers.callOf(row)
    if (call?.outcome === 'completed') return await keep(asked, answer, recording.finish)
    await recording.discard()
    if (call?.cost_nanos === 0) await answers.forget(asked)
  }

  /** The same stream, written down as its caller takes it. */
  function record(asked: KeyedRequest, answer: Response, gone: AbortSignal, end: () => void): Response {
    const reader = answer.body?.getReader()
    if (!reader) throw new Error('a streamed answer has no body')
    const recording = startRecording(answers)
    const leave = () => recording.discard().finally(end)
    gone.addEventListener('abort', () => void leave(), { once: true })
    if (gone.aborted) void leave()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value } = await reader.read()
          if (value) {
            await recording.add(value)
            controller.enqueue(value)
          } else {
            await concludeStream(asked, answer, recording).finally(end)
            controller.close()
          }
        },
        async cancel(reason) {
          await reader.cancel(reason)
          await leave()
        },
      },
      // Takes no more from the upstream than the caller takes.
      { highWaterMark: 0 },
    )
    return new Response(body, answer)
  }

  return {
    async once({ origin, account_id, content, streams, gone }, serve) {
      const key = origin.request.headers.get('idempotency-key')
      if (key === null) return serve()
      if (!KEY.test(key)) throw malformedKey()
      const { request, request_id } = origin
      const asked = { account_id, key, request_sha256: hashOf(request, content), request_id }
      // No other request can come in between finding the key free and taking it: nothing is awaited here.
      const found = find(asked)
      if (found) return replay(asked, found)
      const name = nameOf(asked)
      const end = () => void under_way.delete(name)
      under_way.add(name)
      let ends_later = false
      try {
        await answers.begin(asked)
        const answer = await serve()
        if (!streams) return await keepAnswer(asked, answer)
        ends_later = true
        return record(asked, answer, gone, end)
      } catch (thrown) {
        await concludeFailure(asked, toGatewayError(thrown), origin).catch((cause) =>
          log.warn({ request_id, cause }, 'an Idempotency-Key could not be freed'),
        )
        throw thrown
      } finally {
        if (!ends_later) end()
      }
    },
    sweep: answers.sweep,
    recover: answers.removeStrays,
  }
}

const nameOf = ({ account_id, key }: KeyedRequest): string => `${account_id} ${key}`

/** The credential that an address may carry is no part of what is asked. */
function hashOf({ method, url }: Request, content: RepeatableCall['content']): Buffer {
  const { pathname, searchParams } = new URL(url)
  searchParams.delete('key')
  const hash = createHash('sha256').update(`${method} ${pathname}?${searchParams}\n`)
  for (const part of content) hash.update(part)
  return hash.digest()
}

const malformedKey = (): GatewayError =>
  invalidRequest('Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID.', {
    param: 'Idempotency-Key',
  })
const anotherRequest = (): GatewayError =>
  unprocessable(
    'This Idempotency-Key was used for another request within the last 24 hours. Send a new key with a new request.',
    { code: 'idempotency_key_reused' },
  )
const stillUnderWay = (): GatewayError =>
  conflict('The first request with this Idempotency-Key is still under way. Retry after a moment.', {
    code: 'idempotency_key_in_use',
    retry_after_s: 1,
  })
const answerIsLost = (): GatewayError =>
  conflict(
    'The first request with this Idempotency-Key was charged, and its answer was broken off or is too large to be kept. To have it made and charged again, send a new key.',
    { code: 'idempotent_answer_lost' },
  )
