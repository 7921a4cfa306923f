// The parser of large bodies: a thread that starts at first use and ends when idle.
import { GatewayError, overloaded, toGatewayError } from '../../domain/errors.ts'
import type { Logger } from '../../observe/log.ts'
import type { EnvelopeRules, Unwrapped } from '../../protocols/wire/json-splice.ts'
import type { FromThread, ToThread, WrittenError } from './messages.ts'

export interface Parser {
  /**
   * Asks a question about a body. Its bytes are transferred to the thread and back; in between, the caller cannot read them.
   * @returns the bytes, and the result
   * @throws GatewayError overloaded if the thread died or took too long; the bytes are lost then
   */
  ask(message: ToThread): Promise<FromThread>
}

interface ParserOptions {
  log: Logger
  /** The thread ends after this much time without a question. */
  idle_ms?: number
  /** A question that takes longer ends the thread. */
  question_timeout_ms?: number
}

const IDLE_MS = 5_000
const QUESTION_TIMEOUT_MS = 30_000
const RETRY_AFTER_S = 5

interface Job {
  message: ToThread
  answered: PromiseWithResolvers<FromThread>
}

interface State {
  readonly options: ParserOptions
  readonly waiting: Job[]
  current: Job | undefined
  worker: Worker | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Creates a parser, without a thread yet. Questions are answered one after the other: only one body is parsed at a time. */
export function createParser(options: ParserOptions): Parser {
  const state: State = { options, waiting: [], current: undefined, worker: undefined, timer: undefined }
  return {
    ask(message) {
      const job: Job = { message, answered: Promise.withResolvers() }
      state.waiting.push(job)
      next(state)
      return job.answered.promise
    },
  }
}

function next(state: State): void {
  if (state.current) return
  const { idle_ms = IDLE_MS, question_timeout_ms = QUESTION_TIMEOUT_MS } = state.options
  const job = state.waiting.shift()
  state.current = job
  if (!job) {
    setTimer(state, idle_ms, () => end(state))
    return
  }
  state.worker ??= start(state)
  setTimer(state, question_timeout_ms, () => fail(state, 'it took too long'))
  state.worker.postMessage(job.message, [job.message.bytes.buffer as ArrayBuffer])
}

function start(state: State): Worker {
  // In a compiled binary every module is `/$bunfs/root/<binary>`. This URL finds the thread there because the build lists it as an
  // entry point, and entry points lose their folders.
  const worker = new Worker(new URL('./parser-thread.ts', import.meta.url).href, { smol: true })
  worker.unref()
  const unlessReplaced = (act: () => void) => {
    if (worker === state.worker) act()
  }
  worker.onmessage = ({ data }: MessageEvent<FromThread>) =>
    unlessReplaced(() => {
      const answered = state.current
      state.current = undefined
      answered?.answered.resolve(data)
      next(state)
    })
  worker.onerror = ({ message }) => unlessReplaced(() => fail(state, message))
  worker.addEventListener('close', () => unlessReplaced(() => fail(state, 'closed')))
  return worker
}

function end(state: State): void {
  state.worker?.terminate()
  state.worker = undefined
}

/** Ends the thread, whose state is unknown. The next question starts a new one. */
function fail(state: State, reason: string): void {
  state.options.log.error({ cause: reason }, 'the thread that parses large bodies ended')
  end(state)
  const failed = state.current
  state.current = undefined
  failed?.answered.reject(parserFailed(reason))
  next(state)
}

function setTimer(state: State, delay_ms: number, act: () => void): void {
  clearTimeout(state.timer)
  state.timer = setTimeout(act, delay_ms)
  state.timer.unref()
}

/** For single questions: no body has this id. */
export const NO_BODY_ID = 0

/** Removes an envelope on the thread. @param bytes transferred @throws GatewayError as `unwrap`, and overloaded if the thread fails */
export async function unwrapOnThread(
  parser: Parser,
  bytes: Uint8Array,
  rules: EnvelopeRules,
): Promise<Unwrapped> {
  const { value, error } = await parser.ask({
    body_id: NO_BODY_ID,
    bytes,
    question: { ask: 'unwrap', rules },
  })
  if (error) throw readError(error)
  return value as Unwrapped
}

/** Recreates the error that a thread serialized. */
export const readError = ({ kind, message, detail }: WrittenError): GatewayError =>
  kind === 'internal' ? toGatewayError(new Error(message)) : new GatewayError(kind, message, detail)

const parserFailed = (cause: string): GatewayError =>
  overloaded('The gateway is too busy to read this large request. Retry after a moment, or send less.', {
    retry_after_s: RETRY_AFTER_S,
    cause,
  })
