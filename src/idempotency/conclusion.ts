// The end of a request with an Idempotency-Key: its answer is kept, or its key becomes free, or neither.
import { type ErrorKind, type GatewayError, toGatewayError } from '../domain/errors.ts'
import { StorageFailure } from '../domain/storage-failure.ts'
import { type RenderError, renderFailure } from '../http/answers.ts'
import type { Logger } from '../observe/log.ts'
import { MAX_ROW_BYTES } from '../store/kept/content.ts'
import type { PlainSignal } from '../utilities/plain-signal.ts'
import type { KeptAnswers, KeyedRequest } from './kept-answers.ts'
import { keepWhole, type Recording, startRecording } from './recording.ts'

export interface ConclusionDeps {
  answers: KeptAnswers
  log: Logger
}

/** The data for rendering a failure as its caller gets it. */
export interface FailureOrigin {
  request_id: string
  /** Renders an error in the surface's format. */
  render: RenderError
  /** A second name for the header with the request id. */
  id_header?: string | undefined
}

/** The kinds of errors that the same request would get again at any time. */
const PERMANENT: ReadonlySet<ErrorKind> = new Set([
  'invalid_request',
  'permission_denied',
  'not_found',
  'payload_too_large',
  'unprocessable',
  'unimplemented',
])

/**
 * Keeps a complete answer under its key, if possible.
 * @param end called when the request with the key has ended: before this returns, or after an outage of the database
 * @returns the answer to send
 */
export async function concludeAnswer(
  deps: ConclusionDeps,
  request: KeyedRequest,
  answer: Response,
  end: () => void = ignore,
): Promise<Response> {
  const bytes = await answer.bytes()
  const finish = () => keepWhole(deps.answers, request.account_id, bytes)
  try {
    await keep(deps, request, answer, finish)
  } catch (cause) {
    if (bytes.length <= MAX_ROW_BYTES) {
      const recording = { finish, discard: () => Promise.resolve() }
      void concludeLater(deps, { request, answer, recording, end })
      return new Response(bytes, answer)
    }
    // While a bucket fails, other calls continue, and their answers would fill the memory.
    warnOfLoss(deps, request, cause)
  }
  end()
  return new Response(bytes, answer)
}

const ignore = () => undefined

/**
 * Keeps a permanent failure of a call that had started, and frees the key after any other failure. A call has started once it is
 * recorded. The key is not freed while money is held for the call, since that may still be charged, nor after a charge.
 * Never throws: a key that could not be freed becomes free at its next use if nothing was charged.
 */
export async function concludeFailure(
  deps: ConclusionDeps,
  request: KeyedRequest,
  thrown: unknown,
  origin: FailureOrigin,
): Promise<void> {
  const { answers, log } = deps
  const error: GatewayError = toGatewayError(thrown)
  try {
    const row = await answers.find(request)
    if (!row || (await answers.isHeld(row))) return
    const call = await answers.callOf(row)
    if (call && PERMANENT.has(error.kind)) await concludeAnswer(deps, request, renderFailure(error, origin))
    else if (!call || call.cost_nanos === 0) await answers.forget(request)
  } catch (cause) {
    log.warn({ request_id: request.request_id, cause }, 'an Idempotency-Key could not be freed')
  }
}

/**
 * Records a streamed answer while its caller reads it, and keeps it when it is complete.
 * @param gone fires when the caller no longer waits for the answer
 * @param end called when the stream has ended in any way
 * @returns the same answer to send
 */
export function recordStream(
  deps: ConclusionDeps,
  request: KeyedRequest,
  answer: Response,
  gone: PlainSignal,
  end: () => void,
): Response {
  const reader = answer.body?.getReader()
  if (!reader) throw new Error('a streamed answer has no body')
  const recording = startRecording(deps.answers, request.account_id)
  let has_ended = false
  // A caller who disconnects after the last bytes has received the whole answer.
  const giveUp = async () => {
    if (!has_ended) await recording.discard().finally(end)
  }
  gone.listen({ onAbort: () => void giveUp() })
  if (gone.aborted) void giveUp()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await orAfterFailure(reader.read(), giveUp)
        if (value) {
          await recording.add(value)
          controller.enqueue(value)
        } else {
          has_ended = true
          // The caller has the whole answer, even if it cannot be kept: the stream ends as without a key.
          await concludeStream(deps, { request, answer, recording, end })
          controller.close()
        }
      },
      async cancel(reason) {
        try {
          await reader.cancel(reason)
        } finally {
          await giveUp()
        }
      },
    },
    // Reads no faster from the upstream than the caller reads.
    { highWaterMark: 0 },
  )
  return new Response(body, answer)
}

