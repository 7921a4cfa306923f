// The log: the interface that the program writes to, and its JSON lines on standard output.
import pino from 'pino'
import { visible } from '../utilities/visible-text.ts'
import { createRedactor, HIDDEN, type Redactor } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>

type Write = (fields: LogFields, message: string) => void

/** The log of every part. Fields are snake_case; an error goes in `cause`, a request's id in `request_id`. */
export type Logger = Readonly<Record<LogLevel, Write>>

/** A log that takes lines as text, too: every call writes one. */
export interface TextLogger extends Logger {
  /** A name as JSON for such a line, redacted. */
  quoted(name: string): string
  /** As `info`. @param fields `"name":value,…` as JSON, in which nothing is left to hide */
  infoText(fields: string, message: string): void
}

/** The process's own logger, which follows the catalogue and is flushed before the process ends. */
export interface ProcessLogger extends TextLogger {
  /** From now on, lines below this level are dropped. */
  setLevel(level: LogLevel): void
  /** From now on, these texts are hidden in every line: see `secretsOf` in redact.ts. */
  setSecrets(credentials: readonly string[], addresses?: readonly string[]): void
  /** Writes everything that is buffered, and returns when it is written. */
  flush(): void
}

/** Where lines are written to: each string is one or more whole lines. */
interface LogDestination {
  write(line: string): void
  flushSync(): void
}

interface LoggerOptions {
  level: LogLevel
  secrets: readonly string[]
  destination: LogDestination
  now: () => number
  /**
   * How long a line of level debug or info may wait to be serialized together with others; 0: not at all. A line alone,
   * between other work, was measured to take 20 us, since its code is cold by then; lines in a row take 4 us each.
   */
  gather_ms?: number
}

/** A serialized line waits at most this long before it is written. */
const FLUSH_EVERY_MS = 250
const BUFFER_BYTES = 8_192
/** While the reader of standard output stalls, lines beyond this are dropped, so that memory stays bounded. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** This many waiting lines are serialized at once, whatever the time. */
const MAX_GATHERED = 256
/** As long as about so many lines. */
const MAX_READY_CHARS = 64 * 1024
/** With more, all of them are quoted anew. */
const MAX_KNOWN_NAMES = 10_000
const MAX_CAUSE_DEPTH = 4
/** Deeper than any line of ours; the limit for cyclic values. */
const MAX_VALUE_DEPTH = 8

/** Standard output, written in blocks off the event loop, since each call logs a line. Flushed at exit. */
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
 * As a second line of defence, a line that contains a known secret or any credential is redacted before it is written.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const { level, secrets, destination, now, gather_ms = 0 } = options
  let redactor = createRedactor(secrets)
  let quoted = quoteBy(redactor)
  let lowest = SEVERITY[level]
  let waiting: WaitingLine[] = []
  /** Lines before those that wait, as they are written. */
  let ready = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  /** In one piece: the destination looks at all that waits with each write, which took more than a line does. */
  function writeAll(): void {
    clearTimeout(timer)
    timer = undefined
    serializeAll()
    const lines = ready
    ready = ''
    if (lines !== '') destination.write(lines)
  }

  function serializeAll(): void {
    if (waiting.length === 0) return
    ready += serialized(waiting, redactor)
    waiting = []
  }

  function writeSoon(): void {
    if (gather_ms === 0 || waiting.length >= MAX_GATHERED || ready.length >= MAX_READY_CHARS) writeAll()
    else timer ??= setTimeout(writeAll, gather_ms)
  }

  const gather = (line_level: LogLevel) => (fields: LogFields, message: string) => {
    if (SEVERITY[line_level] < lowest) return
    waiting.push({ level: line_level, fields, message, at_ms: now() })
    writeSoon()
  }
  /** Warnings and errors are written at once, after the lines before them. */
  const immediately = (line_level: LogLevel) => (fields: LogFields, message: string) => {
    gather(line_level)(fields, message)
    writeAll()
  }

  return {
    debug: gather('debug'),
    info: gather('info'),
    warn: immediately('warn'),
    error: immediately('error'),
    quoted: (name) => quoted(name),
    infoText(fields, message) {
      if (SEVERITY.info < lowest) return
      serializeAll()
      ready += textLine('info', now(), fields, message)
      writeSoon()
    },
    setLevel: (next) => {
      writeAll()
      lowest = SEVERITY[next]
    },
    setSecrets: (...next) => {
      writeAll()
      redactor = createRedactor(...next)
      quoted = quoteBy(redactor)
    },
    flush() {
      writeAll()
      destination.flushSync()
    },
  }
}

