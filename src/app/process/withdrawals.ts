// Movements by the command line that take from a free balance: made by the gateway that serves the folder, which alone knows what is held.
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

const Door = Type.Object({ url: Type.String(), secret: Type.String() })

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
const Taking = Type.Union([
  Type.Object(
    { op: Type.Literal('withdraw'), ...MOVEMENT, request_key: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  Type.Object(
    { op: Type.Literal('open_debt'), ...MOVEMENT, request_key: Type.String() },
    { additionalProperties: false },
  ),
])

/** A movement that the gateway makes: it takes from a free balance. */
type TakingOperation = WithdrawOperation | OpenDebtOperation

/** A movement as it is answered: its outcome, or the reason why nothing was moved. */
const Answer = Type.Union([
  Type.Object({ outcome: Type.Unsafe<MoneyOutcome>(Type.Object({ ok: Type.Boolean() })) }),
  Type.Object({ error: Type.String() }),
])
type Answer = Static<typeof Answer>

/**
 * Takes the movements on a port of its own of the loopback interface, and says so in the folder.
 * @returns ends it; the file is gone then
 */
export function takeWithdrawals(
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
      // Dropped: that it is no JSON, which is then no movement either.
      const operation: unknown = await request.json().catch(() => undefined)
      if (!Value.Check(Taking, operation))
        return Response.json({ error: 'this is no withdrawal and no opening debt' } satisfies Answer, {
          status: 400,
        })
      return Response.json(await moved(ledger, operation))
    },
  })
  const path = join(data_folder, WITHDRAWALS_FILE)
  const door: Static<typeof Door> = { url: server.url.href, secret }
  try {
    writeForOwner(path, JSON.stringify(door))
  } catch (cause) {
    log.warn({ cause }, 'commands cannot withdraw money while the gateway runs: the disk cannot be written')
  }
  return () => {
    rmSync(path, { force: true })
    void server.stop(true)
  }
}

async function moved(ledger: Pick<Ledger, 'submit'>, operation: TakingOperation): Promise<Answer> {
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

/** At once, so that nobody reads half of it. */
function writeForOwner(path: string, text: string): void {
  const written = `${path}.new`
  rmSync(written, { force: true })
  createForOwner(written)
  writeFileSync(written, text)
  renameSync(written, path)
}

/**
 * Has the gateway that serves a folder make a movement.
 * @throws GatewayError conflict where nothing was moved, or, as its text says, where that is not known
 */
export async function moveAtGateway(data_folder: string, operation: TakingOperation): Promise<MoneyOutcome> {
  const path = join(data_folder, WITHDRAWALS_FILE)
  const door = existsSync(path) ? readJsonAs(Door, readFileSync(path, 'utf8')) : undefined
  if (!door)
    throw conflict(
      `A gateway that is starting, stopping or of another version serves ${data_folder}. Try again when it runs.`,
    )
  const answer = await requestMovement(door, operation).catch((cause: unknown) => {
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
  { url, secret }: Static<typeof Door>,
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
