// Owns a log that keeps its lines, for tests that look at what was logged. It cleans them as the real one does.
import { createLogger, type LogLevel, type ProcessLogger } from '../../src/observe/log.ts'

export type LogLine = { level: LogLevel; time: string; message: string } & Record<string, unknown>

export interface MemoryLog {
  log: ProcessLogger
  /** What was written, as it was written. */
  text(): string
  lines(): LogLine[]
}

/** @param options the level (`debug` where absent), the secrets that must not appear, and the clock */
export function memoryLog(
  options: { level?: LogLevel; secrets?: readonly string[]; now?: () => number } = {},
): MemoryLog {
  const written: string[] = []
  const { level = 'debug', secrets = [], now = () => 0 } = options
  const destination = { write: (line: string) => void written.push(line), flushSync() {} }
  return {
    log: createLogger({ level, secrets, destination, now }),
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line)),
  }
}
