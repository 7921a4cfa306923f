// The claims of a provider: the identity of a person, and the conditions for a verified address.
import { describe, expect, test } from 'bun:test'
import { readClaims } from '../../plugins/identity-providers/claims.ts'
import type { EmailTrust } from '../../plugins/identity-providers/presets.ts'

const WHO = { iss: 'https://id.example', sub: '7' }
const verifiedEmail = (trust: EmailTrust, claims: Record<string, unknown>) =>
  readClaims({ ...WHO, ...claims }, trust)?.verified_email

test.each([
  ['claim', { email: 'Anna@Example.com', email_verified: true }, 'anna@example.com'],
  ['claim', { email: 'anna@example.com' }, undefined],
  ['claim', { email: 'anna@example.com', email_verified: 'true' }, undefined],
  ['claim', { email: 'anna@example.com', email_verified: false }, undefined],
  ['claim', { email_verified: true }, undefined],
  ['claim', { email: 'anna', email_verified: true }, undefined],
  ['claim', { email: ' anna@example.com', email_verified: true }, undefined],
  // Google vouches only for its own addresses and those of its Workspace: others may have changed hands since its check.
  ['google', { email: 'anna@gmail.com', email_verified: true }, 'anna@gmail.com'],
  ['google', { email: 'anna@example.com', email_verified: true, hd: 'example.com' }, 'anna@example.com'],
  ['google', { email: 'anna@example.com', email_verified: true }, undefined],
  ['google', { email: 'anna@example.com', email_verified: true, hd: 'other.example' }, undefined],
  ['google', { email: 'anna@gmail.com', email_verified: false }, undefined],
  // Entra ID reports any address that an administrator of any tenant has written (https://www.descope.com/blog/post/noauth).
  ['microsoft', { email: 'anna@example.com', email_verified: true }, undefined],
  ['microsoft', { email: 'anna@example.com', xms_edov: true }, 'anna@example.com'],
  ['microsoft', { email: 'anna@example.com', xms_edov: '1' }, 'anna@example.com'],
  ['microsoft', { email: 'anna@example.com', xms_edov: 'true' }, undefined],
  ['microsoft', { email: 'anna@example.com', xms_edov: false }, undefined],
  ['microsoft', { email: 'anna@example.com' }, undefined],
] as const)('by the rule of %s, %j has the verified address %p', (trust, claims, address) => {
  expect(verifiedEmail(trust, claims)).toBe(address)
})

test('an unverified address is kept for people to read', () => {
  expect(readClaims({ ...WHO, email: 'Anna@Example.com' }, 'claim')?.email).toBe('Anna@Example.com')
  expect(readClaims({ ...WHO, email: `${'x'.repeat(300)}@example.com` }, 'claim')?.email).toBeUndefined()
})

test('an address and its verification must come from the same answer', () => {
  const claims = { ...WHO, email_verified: true }
  expect(readClaims(claims, 'claim', { sub: '7', email: 'anna@example.com' })?.verified_email).toBeUndefined()
})

describe('no identity is read from', () => {
  test.each([
    { sub: '7' },
    { iss: 'x' },
    { iss: 'x', sub: '' },
    { iss: 'x', sub: 7 },
    { iss: 'x', sub: 'x'.repeat(256) },
  ])('%j', (claims) => {
    expect(readClaims(claims, 'claim')).toBeUndefined()
  })
})
