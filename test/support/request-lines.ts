// Checks that all log lines of a request have the request id of its answer.
import { expect } from 'bun:test'
import { eventually } from './eventually.ts'
import type { TestGateway } from './gateway.ts'

/** Messages about the process, even if a request caused them. */
const OF_THE_PROCESS: ReadonlySet<string> = new Set([
  'catalogue reloaded',
  'the ledger cannot commit: new paid calls are refused until it can',
  'the ledger can commit again: calls are taken',
  'all delayed settlements are done',
])

interface Logged {
  /** The required messages. */
  says: readonly string[]
  /** Makes the request and returns its id. */
  make: () => Promise<string>
}

/** Makes a request, and asserts that it leaves these lines in the log, and that each line of that time has its id. */
export async function expectLines(
  { log, rest }: Pick<TestGateway, 'log' | 'rest'>,
  { says, make }: Logged,
): Promise<void> {
  const before = log.lines().length
  const request_id = await make()
  const since = () => log.lines().slice(before)
  for (const message of says)
    await eventually(`the log says "${message}"`, () => since().some((line) => line.message === message))
  await rest()
  const lines = since().filter(({ message }) => !OF_THE_PROCESS.has(message))
  expect(lines.map((line) => [line.message, line.request_id])).toEqual(
    lines.map(({ message }) => [message, request_id]),
  )
}

/** The id of an answered request, once the answer has been read. */
export async function idOf(answer: Response): Promise<string> {
  await answer.arrayBuffer().catch(() => undefined)
  return answer.headers.get('x-request-id') ?? ''
}

/** Runs work while rows cannot be written. @param writing such as `INSERT ON calls` */
export async function onFullDisk<T>(
  { db }: Pick<TestGateway, 'db'>,
  writing: string,
  work: () => Promise<T>,
): Promise<T> {
  db.run(`CREATE TRIGGER full BEFORE ${writing} BEGIN SELECT RAISE (ABORT, 'the disk is full'); END`)
  try {
    return await work()
  } finally {
    db.run('DROP TRIGGER full')
  }
}
