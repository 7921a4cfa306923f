// Calls whose hold expires while they are under way: they are settled all the same, once, over a real socket.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { Operation } from '../../src/money/ledger/operations.ts'
import { eventually } from '../support/eventually.ts'
import { expireHoldsOfDeadGateway } from '../support/holds.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { heldBack, refusal, type Script, type Step, stream, whole } from '../support/upstream.ts'

const BALANCE_NANOS = 10_000_000_000

const { gateway, upstream } = await fileScene()

/** @param operation uses the money that is free after the expiry */
async function expireHolds(operation?: Operation): Promise<void> {
  await gateway.written()
  const ledger = openLedger({ path: join(gateway.data_folder, 'tollgate.db') })
  const { expired } = await expireHoldsOfDeadGateway(gateway.store, ledger)
  expect(expired).toHaveLength(1)
  if (operation) expect(await ledger.submit(operation)).toMatchObject({ ok: true })
  await ledger.close()
}

/** The result of a request once nothing is held: its account, its holds, its call, and the call's line in the log. */
async function fateOf(response: Response) {
  const request_id = response.headers.get('x-request-id')
  const { accounts, holds, calls } = await gateway.atRest()
  const ofRequest = (row: object) => 'request_id' in row && row.request_id === request_id
  const recorded = calls.filter(ofRequest)
  const account = accounts.find(({ id }) => id === recorded[0]?.account_id)
  const lines = gateway.log.lines().filter((line) => line.message === 'call' && ofRequest(line))
  return { account, holds: holds.filter(ofRequest).map(({ state }) => state), recorded, lines }
}

test.each<[name: string, script: Script, status: number, outcome: string, cost_nanos: number]>([
  ['an answer is charged', whole(answer()), 200, 'completed', ANSWER_NANOS],
  ['a failure is recorded at no cost', refusal(500, 'no'), 502, 'failed', 0],
])('%s', async (_, script, status, outcome, cost_nanos) => {
  const held_back = heldBack(script)
  upstream.answer(held_back.script)
  const answering = gateway.call(wholePath(), ask(), { key: await gateway.caller() })
  await held_back.received
  await expireHolds()
  held_back.release()
  const response = await answering
  expect(response.status).toBe(status)
  expect(await fateOf(response)).toMatchObject({
    account: { balance_nanos: BALANCE_NANOS - cost_nanos, held_nanos: 0, debt_nanos: 0 },
    holds: [cost_nanos > 0 ? 'posted' : 'voided'],
    recorded: [{ outcome, cost_nanos, unpaid_nanos: 0 }],
    lines: [{ outcome, late: true }],
  })
})

/** Starts a stream, and expires its hold. */
async function expiredStream(key: string, operation?: Operation, headers: Record<string, string> = {}) {
  const end = Promise.withResolvers<Step>()
  const beginning = piece('The beginning,', { usageMetadata: usage(10, 4) })
  upstream.answer(stream({ event: beginning }, { wait: end.promise }, { event: answer(' its end.') }))
  const caller = new AbortController()
  const response = await gateway.call(streamPath(), ask(), { key, headers, signal: caller.signal })
  const reader = response.body?.getReader()
  await reader?.read()
  await expireHolds(operation)
  return { response, reader, caller, end: () => end.resolve('read') }
}

test('a stream is charged, and its kept answer is sent again at no cost', async () => {
  const key = await gateway.caller()
  const headers = { 'idempotency-key': 'expired' }
  const { response, reader, end } = await expiredStream(key, undefined, headers)
  end()
  while (!(await reader?.read())?.done);
  const charged = {
    account: { balance_nanos: BALANCE_NANOS - ANSWER_NANOS, held_nanos: 0 },
    holds: ['posted'],
    recorded: [{ outcome: 'completed', cost_nanos: ANSWER_NANOS }],
    lines: [{ late: true }],
  }
  expect(await fateOf(response)).toMatchObject(charged)
  const again = await gateway.call(streamPath(), ask(), { key, headers })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toContain('its end.')
  expect(await fateOf(response)).toMatchObject(charged)
})

test('a caller who disconnects pays for the delivered part', async () => {
  const { response, caller } = await expiredStream(await gateway.caller())
  caller.abort()
  await eventually('the call is recorded', async () => (await fateOf(response)).recorded.length === 1)
  expect(await fateOf(response)).toMatchObject({
    account: { balance_nanos: BALANCE_NANOS - 26_000 },
    holds: ['posted'],
    recorded: [{ outcome: 'cancelled', cost_nanos: 26_000 }],
  })
})

test('the part that the free balance no longer covers becomes debt', async () => {
  const account = await gateway.account('spent', { balance_usd: '10' })
  const { response, reader, end } = await expiredStream(await gateway.key('spent'), {
    op: 'withdraw',
    account_id: account.id,
    amount_nanos: BALANCE_NANOS - 20_000,
    note: '',
    now_ms: Date.now(),
  })
  end()
  while (!(await reader?.read())?.done);
  expect(await fateOf(response)).toMatchObject({
    account: { balance_nanos: 0, held_nanos: 0, debt_nanos: ANSWER_NANOS - 20_000 },
    recorded: [{ outcome: 'completed', cost_nanos: ANSWER_NANOS, unpaid_nanos: ANSWER_NANOS - 20_000 }],
  })
})
