// Guesses of voucher codes: ten thousand of them find nothing, are hardly looked up, and delay no one else.
import { expect, test } from 'bun:test'
import { formatCode, generateCode } from '../../plugins/vouchers/code.ts'
import { createGuessLimiter } from '../../plugins/vouchers/guesses.ts'
import { errorOf } from '../support/console-session.ts'
import { redeem, USD, voucherScene } from './scene.ts'

const scene = await voucherScene(['anna', 'bert', 'carl', 'dora'])
const { balance } = scene
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const guess = () => formatCode(generateCode(randomBytes))

test('10,000 guesses of one account at once: ten are looked up, and nothing is credited', async () => {
  const [anna, bert] = [await scene.owner('anna'), await scene.owner('bert')]
  const statuses = new Map<number, number>()
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => redeem(anna, guess(), {}, '198.51.100.1')),
    )
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect(statuses.get(404)).toBe(10)
  expect(statuses.get(429)).toBe(390)
  // All of them in the process: over sockets the pages’ own limit comes first.
  const guesses = createGuessLimiter(() => 0)
  let looked_up = 0
  for (let at = 0; at < 10_000; at++)
    try {
      guesses.attempt({ account_id: 1, address: '198.51.100.1' })
      looked_up += 1
    } catch {
      // Refused, as counted.
    }
  expect(looked_up).toBe(10)
  expect(await balance('anna')).toBe(0)
  expect(await errorOf(await redeem(anna, await scene.code()))).toMatchObject({
    status: 429,
    message: expect.stringMatching(/^Too many wrong voucher codes\. Try again in \d+ seconds?\.$/),
  })
  // Another account from another address is not limited.
  expect((await redeem(bert, await scene.code(), {}, '198.51.100.2')).status).toBe(200)
})

test('several accounts of one address share its limit', async () => {
  const guesses = createGuessLimiter(() => 0)
  const judged = Array.from({ length: 100 }, (_, at) => {
    try {
      guesses.attempt({ account_id: at, address: '203.0.113.9' })
      return true
    } catch {
      // Refused, as counted.
      return false
    }
  })
  expect(judged.filter(Boolean)).toHaveLength(30)
  expect(() => guesses.attempt({ account_id: 500, address: '203.0.113.10' })).not.toThrow()
})

test('an IPv6 network counts as one address', () => {
  const guesses = createGuessLimiter(() => 0)
  for (let at = 0; at < 30; at++) guesses.attempt({ account_id: at, address: `2001:db8::${at}` })
  expect(() => guesses.attempt({ account_id: 99, address: '2001:db8::ffff' })).toThrow('Too many wrong')
})

test('right codes do not count: an account redeems thirty one after the other', async () => {
  const carl = await scene.owner('carl')
  const { codes } = await scene.create({ amount: '1', count: 30 })
  for (const code of codes) expect((await redeem(carl, code, {}, '198.51.100.3')).status).toBe(200)
  expect(await balance('carl')).toBe(30 * USD)
})

test('typing errors do not count either: nothing is looked up for them', async () => {
  const dora = await scene.owner('dora')
  const code = await scene.code({ amount: '2' })
  const wrong = code.replace(/.$/, (last) => (last === '3' ? '4' : '3'))
  for (let at = 0; at < 40; at++) expect((await redeem(dora, wrong, {}, '198.51.100.4')).status).toBe(400)
  expect((await redeem(dora, code, {}, '198.51.100.4')).status).toBe(200)
})

test('a minute later the account may try again', () => {
  let now = 0
  const guesses = createGuessLimiter(() => now)
  const attempt = () => guesses.attempt({ account_id: 1, address: undefined })
  for (let at = 0; at < 10; at++) attempt()
  expect(attempt).toThrow('Try again in 60 seconds.')
  now = 59_999
  expect(attempt).toThrow('Try again in 1 second.')
  now = 60_000
  expect(attempt).not.toThrow()
})
