// A log that keeps its lines in memory for tests, with the same redaction as the real log.
import { createLogger, type LogLevel, type ProcessLogger } from '../../src/observe/log.ts'
import { createCounter } from './counter.ts'

export type LogLine = { level: LogLevel; time: string; message: string } & Record<string, unknown>

export interface MemoryLog {
  log: ProcessLogger
  /** All written text. */
  text(): string
  /** The written text in pieces, each of one or more whole lines. */
  written(): readonly string[]
  lines(): LogLine[]
  /** Resolves with the first line that matches, once it is written. */
  waitForLine(matches: (line: LogLine) => boolean): Promise<LogLine>
}

/** @param options the level (default: `debug`), the secrets that must not appear, and the clock */
export function memoryLog(
  options: { level?: LogLevel; secrets?: readonly string[]; now?: () => number; gather_ms?: number } = {},
): MemoryLog {
  const written: string[] = []
  const count = createCounter()
  const { level = 'debug', secrets = [], now = () => 0, gather_ms = 0 } = options
  const write = (line: string): void => {
    written.push(line)
    count.add()
  }
  const parsed: LogLine[] = []
  let pieces_parsed = 0
  const lines = (): LogLine[] => {
    for (const piece of written.slice(pieces_parsed))
      parsed.push(
        ...piece
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
    pieces_parsed = written.length
    return [...parsed]
  }
  return {
    log: createLogger({ level, secrets, destination: { write, flushSync() {} }, now, gather_ms }),
    text: () => written.join(''),
    written: () => written,
    lines,
    async waitForLine(matches) {
      for (;;) {
        const found = lines().find(matches)
        if (found) return found
        await count.reaches(count.count + 1)
      }
    },
  }
}
