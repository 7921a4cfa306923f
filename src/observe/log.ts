// The log: its interface, and its JSON lines on standard output.
import pino from 'pino'
import { visible } from '../utilities/visible-text.ts'
import { createRedactor, HIDDEN, type Redactor } from './redact.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Record<string, unknown>

type Write = (fields: LogFields, message: string) => void

/** The log for all parts. Fields are snake_case; an error belongs in `cause`, a request's ID in `request_id`. */
export type Logger = Readonly<Record<LogLevel, Write>>

/** A log that also accepts serialized fields, for the line that every call writes. */
export interface TextLogger extends Logger {
  /** Returns a name as redacted JSON for such a line. */
  quoted(name: string): string
  /** Writes like `info`. @param fields `"name":value,…` as JSON, already redacted */
  infoText(fields: string, message: string): void
}

/** The logger of the process: configured from the catalogue, and flushed before the process ends. */
export interface ProcessLogger extends TextLogger {
  /** Drops lines below this level from now on. */
  setLevel(level: LogLevel): void
  /** Hides these texts in every line from now on. See `secretsOf` in redact.ts. */
  setSecrets(credentials: readonly string[], addresses?: readonly string[]): void
  /** Writes all buffered lines synchronously. */
  flush(): void
}

/** The target of lines: each string is one or more whole lines. */
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
   * How long a debug or info line may wait to be serialized together with others; 0 for no wait. A single line
   * between other work took 20 us, since its code is cold; lines in a row took 4 us each.
   */
  gather_ms?: number
}

/** The maximum wait of a serialized line. */
const FLUSH_EVERY_MS = 250
const BUFFER_BYTES = 8_192
/** If the reader of standard output stalls, lines beyond this are dropped, which limits the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** At this number of waiting lines they are serialized at once. */
const MAX_GATHERED = 256
/** About the size of MAX_GATHERED lines. */
const MAX_READY_CHARS = 64 * 1024
/** Above this number, the cache of quoted names is cleared. */
const MAX_KNOWN_NAMES = 10_000
const MAX_CAUSE_DEPTH = 4
/** Deeper than any value that we log; it stops cyclic values. */
const MAX_VALUE_DEPTH = 8

/** Standard output, written in blocks outside the event loop, since each call logs a line. Flushed at exit. */
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
 * Creates a logger of JSON lines: `{"level":"info","time":"…Z",…fields,"message":"…"}`.
 * As a second line of defence, known secrets and all credentials in a line are redacted before it is written.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const { level, secrets, destination, now, gather_ms = 0 } = options
  let redactor = createRedactor(secrets)
  let quoted = quoteBy(redactor)
  let lowest = SEVERITY[level]
  let waiting: WaitingLine[] = []
  /** Serialized lines, which precede the waiting ones. */
  let ready = ''
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Writes everything at once: the destination iterates over its whole buffer at each write, which took longer than a line. */
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
  /** Writes warnings and errors at once, after the earlier lines. */
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

/** Returns a function that quotes names as JSON, without secrets and control characters; with a cache. */
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

/** Escapes control characters, so that a terminal showing the log does not execute them. */
function serialized(lines: readonly WaitingLine[], redactor: Redactor): string {
  const texts = lines.map((line) => textOf(line, redactor))
  const all = texts.join('')
  if (!redactor.finds(all)) return visible(all)
  return visible(texts.map((text) => (redactor.finds(text) ? redactLine(text, redactor) : text)).join(''))
}

/** Serializes a line. A failure, such as for a plugin's value, affects neither its writer nor other lines. */
function textOf(line: WaitingLine, redactor: Redactor): string {
  try {
    return lineOf(line, redactor)
  } catch {
    // The line itself says that other fields could not be written.
    const fields = Object.fromEntries(Object.entries(line.fields).filter(([, value]) => isPlain(value)))
    return lineOf(
      { ...line, fields: { ...fields, unreadable: 'other fields cannot be written as JSON' } },
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

/** @param fields the content of a JSON object, without braces */
function textLine(level: LogLevel, at_ms: number, fields: string, message: string): string {
  const comma = fields === '' ? '' : ','
  return `{"level":"${level}","time":"${new Date(at_ms).toISOString()}"${comma}${fields},"message":${JSON.stringify(message)}}\n`
}

/** Returns the fields of a thrown value. Reading a value thrown by a plugin may itself throw. */
function describeError(thrown: unknown, redactor: Redactor, depth = 0): unknown {
  try {
    return errorFields(thrown, redactor, depth)
  } catch {
    // No more can be known of the value.
    return 'the thrown value cannot be read'
  }
}

/** Returns an error as scrubbed fields: messages of runtimes and providers contain hosts, URLs and sometimes keys. */
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

/** Redacts each value and serializes the line again, so that no replacement can break the JSON. */
function redactLine(line: string, redactor: Redactor): string {
  return `${JSON.stringify(redactValue(JSON.parse(line), redactor.hide))}\n`
}

function redactValue(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  // JSON has no bigint.
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_VALUE_DEPTH) return HIDDEN
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, redact, depth + 1)]),
  )
}
