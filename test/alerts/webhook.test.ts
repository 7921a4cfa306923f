// Messages of alerts: signed so that the official package verifies them, with secrets as the specification writes them.
import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { bodyOf, signedHeaders } from '../../plugins/alerts/webhook.ts'
import { secretBytes } from '../../src/domain/webhook-secret.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ALERT = {
  id: 7,
  rule: 'low_balance',
  subject: 'zoë',
  sentence: 'zoë has 0.40 USD left, less than a day at this week’s pace.',
  raised_at_ms: 1_614_265_330_000,
  ended_at_ms: 1_614_268_930_000,
}

/** The example of the specification: https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/index.test.ts */
test('the published example has its published signature', () => {
  const headers = signedHeaders({
    webhook_id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at_ms: 1_614_265_330_000,
    body: '{"test": 2432232314}',
    secret: secretBytes(SECRET) ?? new Uint8Array(),
  })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

describe('the official package', () => {
  const now_ms = Date.now()
  const body = bodyOf('raised', ALERT)
  const headers = signedHeaders({
    webhook_id: 'msg_1',
    at_ms: now_ms,
    body,
    secret: secretBytes(SECRET) ?? new Uint8Array(),
  })
  const webhook = new Webhook(SECRET)

  test('verifies a message', () => {
    expect(webhook.verify(body, headers)).toEqual({
      type: 'alert.raised',
      timestamp: '2021-02-25T15:02:10.000Z',
      data: {
        id: 7,
        rule: 'low_balance',
        subject: 'zoë',
        sentence: ALERT.sentence,
        raised_at: '2021-02-25T15:02:10.000Z',
        ended_at: null,
      },
    })
  })

  test.each<[string, string, Record<string, string>]>([
    ['another body', bodyOf('ended', ALERT), headers],
    ['another id', body, { ...headers, 'webhook-id': 'msg_2' }],
    ['another time', body, { ...headers, 'webhook-timestamp': String(Math.floor(now_ms / 1_000) - 1) }],
    ['an old time', body, { ...headers, 'webhook-timestamp': '1614265330' }],
    ['no signature', body, { ...headers, 'webhook-signature': 'v1,' }],
  ])('refuses %s', (_, sent, changed) => {
    expect(() => webhook.verify(sent, changed)).toThrow()
  })
})

test('a message of an end has its time', () => {
  expect(JSON.parse(bodyOf('ended', ALERT))).toMatchObject({
    type: 'alert.ended',
    timestamp: '2021-02-25T16:02:10.000Z',
    data: { ended_at: '2021-02-25T16:02:10.000Z' },
  })
})

const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')
test.each([
  ['24 bytes', `whsec_${base64(24)}`, 24],
  ['64 bytes', `whsec_${base64(64)}`, 64],
  ['23 bytes', `whsec_${base64(23)}`, undefined],
  ['65 bytes', `whsec_${base64(65)}`, undefined],
  ['no prefix', base64(32), undefined],
  ['another prefix', `whpk_${base64(32)}`, undefined],
  ['no base64', `whsec_${'é'.repeat(40)}`, undefined],
  ['base64 of addresses', `whsec_${'-_'.repeat(20)}`, undefined],
  ['nothing', 'whsec_', undefined],
])('a secret of %s', (_, secret, bytes) => {
  expect(secretBytes(secret)?.length).toBe(bytes as number)
})
