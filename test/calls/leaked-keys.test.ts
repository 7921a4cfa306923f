// Provider keys in a provider's answer, plain or encoded: they reach neither callers, nor the answers kept for an Idempotency-Key, nor the log.
import { describe, expect, test } from 'bun:test'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { refusal } from '../support/upstream.ts'

const { gateway, upstream, call } = await fileScene({ provider: 'cooldown_ms = 0' })
const [KEY] = PROVIDER_KEYS
const hex = Buffer.from(KEY).toString('hex')

const FORMS: readonly (readonly [string, string])[] = [
  ['plain', KEY],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64url', Buffer.from(KEY).toString('base64url')],
  ['as a part of base64', Buffer.from(`user:${KEY}:more`).toString('base64')],
  ['as a part of base64, elsewhere', Buffer.from(`Bearer ${KEY}.`).toString('base64')],
  ['in hex', hex],
  ['in upper-case hex', hex.toUpperCase()],
  ['percent-encoded', hex.replace(/../g, '%$&')],
]

describe('a provider key', () => {
  test.each(FORMS)('%s, in a refusal: is hidden from the caller, and in the replay', async (name, form) => {
    upstream.answer(refusal(400, { error: { code: 400, message: `The key ${form} is odd.`, status: 'X' } }))
    const headers = { 'idempotency-key': `leak ${name}` }
    for (let round = 0; round < 2; round++) {
      const response = await call(wholePath(), ask(), { headers })
      expect(response.status).toBe(400)
      const text = await response.text()
      expect(text).toContain('[hidden]')
      expect(text).not.toContain(form)
    }
    await gateway.rest()
    expect(gateway.log.text()).not.toContain(form)
  })

  test.each(FORMS)('%s, in a failure: is hidden in the log', async (_name, form) => {
    upstream.answer(refusal(500, { error: { code: 500, message: `The key ${form} broke me.` } }))
    expect((await call(wholePath(), ask())).status).toBe(502)
    expect(gateway.log.text()).toContain('broke me')
    expect(gateway.log.text()).not.toContain(form)
  })
})
