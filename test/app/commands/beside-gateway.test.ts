// Commands that move money beside a running gateway: they never take what it holds for calls, whether the hold has a row or not.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder } from '../../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../../src/app/command-line/money.ts'
import type { MoneyOutcome } from '../../../src/money/ledger/operations.ts'
import { takeLock } from '../../../src/store/lock.ts'
import { signedIn } from '../../support/console-session.ts'
import { holdLock } from '../../support/lock-holder.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { heldBack, whole } from '../../support/upstream.ts'
import { createScene } from './scene.ts'

const { gateway, upstream } = await fileScene()
const cli = createScene('nothing', gateway.data_folder)
const door = join(gateway.data_folder, 'serve.withdrawals')

test('a withdrawal leaves the money that a call holds, even before the hold has a row', async () => {
  const { id } = await gateway.account('anna', { balance_usd: '1' })
  const key = await gateway.key('anna')
  const held_back = heldBack(whole(answer()))
  upstream.answer(held_back.script)
  const answering = gateway.call(wholePath(), ask(), { key })
  await held_back.received
  const all = await cli.run('debit', 'anna', '1')
  expect([all.status, all.err]).toMatchObject([1, expect.stringContaining('available balance')])
  const some = await cli.json('debit', 'anna', '0.1', '--note', 'refund')
  expect(some).toMatchObject({ name: 'anna', balance_usd: '0.90', held_usd: expect.stringMatching(/^0\.2/) })
  held_back.release()
  await (await answering).arrayBuffer()
  const { accounts, entries } = await gateway.atRest()
  expect(accounts.find((account) => account.id === id)?.balance_nanos).toBe(900_000_000 - ANSWER_NANOS)
  expect(entries.find(({ note }) => note === 'refund')).toMatchObject({
    kind: 'withdrawal',
    amount_nanos: -100_000_000,
  })
})

test('the balance is exact with 64 callers beside withdrawals, top-ups and revoked keys', async () => {
  const { id } = await gateway.account('bert', { balance_usd: '40' })
  upstream.answer(whole(answer()))
  const keys: string[] = []
  for (let n = 0; n < 8; n++) keys.push(await gateway.key('bert'))
  let over = false
  const statuses = new Map<number, number>()
  const caller = async (at: number): Promise<void> => {
    while (!over) {
      const { status } = await gateway.call(wholePath(), ask(), { key: keys[at % keys.length] })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const callers = Array.from({ length: 64 }, (_, at) => caller(at))
  const list = await cli.json('key', 'list', 'bert')
  for (const { prefix } of list.keys.slice(0, 4)) {
    expect((await cli.run('debit', 'bert', '0.3')).status).toBe(0)
    expect((await cli.run('credit', 'bert', '0.2')).status).toBe(0)
    expect((await cli.run('key', 'revoke', prefix)).status).toBe(0)
  }
  over = true
  await Promise.all(callers)
  const { accounts, calls } = await gateway.atRest()
  const paid = calls.filter(({ account_id }) => account_id === id)
  expect(paid.length).toBe(statuses.get(200) ?? 0)
  expect(paid.length).toBeGreaterThan(64)
  expect(accounts.find((account) => account.id === id)).toMatchObject({
    balance_nanos: 39_600_000_000 - paid.length * ANSWER_NANOS,
    held_nanos: 0,
    debt_nanos: 0,
  })
})

test('an opening debt leaves the money that a call holds, and is recorded once', async () => {
  const { id } = await gateway.account('dora', { balance_usd: '1' })
  const key = await gateway.key('dora')
  const held_back = heldBack(whole(answer()))
  upstream.answer(held_back.script)
  const answering = gateway.call(wholePath(), ask(), { key })
  await held_back.received
  const folder = dataFolder(gateway.data_folder, {})
  const opening_debt = {
    op: 'open_debt',
    account_id: id,
    amount_nanos: 3_200_000_000,
    note: 'from new-api',
    request_key: 'new-api user 17',
    now_ms: Date.now(),
  } as const
  const outcomes: MoneyOutcome[] = []
  for (let run = 0; run < 2; run++) {
    await using mover = await openMoneyMover(folder)
    outcomes.push(...(await Promise.all([mover.move(opening_debt), mover.move(opening_debt)])))
  }
  expect(outcomes.filter((outcome) => outcome.ok && !outcome.first)).toHaveLength(1)
  expect(outcomes.every(({ ok }) => ok)).toBe(true)
  const [first] = outcomes
  // The debt takes the part of the balance that the call does not hold.
  expect(first).toMatchObject({ ok: true, balance_nanos: expect.any(Number) })
  const held = gateway.rows().accounts.find((account) => account.id === id)
  expect(held?.held_nanos).toBeGreaterThan(ANSWER_NANOS)
  expect(held?.balance_nanos).toBe(held?.held_nanos ?? 0)
  held_back.release()
  await (await answering).arrayBuffer()
  const { accounts } = await gateway.atRest()
  expect(accounts.find((account) => account.id === id)).toMatchObject({
    balance_nanos: 0,
    held_nanos: 0,
    debt_nanos: 3_200_000_000 - (1_000_000_000 - ANSWER_NANOS),
  })
  expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(402)

  expect((await cli.run('account', 'show', 'dora')).out).toMatch(
    /brought over +3\.20 USD owed, from new-api, /,
  )
  expect(await cli.json('account', 'show', 'dora')).toMatchObject({
    opening_debts: [{ amount_usd: '3.20', note: 'from new-api' }],
  })
  const taken = await cli.run('debit', 'dora', '1', '--reference', 'new-api user 17')
  expect([taken.status, taken.err]).toMatchObject([
    1,
    expect.stringContaining('used before: 3.20 USD recorded as opening debt of dora'),
  ])
  await cli.run('credit', 'dora', '2.5')
  const operator = await signedIn(gateway, 'operator')
  expect(await operator.json('GET', '/entry-sums?account=dora')).toMatchObject({
    opening_debts: [{ amount_usd: '3.20', note: 'from new-api' }],
  })
  const dora = await signedIn(gateway, { account: 'dora' })
  expect((await dora.json('GET', '/entry-sums')).opening_debts).toHaveLength(1)
  expect((await operator.json('GET', '/entry-sums')).opening_debts).toEqual([])
  expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(200)
})

test('a withdrawal bypasses the proxy of the environment', async () => {
  await gateway.account('cleo', { balance_usd: '1' })
  process.env.HTTP_PROXY = 'http://127.0.0.1:9'
  try {
    expect(await cli.json('debit', 'cleo', '0.4')).toMatchObject({ balance_usd: '0.60' })
  } finally {
    delete process.env.HTTP_PROXY
  }
})

test('if another program answers, the command says to check the account before a second try', async () => {
  const right = readFileSync(door, 'utf8')
  using other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('null') })
  writeFileSync(door, JSON.stringify({ url: other.url.href, secret: 'x' }))
  const { status, err } = await cli.run('debit', 'anna', '0.1')
  writeFileSync(door, right)
  expect([status, err]).toMatchObject([
    1,
    expect.stringContaining('Look at the account before you try again'),
  ])
})