/** Names as JSON, without secrets and control characters. Those of earlier lines are known. */
function quoteBy(redactor: Redactor): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    let json = known.get(name)
    if (json === undefined) {
      if (known.size >= MAX_KNOWN_NAMES) known.clear()
      json = visible(JSON.stringify(redactor.hide(name)))
      known.set(name, json)
    }
    return json
  }
}

interface WaitingLine {
  level: LogLevel
  fields: LogFields
  message: string
  at_ms: number
}

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Control characters become visible: a terminal that follows the log carries none out. */
function serialized(lines: readonly WaitingLine[], redactor: Redactor): string {
  const texts = lines.map((line) => textOf(line, redactor))
  const all = texts.join('')
  if (!redactor.finds(all)) return visible(all)
  return visible(texts.map((text) => (redactor.finds(text) ? redactLine(text, redactor) : text)).join(''))
}

/** A line that cannot be serialized, such as one of a plugin, fails neither who writes it nor the lines beside it. */
function textOf(line: WaitingLine, redactor: Redactor): string {
  try {
    return lineOf(line, redactor)
  } catch {
    // A field that could not be written is named in the line itself.
    const fields = Object.fromEntries(Object.entries(line.fields).filter(([, value]) => isPlain(value)))
    return lineOf(
      { ...line, fields: { ...fields, unreadable: 'other fields, which JSON has no form for' } },
      redactor,
    )
  }
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

function lineOf({ level, at_ms, fields, message }: WaitingLine, redactor: Redactor): string {
  const cause = 'cause' in fields ? { cause: describeError(fields.cause, redactor) } : undefined
  const written = JSON.stringify(cause ? { ...fields, ...cause } : fields)
  return textLine(level, at_ms, written.slice(1, -1), message)
}

/** @param fields as in an object of JSON, without its braces */
function textLine(level: LogLevel, at_ms: number, fields: string, message: string): string {
  const comma = fields === '' ? '' : ','
  return `{"level":"${level}","time":"${new Date(at_ms).toISOString()}"${comma}${fields},"message":${JSON.stringify(message)}}\n`
}

/** The fields of a thrown value. A value that a plugin throws may throw itself when it is read. */
function describeError(thrown: unknown, redactor: Redactor, depth = 0): unknown {
  try {
    return errorFields(thrown, redactor, depth)
  } catch {
    // Its place in the line says as much as there is to be known.
    return 'what was thrown cannot be read'
  }
}

/** An error as fields, scrubbed: messages of runtimes and providers contain hosts, URLs and sometimes keys. */
function errorFields(thrown: unknown, redactor: Redactor, depth: number): unknown {
  if (!(thrown instanceof Error)) {
    return typeof thrown === 'string' ? redactor.scrub(thrown) : redactValue(thrown, redactor.scrub)
  }
  const { name, message, stack, cause } = thrown
  const code = 'code' in thrown ? String(thrown.code) : undefined
  return {
    name,
    message: redactor.scrub(message),
    code,
    stack: stack && redactor.scrub(stack),
    cause:
      cause === undefined || depth === MAX_CAUSE_DEPTH
        ? undefined
        : describeError(cause, redactor, depth + 1),
  }
}

/** Redacts value by value and serializes again, so that no replacement can break the JSON. */
function redactLine(line: string, redactor: Redactor): string {
  return `${JSON.stringify(redactValue(JSON.parse(line), redactor.hide))}\n`
}

function redactValue(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  // JSON has none.
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_VALUE_DEPTH) return HIDDEN
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, redact, depth + 1)]),
  )
}
