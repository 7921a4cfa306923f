// The parser of large bodies: a thread that is started when it is first needed, and ended when it is idle.
import { GatewayError, overloaded, toGatewayError } from '../../domain/errors.ts'
import type { Logger } from '../../observe/log.ts'
import type { EnvelopeRules, Unwrapped } from '../../protocols/wire/json-splice.ts'
import type { FromThread, ToThread, WrittenError } from './messages.ts'

export interface Parser {
  /**
   * Sends a query on a body, whose bytes cross to the thread and back: meanwhile nobody else can read them.
   * @returns the bytes, and the result
   * @throws GatewayError overloaded where the thread has died or took too long; the bytes are lost then
   */
  ask(message: ToThread): Promise<FromThread>
}

interface ParserOptions {
  log: Logger
  /** After so long without a question the thread is ended. */
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

/** A parser without a thread yet. Questions are answered one after the other: only one body is parsed at a time. */
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

/** The thread's state is unknown: the next question gets a new one. */
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

/** For questions that come alone: no body has it. */
export const NO_BODY_ID = 0

/** Takes an envelope off on the thread. @param bytes handed over @throws GatewayError as `unwrap`, and overloaded where the thread fails */
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

/** The error that a thread wrote. */
export const readError = ({ kind, message, detail }: WrittenError): GatewayError =>
  kind === 'internal' ? toGatewayError(new Error(message)) : new GatewayError(kind, message, detail)

const parserFailed = (cause: string): GatewayError =>
  overloaded('The gateway is too busy to read this large request. Retry after a moment, or send less.', {
    retry_after_s: RETRY_AFTER_S,
    cause,
  })
