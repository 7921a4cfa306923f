// Withdrawals by commands, made by the gateway that serves the folder, since only it knows the newest holds.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { ActionContext } from '../../domain/actions.ts'
import { conflict, toGatewayError } from '../../domain/errors.ts'
import { readJsonAs } from '../../domain/validation.ts'
import type {
  Ledger,
  MoneyOutcome,
  OpenDebtOperation,
  WithdrawOperation,
} from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'
import { createForOwner } from '../../store/folder.ts'
import { CHANGE_SOURCES, type StateChange } from '../../store/state-changes.ts'
import { codeOf } from '../../utilities/thrown.ts'
import { WITHDRAWALS_FILE } from './data-paths.ts'
import { requestLocal } from './local-request.ts'

const Endpoint = Type.Object({ url: Type.String(), secret: Type.String() })

const MOVEMENT = {
  account_id: Type.Integer(),
  amount_nanos: Type.Integer(),
  note: Type.String(),
  by: Type.Optional(
    Type.Unsafe<ActionContext>(Type.Object({ actor: Type.Object({}), now_ms: Type.Integer() })),
  ),
  now_ms: Type.Integer(),
  changes: Type.Optional(
    Type.Array(
      Type.Unsafe<StateChange>(
        Type.Object({
          table: Type.String(),
          id: Type.Integer(),
          from: Type.Array(Type.String()),
          to: Type.String(),
          source: Type.Union(CHANGE_SOURCES.map((source) => Type.Literal(source))),
          detail: Type.Optional(Type.Object({})),
        }),
      ),
    ),
  ),
}
const TakingOperation = Type.Union([
  Type.Object(
    { op: Type.Literal('withdraw'), ...MOVEMENT, request_key: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  Type.Object(
    { op: Type.Literal('open_debt'), ...MOVEMENT, request_key: Type.String() },
    { additionalProperties: false },
  ),
])

/** An operation that takes from a free balance. */
type TakingOperation = WithdrawOperation | OpenDebtOperation

/** The gateway's answer: the outcome, or the reason why no money was moved. */
const Answer = Type.Union([
  Type.Object({ outcome: Type.Unsafe<MoneyOutcome>(Type.Object({ ok: Type.Boolean() })) }),
  Type.Object({ error: Type.String() }),
])
type Answer = Static<typeof Answer>

/**
 * Serves withdrawals on a separate loopback port, and writes its URL to the folder.
 * @returns stops it and removes the file
 */
export function serveWithdrawals(
  data_folder: string,
  ledger: Pick<Ledger, 'submit'>,
  log: Logger,
): () => void {
  const secret = randomBytes(32).toString('base64url')
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    development: false,
    maxRequestBodySize: 64 * 1024,
    async fetch(request) {
      if (!isSecret(request.headers.get('authorization'), `Bearer ${secret}`))
        return Response.json({ error: 'the secret is wrong' } satisfies Answer, { status: 401 })
      // Dropped: a body that is no JSON fails the check below.
      const operation: unknown = await request.json().catch(() => undefined)
      if (!Value.Check(TakingOperation, operation))
        return Response.json({ error: 'this is no withdrawal and no opening debt' } satisfies Answer, {
          status: 400,
        })
      return Response.json(await submit(ledger, operation))
    },
  })
  const path = join(data_folder, WITHDRAWALS_FILE)
  const endpoint: Static<typeof Endpoint> = { url: server.url.href, secret }
  try {
    writeForOwner(path, JSON.stringify(endpoint))
  } catch (cause) {
    log.warn({ cause }, 'commands cannot withdraw money while the gateway runs: the disk cannot be written')
  }
  return () => {
    rmSync(path, { force: true })
    void server.stop(true)
  }
}

async function submit(ledger: Pick<Ledger, 'submit'>, operation: TakingOperation): Promise<Answer> {
  try {
    return { outcome: await ledger.submit<TakingOperation>(operation) }
  } catch (thrown) {
    return { error: toGatewayError(thrown).message }
  }
}

function isSecret(header: string | null, expected: string): boolean {
  const [one, other] = [Buffer.from(header ?? ''), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Writes the file atomically. */
function writeForOwner(path: string, text: string): void {
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  createForOwner(unfinished)
  writeFileSync(unfinished, text)
  renameSync(unfinished, path)
}

/**
 * Submits an operation to the gateway that serves a folder.
 * @throws GatewayError conflict if no money was moved, or, as its text says, the result is unknown
 */
export async function moveAtGateway(data_folder: string, operation: TakingOperation): Promise<MoneyOutcome> {
  const path = join(data_folder, WITHDRAWALS_FILE)
  const endpoint = existsSync(path) ? readJsonAs(Endpoint, readFileSync(path, 'utf8')) : undefined
  if (!endpoint)
    throw conflict(
      `A gateway that is starting, stopping or of another version serves ${data_folder}. Try again when it runs.`,
    )
  const answer = await requestMovement(endpoint, operation).catch((cause: unknown) => {
    throw conflict(codeOf(cause) === 'ECONNREFUSED' ? notFound(data_folder) : NOT_KNOWN, { cause })
  })
  if ('error' in answer) throw conflict(`The gateway did not move any money: ${answer.error}`)
  return answer.outcome
}

const notFound = (data_folder: string): string =>
  `The gateway that serves ${data_folder} does not answer on this machine. Run this command where it runs, such as in its container.`

const NOT_KNOWN =
  'The gateway did not say whether it moved the money. Look at the account before you try again: `tollgate account show`.'

async function requestMovement(
  { url, secret }: Static<typeof Endpoint>,
  operation: TakingOperation,
): Promise<Answer> {
  const { text } = await requestLocal(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify(operation),
    signal: AbortSignal.timeout(10_000),
  })
  const answer = readJsonAs(Answer, text)
  if (!answer) throw new Error('the answer is not one of a gateway')
  return answer
}
