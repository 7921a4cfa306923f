// `[server] trusted_proxies`: a key's address list uses the address that trusted proxies forward, and no other header.
import { describe, expect, test } from 'bun:test'
import { answering, ask, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'

const TRUSTED = 'trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]'
const { gateway, call, recatalogue } = await fileScene({ script: answering, server: TRUSTED })
const key = await gateway.caller('10', { addresses: ['203.0.113.0/24'] })
const statusFor = async (headers: Record<string, string>) =>
  (await call(wholePath(), ask(), { key, headers })).status

describe('behind a trusted proxy', () => {
  test.each([
    ['a caller on the list', { 'x-forwarded-for': '203.0.113.7' }, 200],
    ['a caller behind two proxies', { 'x-forwarded-for': '203.0.113.7, 10.0.0.3' }, 200],
    ['a caller in Forwarded', { forwarded: 'for=203.0.113.7;proto=https' }, 200],
    ['a caller off the list', { 'x-forwarded-for': '198.51.100.1' }, 403],
    ['a caller who claims to be on the list', { 'x-forwarded-for': '203.0.113.7, 198.51.100.1' }, 403],
    [
      'a caller who claims it in the other header',
      { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=203.0.113.7' },
      403,
    ],
    ['an unknown address', { 'x-forwarded-for': 'unknown' }, 403],
    ['no header', {}, 403],
    [
      'headers that the gateway does not trust',
      { 'x-real-ip': '203.0.113.7', 'cf-connecting-ip': '203.0.113.7' },
      403,
    ],
  ])('%s: %p is %d', async (_, headers, status) => {
    expect(await statusFor(headers)).toBe(status)
  })
})

test('headers of untrusted proxies are ignored', async () => {
  await recatalogue({ server: '' })
  expect(await statusFor({ 'x-forwarded-for': '203.0.113.7' })).toBe(403)
  await recatalogue({ server: 'trusted_proxies = ["10.0.0.0/8"]' })
  expect(await statusFor({ 'x-forwarded-for': '203.0.113.7' })).toBe(403)
  await recatalogue({ server: TRUSTED })
  expect(await statusFor({ 'x-forwarded-for': '203.0.113.7' })).toBe(200)
})
