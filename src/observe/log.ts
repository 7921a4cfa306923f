// Owns the log: the interface that the program writes to, and the JSON lines on stdout that come of it.
import pino from 'pino'
import { createRedactor, HIDDEN, type Redactor } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>

type Write = (fields: LogFields, message: string) => void

/** What every part is handed. Fields are snake_case; an error goes in `cause`, a request's id in `request_id`. */
export type Logger = Readonly<Record<LogLevel, Write>>

/** The process's own logger, which follows the catalogue and is flushed before the process ends. */
export interface ProcessLogger extends Logger {
  /** Lines below this level are dropped from now on. */
  setLevel(level: LogLevel): void
  /** These texts never appear in a line from now on: see `secretsOf` in redact.ts. */
  setSecrets(secrets: readonly string[]): void
  /** Writes all that is buffered; returns when it is written. */
  flush(): void
}

/** Where lines go: each string is one or more whole lines. */
export interface LogDestination {
  write(line: string): void
  flushSync(): void
}

export interface LoggerOptions {
  level: LogLevel
  secrets: readonly string[]
  destination: LogDestination
  now: () => number
  /**
   * How long a line of level debug or info may wait to be made together with others; 0: not at all. Made alone, between
   * other work, a line was measured to take 20 us, for all its code is cold by then; made in a row, 4 us.
   */
  gather_ms?: number
}

/** A line waits at most this long before it is written. */
const FLUSH_EVERY_MS = 250
const BUFFER_BYTES = 8_192
/** A reader of stdout that stalls costs lines beyond this, never memory without end. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** Lines that wait to be made: no more, whatever the time. */
const MAX_GATHERED = 256
const MAX_CAUSE_DEPTH = 4
/** Deeper than any line of ours; what is cyclic ends here. */
const MAX_VALUE_DEPTH = 8

/** Standard output, written in blocks, off the event loop: one line a call is on the hot path. Flushed at exit. */
export function standardOutput(): LogDestination {
  return pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  })
}

/**
 * Makes a logger of JSON lines: `{"level":"info","time":"…Z",…fields,"message":"…"}`.
 * As a second line of defence a line that holds a known secret or any credential is cleaned before it leaves.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const { level, secrets, destination, now, gather_ms = 0 } = options
  let redactor = createRedactor(secrets)
  /** When the line that is being made was asked for. */
  let at_ms = 0
  const describe = (thrown: unknown) => describeError(thrown, redactor)
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(at_ms).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { cause: describe, error: describe },
      hooks: { streamWrite: (line) => (redactor.finds(line) ? cleanLine(line, redactor) : line) },
    },
    destination,
  )

  let waiting: WaitingLine[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  function make(line: WaitingLine): void {
    at_ms = line.at_ms
    log[line.level](line.fields, line.message)
  }

  function makeAll(): void {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = []
    for (const line of lines) make(line)
  }

  const gather = (line_level: LogLevel) => (fields: LogFields, message: string) => {
    if (!log.isLevelEnabled(line_level)) return
    waiting.push({ level: line_level, fields, message, at_ms: now() })
    if (gather_ms === 0 || waiting.length >= MAX_GATHERED) makeAll()
    else timer ??= setTimeout(makeAll, gather_ms)
  }
  /** What went wrong is written at once, after all that came before it. */
  const immediately = (line_level: LogLevel) => (fields: LogFields, message: string) => {
    gather(line_level)(fields, message)
    makeAll()
  }

  return {
    debug: gather('debug'),
    info: gather('info'),
    warn: immediately('warn'),
    error: immediately('error'),
    setLevel: (next) => {
      makeAll()
      log.level = next
    },
    setSecrets: (next) => {
      makeAll()
      redactor = createRedactor(next)
    },
    flush() {
      makeAll()
      destination.flushSync()
    },
  }
}

interface WaitingLine {
  level: LogLevel
  fields: LogFields
  message: string
  at_ms: number
}

/** An error as fields, its texts scrubbed: messages of runtimes and vendors name hosts, URLs and sometimes keys. */
function describeError(thrown: unknown, redactor: Redactor, depth = 0): unknown {
  if (!(thrown instanceof Error)) {
    return typeof thrown === 'string' ? redactor.scrub(thrown) : cleanValue(thrown, redactor.scrub)
  }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown ? String(thrown.code) : undefined
  return {
    name,
    message: redactor.scrub(message),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: redactor.scrub(stack) }),
    ...(cause === undefined || depth === MAX_CAUSE_DEPTH
      ? {}
      : { cause: describeError(cause, redactor, depth + 1) }),
  }
}

/** Cleaned by value and written again, so that no replacement can break the JSON. */
function cleanLine(line: string, redactor: Redactor): string {
  return `${JSON.stringify(cleanValue(JSON.parse(line), redactor.hide))}\n`
}

function cleanValue(value: unknown, clean: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_VALUE_DEPTH) return HIDDEN
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, clean, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [clean(key), cleanValue(item, clean, depth + 1)]),
  )
}
