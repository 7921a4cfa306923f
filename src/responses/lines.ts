// The stored form of a kept response: lines of JSON, the response first, then each of its input items.
import type { StoredBytes } from '../domain/stored-bytes.ts'
import type { JsonObject } from '../protocols/wire/json.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import type { KeptResponse } from './kept-responses.ts'

export type Content = Pick<KeptResponse, 'input' | 'response'>

/** Other calls get their turn after this much of a long conversation: 2 ms or less. */
const TURN_BYTES = 512 * 1024

/** The lines of a response, each with its line end. */
export async function encodeLines({ response, input }: Content): Promise<Uint8Array[]> {
  const encoder = new TextEncoder()
  const lines: Uint8Array[] = []
  const pace = createPace()
  for (const value of [response, ...input]) {
    const line = encoder.encode(`${JSON.stringify(value)}\n`)
    lines.push(line)
    await pace(line.length)
  }
  return lines
}

/** @throws SyntaxError if the lines were truncated or changed */
export async function decodeLines(body: Uint8Array | StoredBytes): Promise<Content> {
  const text = new TextDecoder().decode(body instanceof Uint8Array ? body : await body.bytes())
  const values: JsonObject[] = []
  const pace = createPace()
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    values.push(JSON.parse(text.slice(start, end)))
    await pace(end - start)
    start = end + 1
  }
  const [response, ...input] = values
  if (!response) throw noLines()
  return { response, input }
}

const NEWLINE = '\n'.charCodeAt(0)
const SLICE_BYTES = 1024 * 1024

/** The lines of a kept response, unparsed and without line ends: the response, then its input items. @throws SyntaxError if none exist */
export function splitLines(bytes: Uint8Array): [response: Uint8Array, ...input: Uint8Array[]] {
  const lines: Uint8Array[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found < 0 ? bytes.length : found
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  const [response, ...input] = lines
  if (!response) throw noLines()
  return [response, ...input]
}

/** The first line, which is the unparsed response. A file is searched for the line's end, and read lazily. @throws SyntaxError without one */
export async function firstLine(body: Uint8Array | StoredBytes): Promise<Uint8Array | StoredBytes> {
  if (body instanceof Uint8Array) return splitLines(body)[0]
  for (let start = 0; start < body.size; start += SLICE_BYTES) {
    const found = (await body.slice(start, start + SLICE_BYTES).bytes()).indexOf(NEWLINE)
    if (found >= 0) return body.slice(0, start + found)
  }
  throw noLines()
}

const noLines = () => new SyntaxError('a kept response has no lines')

/** Counts bytes of work, and ends the turn of the event loop after each `TURN_BYTES`. */
export function createPace(): (bytes: number) => Promise<void> | undefined {
  let done_bytes = 0
  return (bytes) => {
    done_bytes += bytes
    if (done_bytes < TURN_BYTES) return undefined
    done_bytes = 0
    return endOfTurn()
  }
}
