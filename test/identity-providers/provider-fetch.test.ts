// Requests to identity providers at hosts other than the issuer's: only to public servers over HTTPS, without redirects.
import { describe, expect, test } from 'bun:test'
import { createProviderFetch } from '../../plugins/identity-providers/provider-fetch.ts'
import { head, PUBLIC_ADDRESSES, send } from '../media/remote-support.ts'
import { AUTHORITY, serveTls } from '../media/tls-server.ts'

const ISSUER = 'https://id.example.com'
/** The name in the test's certificate. */
const ELSEWHERE = 'https://images.example.com/token'
const json = (text: string) =>
  `${head('content-type: application/json', `content-length: ${text.length}`)}${text}`

async function serveAnswer(answer: string, addresses = PUBLIC_ADDRESSES) {
  const server = await serveTls(send(answer, 'hang up'))
  const fetch = createProviderFetch(ISSUER, {
    ca: AUTHORITY,
    resolve: async () => addresses,
    dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
    timeout_ms: 3_000,
  })
  return { server, fetch, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('an exchange at another host of the provider sends its form, and gets the answer', async () => {
  await using one = await serveAnswer(json('{"access_token":"a"}'))
  const answer = await one.fetch(ELSEWHERE, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic eDp5' },
    body: new URLSearchParams({ code: 'c', code_verifier: 'v' }),
  })
  expect([answer.status, await answer.json()]).toEqual([200, { access_token: 'a' }])
  const [request = ''] = one.server.requests
  expect(request).toStartWith('POST /token HTTP/1.1\r\n')
  expect(request).toMatch(/^host: images\.example\.com\r$/im)
  expect(request).toMatch(/^authorization: Basic eDp5\r$/im)
  expect(request).toEndWith('\r\n\r\ncode=c&code_verifier=v')
})

test('a redirect is a failure, and is not followed', async () => {
  await using one = await serveAnswer(
    'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n',
  )
  await expect(one.fetch(ELSEWHERE, {})).rejects.toThrow('answered 302')
  expect(one.server.connections()).toBe(1)
})

describe('no connection is made', () => {
  test.each(['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1'])(
    'to a name with %s among its addresses',
    async (address) => {
      await using one = await serveAnswer(json('{}'), [...PUBLIC_ADDRESSES, address])
      await expect(one.fetch(ELSEWHERE, {})).rejects.toThrow('is not on the public Internet')
      expect(one.server.connections()).toBe(0)
    },
  )

  test.each([
    'http://images.example.com/token',
    'https://images.example.com:8443/token',
    'https://localhost/token',
    'https://10.0.0.1/token',
    'https://user:password@images.example.com/token',
  ])('to %s', async (url) => {
    await using one = await serveAnswer(json('{}'))
    await expect(one.fetch(url, {})).rejects.toThrow(
      'not its own and not an https:// address of a public server',
    )
    expect(one.server.connections()).toBe(0)
  })
})
