// Recent sign-ins: sensitive changes need one, and a person confirms an older session by their password.
import { describe, expect, test } from 'bun:test'
import { requireFresh } from '../../src/access/fresh-sign-in.ts'
import { sessionByToken } from '../../src/access/session-rows.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import { givePasswords, PASSWORD } from '../support/console.ts'
import { type ConsoleClient, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { personAtConsole } from '../support/people.ts'

const MINUTE_MS = 60_000
const clock = { now_ms: Date.now() }
const gateway = await fileGateway({ now: () => clock.now_ms, sweep_every_ms: 60 * MINUTE_MS })
await gateway.account('ada')
await gateway.account('bob')
await givePasswords(gateway, ['ada', 'bob'])

const visit = (account: string) => signedIn(gateway, { account }, clock.now_ms)
const cookieOf = (answer: Response) =>
  /^([^=]+=[^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
const tokenOf = (client: ConsoleClient) => client.cookie.split('=')[1] ?? ''
const confirm = (client: ConsoleClient, password: unknown = PASSWORD) =>
  client.send('POST', '/session/confirm', { body: { password } })
const rowOf = async (client: ConsoleClient) => await sessionByToken(gateway.store, tokenOf(client))

describe('a sensitive change is refused', () => {
  const NOW = 1_000_000_000
  const person = {
    side: 'account',
    role: 'owner',
    session_id: 1,
    person_id: 1,
    account_id: 1,
    account: 'a',
    sees: 'account',
  } as const
  const key = {
    side: 'key',
    role: 'key',
    session_id: 1,
    account_id: 1,
    account: 'a',
    key_id: 1,
    sees: [1],
  } as const
  const refusal = (viewer: Viewer) => {
    try {
      requireFresh(viewer, NOW)
      return undefined
    } catch (thrown) {
      return (thrown as { code?: string }).code ?? 'permission_denied'
    }
  }
  test.each<[string, Viewer, string | undefined]>([
    ['ten minutes after the proof', { ...person, confirmed_at_ms: NOW - 10 * MINUTE_MS }, 'confirm_sign_in'],
    ['in a session without a confirmation time', { ...person, confirmed_at_ms: null }, 'confirm_sign_in'],
    ['without the field', person, 'confirm_sign_in'],
    ['in a session by key', key, 'permission_denied'],
    ['but not a moment earlier', { ...person, confirmed_at_ms: NOW - 10 * MINUTE_MS + 1 }, undefined],
  ])('%s', (_, viewer, code) => {
    expect(refusal(viewer)).toBe(code)
  })
})

describe('a confirmation', () => {
  test('by the password makes the session recent, with a new token that replaces the old one', async () => {
    const ada = await visit('ada')
    clock.now_ms += 11 * MINUTE_MS
    const before = await rowOf(ada)
    const answer = await confirm(ada)
    expect(answer.status).toBe(200)
    const after = clientOf(gateway, cookieOf(answer))
    expect(tokenOf(after)).not.toBe(tokenOf(ada))
    expect((await ada.send('GET', '/sessions')).status).toBe(401)
    expect((await after.send('GET', '/sessions')).status).toBe(200)
    const row = await rowOf(after)
    expect(row?.id).toBe(before?.id)
    // Gateways that share a server use its clock.
    expect(row?.confirmed_at_ms).toBeGreaterThanOrEqual(
      (before?.confirmed_at_ms ?? Infinity) + 11 * MINUTE_MS,
    )
  })

  test.each<[string, unknown, number, string]>([
    ['a wrong password', 'not the password', 403, 'wrong_password'],
    ['an empty password', '', 403, 'wrong_password'],
    ['a number', 5, 400, 'invalid_request'],
  ])('is refused for %s, and the session is unchanged', async (_, password, status, code) => {
    const ada = await visit('ada')
    const before = await rowOf(ada)
    const answer = await confirm(ada, password)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await errorOf(answer)).toMatchObject({ status, code })
    expect(await rowOf(ada)).toEqual(before)
  })

  test('allows ten guesses a minute, even from a known address of the person', async () => {
    const bob = await visit('bob')
    const statuses: number[] = []
    for (let guess = 0; guess < 11; guess++)
      statuses.push((await confirm(bob, `guess number ${guess}`)).status)
    expect(statuses).toEqual([...Array(10).fill(403), 429])
  })

  test('is refused in an ended session, in a session by key, and for a disabled person', async () => {
    const [ended, disabled] = [await visit('ada'), await visit('bob')]
    expect((await ended.send('DELETE', '/session')).status).toBe(200)
    expect((await confirm(ended)).status).toBe(401)
    const by_key = await signedIn(gateway, { key: await gateway.key('ada') }, clock.now_ms)
    expect((await confirm(by_key)).status).toBe(403)
    const { id: account_id } = await gateway.account('bea')
    const bea_id = await personAtConsole(gateway.store, account_id)
    const bea = await visit('bea')
    await gateway.store.write((db) =>
      db.rows('UPDATE people SET disabled_at_ms = 1 WHERE id = $bea_id', { bea_id }),
    )
    expect((await confirm(bea)).status).toBe(401)
    expect((await disabled.send('GET', '/sessions')).status).toBe(200)
  })

  test('reports whether the person has a password', async () => {
    await gateway.account('cleo')
    expect(await (await visit('cleo')).json('GET', '/session/confirm')).toMatchObject({ has_password: false })
    expect(await (await visit('ada')).json('GET', '/session/confirm')).toMatchObject({ has_password: true })
  })
})
