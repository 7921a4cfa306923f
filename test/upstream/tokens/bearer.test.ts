// An attempt with a service account: its token, one retry where it is refused, and no more.
import { describe, expect, test } from 'bun:test'
import { sendWithToken } from '../../../src/upstream/tokens/bearer.ts'
import { type ExchangeResult, isToken } from '../../../src/upstream/tokens/exchange.ts'
import type { Tokens } from '../../../src/upstream/tokens/tokens.ts'
import { PlainSignal } from '../../../src/utilities/plain-signal.ts'
import { accountFile } from '../../support/google.ts'

const KEY = accountFile('http://127.0.0.1:1')
const REQUEST = { url: 'https://v.example', headers: { 'x-team': 'blue' }, body: '{}' }
const token = (value: string): ExchangeResult => ({ value, until_ms: 1 })
const failed = { failure_class: 'bad_key' as const, message: 'invalid_grant', retry_after_s: undefined }
const unauthorized = { ...failed, message: 'expired', is_unauthorized: true }

/** Gives the answers in their order; the last one again and again. */
function over(exchanged: ExchangeResult[], answers: object[]) {
  const sent: (string | undefined)[] = []
  const reported: string[] = []
  const refused: string[] = []
  const tokens: Tokens = {
    of: () => Promise.resolve((exchanged.length > 1 ? exchanged.shift() : exchanged[0]) as ExchangeResult),
    refused: (_, { value }) => void refused.push(value),
  }
  const run = () =>
    sendWithToken<object>(
      REQUEST,
      {
        tokens,
        api_key: KEY,
        gone: new PlainSignal(),
        timeout_ms: 60_000,
        onRefused: ({ message }) => reported.push(message),
      },
      async ({ headers }) => {
        sent.push(headers.authorization)
        return (answers.length > 1 ? answers.shift() : answers[0]) as object
      },
    )
  return { run, sent, reported, refused }
}

const ANSWER = { answer: 'yes' }

describe('a service account', () => {
  const rows: [string, ExchangeResult[], object[], object, string[], string[]][] = [
    ['is sent as its token', [token('a')], [ANSWER], ANSWER, ['Bearer a'], []],
    [
      'gets another where that is refused',
      [token('a'), token('b')],
      [unauthorized, ANSWER],
      ANSWER,
      ['Bearer a', 'Bearer b'],
      ['a'],
    ],
    [
      'is not tried a third time',
      [token('a'), token('b'), token('c')],
      [unauthorized],
      unauthorized,
      ['Bearer a', 'Bearer b'],
      ['a'],
    ],
    ['is not sent without a token', [failed], [ANSWER], failed, [], []],
    [
      'that gets no second token fails with that reason',
      [token('a'), failed],
      [unauthorized, ANSWER],
      failed,
      ['Bearer a'],
      ['a'],
    ],
    ['is not retried after another refusal', [token('a'), token('b')], [failed], failed, ['Bearer a'], []],
  ]
  test.each(rows)('%s', async (_, exchanged, answers, result, sent, refused) => {
    const scene = over([...exchanged], [...answers])
    expect(await scene.run()).toEqual(result)
    expect(scene.sent).toEqual(sent)
    expect(scene.refused).toEqual(refused)
    expect(scene.reported).toHaveLength(refused.length)
  })

  test('a call that ends does not wait for the exchange', async () => {
    const gone = new PlainSignal()
    const never: Tokens = { of: () => new Promise(() => {}), refused() {} }
    const waiting = sendWithToken(
      REQUEST,
      {
        tokens: never,
        api_key: KEY,
        gone,
        timeout_ms: 60_000,
        onRefused() {},
      },
      () => Promise.reject(new Error('it was sent')),
    )
    gone.abort()
    expect(await waiting).toMatchObject({ failure_class: 'upstream_error' })
  })
})

describe('the timeout of an attempt includes the exchange', () => {
  const never: Tokens = { of: () => new Promise(() => {}), refused() {} }
  const bearing = { api_key: KEY, gone: new PlainSignal(), onRefused() {} }

  test('an exchange that takes longer is not waited for, and nothing is sent', async () => {
    const result = await sendWithToken(REQUEST, { ...bearing, tokens: never, timeout_ms: 20 }, () =>
      Promise.reject(new Error('it was sent')),
    )
    expect(result).toMatchObject({ failure_class: 'timed_out', message: expect.stringMatching(/token/) })
  })

  test('the second try has only the time that the exchange and the first one left', async () => {
    const timeouts_ms: number[] = []
    const exchanged = () => new Promise<ExchangeResult>((resolve) => setTimeout(resolve, 2, token('a')))
    await sendWithToken(
      REQUEST,
      { ...bearing, tokens: { of: exchanged, refused() {} }, timeout_ms: 60_000 },
      async (_, timeout_ms) => {
        timeouts_ms.push(timeout_ms)
        return unauthorized
      },
    )
    const [first = 0, second = 0] = timeouts_ms
    expect([first < 60_000, second < first]).toEqual([true, true])
  })
})

test('isToken tells a token from a failure', () => {
  expect([token('a'), failed].map(isToken)).toEqual([true, false])
})
