// Cookies, read from a request and written for a response.
import { expect, test } from 'bun:test'
import { cookieOf, setCookie } from '../../src/http/cookies.ts'

const read = (cookie: string | undefined, name = 'a') =>
  cookieOf(new Request('http://gateway/', cookie === undefined ? {} : { headers: { cookie } }), name)

test.each([
  ['a=1', '1'],
  ['b=2; a=1', '1'],
  ['b=2;a=1;c=3', '1'],
  ['a=1; a=2', '1'],
  ['a=x=y', 'x=y'],
  ['a=', ''],
  ['aa=1', undefined],
  ['b=a=1', undefined],
  ['a', undefined],
  ['', undefined],
  [undefined, undefined],
])('the cookie "a" in %p is %p', (cookie, value) => {
  expect(read(cookie)).toBe(value)
})

test('a cookie is only for this host, and hidden from scripts', () => {
  expect(setCookie({ name: '__Host-a', secure: true }, 'v', 60)).toBe(
    '__Host-a=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
  )
  expect(setCookie({ name: 'a', secure: false }, '', 0)).toBe(
    'a=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  )
})
