// Owns how a command's arguments are read: amounts, counts, times and lists. What is wrong is refused as wrong usage.
import { InvalidArgumentError } from 'commander'
import { ServerSchema } from '../config/schema.ts'
import { type Nanos, parseUsd } from '../domain/money.ts'
import { parseDuration, parseMoment } from './times.ts'

/** A positive amount of USD. @throws InvalidArgumentError */
export function readAmount(text: string): Nanos {
  const nanos = readUsd(text)
  if (nanos <= 0)
    throw new InvalidArgumentError('It must be more than 0. `debit` takes money away, `credit` adds.')
  return nanos
}

/** A limit in USD, 0 or more. @throws InvalidArgumentError */
export function readLimit(text: string): Nanos {
  const nanos = readUsd(text)
  if (nanos < 0) throw new InvalidArgumentError('It must be 0 or more.')
  return nanos
}

/** A comma-separated list; a list of nothing is refused, since it might be meant as "none". @throws InvalidArgumentError */
export function readList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('Write one or more, with a comma between.')
  return items
}

/** A whole number from 1 to `most`. */
export function readCount(most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > most) throw new InvalidArgumentError(`Write a whole number from 1 to ${most}.`)
    return count
  }
}

const LISTEN = new RegExp(ServerSchema.properties.listen.pattern ?? '')

/** `address:port`, as the catalogue has it; port 0 is any that is free. @throws InvalidArgumentError */
export function readListen(text: string): string {
  if (!LISTEN.test(text) || Number(text.slice(text.lastIndexOf(':') + 1)) > 65_535) {
    throw new InvalidArgumentError('Write address:port, such as 127.0.0.1:8080 or [::1]:8080.')
  }
  return text
}

/** A duration in whole seconds. @throws InvalidArgumentError */
export function readSeconds(text: string): number {
  return orUsage(() => parseDuration(text)) / 1_000
}

/** A moment still to come; a mere date means until the end of that day. */
export function readExpiry(now: () => number): (text: string) => number {
  return (text) => {
    const now_ms = now()
    const moment_ms = orUsage(() => parseMoment(text, { edge: 'end', direction: 'ahead', now_ms }))
    if (moment_ms <= now_ms) throw new InvalidArgumentError('It is past already.')
    return moment_ms
  }
}

/** A moment that bounds a search; a mere date is part of what is searched. */
export function readBound(now: () => number, edge: 'start' | 'end'): (text: string) => number {
  return (text) => orUsage(() => parseMoment(text, { edge, direction: 'back', now_ms: now() }))
}

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