describe('the gateway takes withdrawals', () => {
  test('at the address in the folder, with a secret that only its owner can read', async () => {
    expect(statSync(door).mode & 0o777).toBe(0o600)
    const { url } = JSON.parse(readFileSync(door, 'utf8'))
    expect(new URL(url).hostname).toBe('127.0.0.1')
  })

  test.each([
    ['without the secret', {}, '{}', 401],
    ['with a wrong secret', { authorization: 'Bearer x' }, '{}', 401],
    ['without a body', undefined, '', 400],
    ['with a top-up', undefined, '{"op":"top_up","account_id":1,"amount_nanos":1,"note":"","now_ms":0}', 400],
    [
      'with a debt without a reference',
      undefined,
      '{"op":"open_debt","account_id":1,"amount_nanos":1,"note":"","now_ms":0}',
      400,
    ],
    [
      'with an unknown field',
      undefined,
      '{"op":"withdraw","account_id":1,"amount_nanos":1,"note":"","now_ms":0,"force":true}',
      400,
    ],
  ])('and refuses requests %s', async (_, headers, body, status) => {
    const { url, secret } = JSON.parse(readFileSync(door, 'utf8'))
    const response = await fetch(url, {
      method: 'POST',
      headers: headers ?? { authorization: `Bearer ${secret}` },
      body,
    })
    expect(response.status).toBe(status)
  })

  test.each([
    [
      'does not listen there',
      '{"url":"http://127.0.0.1:1/","secret":"x"}',
      'does not answer on this machine',
    ],
    ['does not know the secret', undefined, 'the secret is wrong'],
  ])('a gateway that %s: nothing is withdrawn, and the command says what to do', async (_, text, words) => {
    const right = readFileSync(door, 'utf8')
    writeFileSync(door, text ?? JSON.stringify({ ...JSON.parse(right), secret: 'x' }))
    const { status, err } = await cli.run('debit', 'anna', '0.1')
    expect([status, err]).toMatchObject([1, expect.stringContaining(words)])
    writeFileSync(door, right)
  })
})

test('the command says so if the gateway that locked the folder takes no withdrawals yet', async () => {
  using scene = createScene()
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '1')
  using _lock = takeLock(scene.path('serve.lock'))
  const { status, err } = await scene.run('debit', 'anna', '1')
  expect([status, err]).toMatchObject([1, expect.stringContaining('Try again when it runs')])
  expect(existsSync(scene.path('serve.withdrawals'))).toBe(false)
})

test('a withdrawal waits for another command that locks the folder for a moment', async () => {
  using scene = createScene()
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '1')
  const command = await holdLock(scene.path('serve.lock'), 300)
  expect(await scene.json('debit', 'anna', '0.4')).toMatchObject({ balance_usd: '0.60' })
  command.kill('SIGKILL')
  await command.exited
})