interface EndedStream {
  request: KeyedRequest
  answer: Response
  recording: Pick<Recording, 'finish' | 'discard'>
  /** Called when the request with the key has ended. */
  end: () => void
}

/**
 * Keeps a completed stream. For any other stream, frees the key if the call is recorded and cost nothing. While the database is unavailable,
 * or the call is not recorded yet, the key stays in use, and this is retried in the background. Never rejects.
 */
async function concludeStream(deps: ConclusionDeps, stream: EndedStream): Promise<void> {
  try {
    if (!(await hasConcluded(deps, stream, ({ outcome }) => outcome === 'completed')))
      return void concludeLater(deps, stream)
  } catch (thrown) {
    if (thrown instanceof StorageFailure) return void concludeLater(deps, stream)
    warn(deps, stream, thrown)
  }
  stream.end()
}

const AGAIN_AFTER_MS = 500
/** The longest time of retries. Until then a repeated request is told that the first one is in progress. */
const MAX_LATER_MS = 600_000

/** Retries until the call is recorded. If it was charged, a repeated request gets as much of the answer as the caller got. */
async function concludeLater(deps: ConclusionDeps, stream: EndedStream): Promise<void> {
  const due_ms = performance.now() + MAX_LATER_MS
  try {
    for (;;) {
      await Bun.sleep(AGAIN_AFTER_MS)
      const is_over = performance.now() > due_ms
      const has_concluded = hasConcluded(deps, stream, ({ cost_nanos }) => cost_nanos > 0)
      if ((await has_concluded.catch(falseIfStorageFailure)) || is_over) break
    }
  } catch (thrown) {
    warn(deps, stream, thrown)
  }
  await stream.recording.discard()
  stream.end()
}

function falseIfStorageFailure(thrown: unknown): false {
  if (thrown instanceof StorageFailure) return false
  throw thrown
}

type RecordedCall = NonNullable<Awaited<ReturnType<KeptAnswers['callOf']>>>

/** @returns false if the call is held and not recorded yet @throws StorageFailure */
async function hasConcluded(
  deps: ConclusionDeps,
  { request, answer, recording }: EndedStream,
  mustKeep: (call: RecordedCall) => boolean,
): Promise<boolean> {
  const { answers } = deps
  const row = await answers.find(request)
  // In this order: a hold that is found resolved has a recorded call by the time of the lookup.
  if (row && (await answers.isHeld(row))) return false
  const call = row && (await answers.callOf(row))
  if (call && mustKeep(call)) await keep(deps, request, answer, recording.finish)
  else await recording.discard()
  if (call?.cost_nanos === 0 && !mustKeep(call)) await answers.forget(request)
  return true
}

const warn = ({ log }: ConclusionDeps, { request }: EndedStream, cause: unknown): void =>
  // The key becomes free at its next use.
  log.warn({ request_id: request.request_id, cause }, 'an Idempotency-Key could not be freed')

/**
 * Keeps an answer under its key. If that fails, it is only logged: the caller has paid for the answer, and gets it.
 * @throws StorageFailure while the database or a bucket does not respond
 */
async function keep(
  deps: ConclusionDeps,
  request: KeyedRequest,
  { status, headers }: Response,
  finish: Recording['finish'],
): Promise<void> {
  try {
    await deps.answers.keep(request, { status, headers: [...headers], body: await finish() })
  } catch (cause) {
    if (cause instanceof StorageFailure) throw cause
    warnOfLoss(deps, request, cause)
  }
}

const warnOfLoss = ({ log }: ConclusionDeps, { request_id }: KeyedRequest, cause: unknown): void =>
  log.warn({ request_id, cause }, 'an answer could not be kept under its Idempotency-Key')

/** Runs `onFailure` if a step fails, then rethrows its error. */
async function orAfterFailure<T>(step: Promise<T>, onFailure: () => Promise<void>): Promise<T> {
  try {
    return await step
  } catch (failure) {
    await onFailure()
    throw failure
  }
}
