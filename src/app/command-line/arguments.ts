// Parsers of a command's arguments: amounts, counts, times and lists. A bad value is wrong usage.
import { type Command, InvalidArgumentError } from 'commander'
import type { ExactDecimal } from '../../catalogue/decimal.ts'
import { markupFactor } from '../../catalogue/markup.ts'
import { LISTEN_PATTERN } from '../../catalogue/schema-parts.ts'
import { type Nanos, parseUsd } from '../../domain/money.ts'
import { parseDuration } from '../../utilities/duration.ts'
import { parseListenAddress } from '../../utilities/listen-address.ts'
import { parseMoment } from './times.ts'

/** Returns a parser of a positive amount of USD. @param advice for an amount of 0 or less. @throws InvalidArgumentError */
export const amountReader =
  (advice = '') =>
  (text: string): Nanos => {
    const nanos = readUsd(text)
    if (nanos <= 0) throw new InvalidArgumentError(`It must be more than 0.${advice}`)
    return nanos
  }

/** A limit in USD, 0 or more. @throws InvalidArgumentError */
export function readLimit(text: string): Nanos {
  const nanos = readUsd(text)
  if (nanos < 0) throw new InvalidArgumentError('It must be 0 or more.')
  return nanos
}

/** Parses a markup on costs, such as `20%`, into its factor. @throws InvalidArgumentError */
export function readMarkup(text: string): ExactDecimal {
  const [, percent] = /^(.+?) ?%$/.exec(text) ?? []
  const factor = percent === undefined ? undefined : markupFactor(percent)
  if (factor) return factor
  throw new InvalidArgumentError(
    'Write a percentage from 0% to 10000%: 20% sells at cost plus 20 %. (Factors such as 1.2 are no longer read.)',
  )
}

/** A comma-separated list. An empty one is refused, since it might be meant as "none". @throws InvalidArgumentError */
export function readList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('Write one or more, separated by commas.')
  return items
}

/** Returns a parser of a whole number from 1 to `max`. */
export function readCount(max?: number): (text: string) => number {
  const words = `Write a whole number from 1${max === undefined ? '' : ` to ${max}`}.`
  return (text) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (count < 1 || (max !== undefined && count > max)) throw new InvalidArgumentError(words)
    return count
  }
}

const SIZE = /^(\d{1,6}(?:\.\d{1,3})?|\d{1,15})\s*(?:([kmgt])?b)?$/i
const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 }

/** A number of bytes, above 0: `20GB`, `500 MB`, `1000000`, in powers of 1,000. @throws InvalidArgumentError */
export function readSize(text: string): number {
  const [, number = '0', unit = ''] = SIZE.exec(text.trim()) ?? []
  const bytes = Math.floor(Number(number) * 1_000 ** (POWERS[unit.toLowerCase()] ?? 0))
  if (bytes < 1) throw new InvalidArgumentError('Write a size, such as 20GB or 500MB.')
  return bytes
}

const MAX_PORT = 65_535
const LISTEN = new RegExp(LISTEN_PATTERN)

/** `address:port`, as in the catalogue; port 0 is any free one. @throws InvalidArgumentError */
export function readListen(text: string): string {
  if (!LISTEN.test(text) || parseListenAddress(text).port > MAX_PORT) {
    throw new InvalidArgumentError('Write address:port, such as 127.0.0.1:8080 or [::1]:8080.')
  }
  return text
}

/** A duration in whole seconds. @throws InvalidArgumentError */
export function readSeconds(text: string): number {
  return orUsage(() => parseDuration(text)) / 1_000
}

/** Returns a parser of a future time; a date alone means the end of that day. */
export function readExpiry(now: () => number): (text: string) => number {
  return (text) => {
    const now_ms = now()
    const moment_ms = orUsage(() => parseMoment(text, { edge: 'end', direction: 'ahead', now_ms }))
    if (moment_ms <= now_ms) throw new InvalidArgumentError('It is in the past.')
    return moment_ms
  }
}

/** Returns a parser of a search bound, in milliseconds since 1970; a date alone includes its whole day. */
function readBound(now: () => number, edge: 'start' | 'end'): (text: string) => number {
  return (text) => orUsage(() => parseMoment(text, { edge, direction: 'back', now_ms: now() }))
}

/** Adds the options of a paged search to a command. @param rows such as `calls` @param row such as `call` */
export const withSearch = (command: Command, rows: string, row: string, now: () => number): Command =>
  withPeriod(command, now)
    .option('--limit <count>', `${rows} per page`, readCount(1_000), 50)
    .option('--before <id>', `show the page after the ${row} with this id`, readCount())

export const withPeriod = (command: Command, now: () => number): Command =>
  command
    .option(
      '--since <when>',
      'from a date, a date and time, or a duration ago (24h)',
      readBound(now, 'start'),
    )
    .option(
      '--until <when>',
      'to a date, time or duration ago; a date includes its whole day',
      readBound(now, 'end'),
    )

function readUsd(text: string): Nanos {
  return orUsage(() => parseUsd(text))
}

function orUsage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error
  }
}
