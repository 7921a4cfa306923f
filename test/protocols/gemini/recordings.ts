// The recordings of the native protocol: one event a line.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { StreamReading } from '../../../src/protocols/protocol.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const FOLDER = join(import.meta.dir, '../../fixtures/gemini')

interface RecordedFailure {
  name: string
  status: number
  headers: Record<string, string>
  body: Json
}

export function lines(name: string): string[] {
  return readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

export function events(name: string): JsonObject[] {
  return lines(name).map((line) => JSON.parse(line))
}

export function failures(): RecordedFailure[] {
  return lines('failures').map((line) => JSON.parse(line))
}

/** Reads these events. */
export function read(data: readonly string[]): StreamReading {
  const reading = gemini.text.stream.open()
  for (const event of data) reading.read(toByteString(Buffer.from(event)))
  return reading
}
