// What is taken of a provider's claims: who somebody is, and which address counts as checked.
import { describe, expect, test } from 'bun:test'
import { readClaims } from '../../plugins/identity-providers/claims.ts'
import type { EmailTrust } from '../../plugins/identity-providers/presets.ts'

const WHO = { iss: 'https://id.example', sub: '7' }
const verified = (trust: EmailTrust, told: Record<string, unknown>) =>
  readClaims({ ...WHO, ...told }, trust)?.verified_email

test.each([
  ['claim', { email: 'Anna@Example.com', email_verified: true }, 'anna@example.com'],
  ['claim', { email: 'anna@example.com' }, undefined],
  ['claim', { email: 'anna@example.com', email_verified: 'true' }, undefined],
  ['claim', { email: 'anna@example.com', email_verified: false }, undefined],
  ['claim', { email_verified: true }, undefined],
  ['claim', { email: 'anna', email_verified: true }, undefined],
  ['claim', { email: ' anna@example.com', email_verified: true }, undefined],
  // Google answers for its own addresses and for those of its Workspace alone: others may have changed hands since it looked.
  ['google', { email: 'anna@gmail.com', email_verified: true }, 'anna@gmail.com'],
  ['google', { email: 'anna@example.com', email_verified: true, hd: 'example.com' }, 'anna@example.com'],
  ['google', { email: 'anna@example.com', email_verified: true }, undefined],
  ['google', { email: 'anna@example.com', email_verified: true, hd: 'other.example' }, undefined],
  ['google', { email: 'anna@gmail.com', email_verified: false }, undefined],
  // Entra ID tells whatever an administrator of any tenant has written (https://www.descope.com/blog/post/noauth).
  ['microsoft', { email: 'anna@example.com', email_verified: true }, undefined],
  ['microsoft', { email: 'anna@example.com', xms_edov: true }, 'anna@example.com'],
  ['microsoft', { email: 'anna@example.com', xms_edov: '1' }, 'anna@example.com'],
  ['microsoft', { email: 'anna@example.com', xms_edov: 'true' }, undefined],
  ['microsoft', { email: 'anna@example.com', xms_edov: false }, undefined],
  ['microsoft', { email: 'anna@example.com' }, undefined],
] as const)('by the rule of %s, %j has the checked address %p', (trust, told, address) => {
  expect(verified(trust, told)).toBe(address)
})

test('an address is told for people to read, checked or not', () => {
  expect(readClaims({ ...WHO, email: 'Anna@Example.com' }, 'claim')?.email).toBe('Anna@Example.com')
  expect(readClaims({ ...WHO, email: `${'x'.repeat(300)}@example.com` }, 'claim')?.email).toBeUndefined()
})

test('address and check are of one answer: one of each says what nobody has said', () => {
  const claims = { ...WHO, email_verified: true }
  expect(readClaims(claims, 'claim', { sub: '7', email: 'anna@example.com' })?.verified_email).toBeUndefined()
})

describe('nobody is', () => {
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
