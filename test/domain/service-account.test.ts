// Files of service accounts: the fields of a valid one, and the errors of others, which contain no secret.
import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { isServiceAccount, readServiceAccount } from '../../src/domain/service-account.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { ACCOUNT, accountFile, PRIVATE_KEY, PROJECT } from '../support/google.ts'

const file = (changes: JsonObject = {}) => accountFile('http://127.0.0.1:1', changes)

test('a valid file is read', () => {
  expect(readServiceAccount(file())).toEqual({
    client_email: ACCOUNT,
    private_key: PRIVATE_KEY,
    private_key_id: '0123456789abcdef0123456789abcdef01234567',
    project_id: PROJECT,
    token_uri: 'http://127.0.0.1:1/token',
  })
})

test('a file without token_uri uses Google’s', () => {
  expect(readServiceAccount(file({ token_uri: '' }))).toMatchObject({
    token_uri: 'https://oauth2.googleapis.com/token',
  })
})

const { privateKey: curve } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

describe('an unusable file', () => {
  test.each([
    ['cut', file().slice(0, 900), 'must be the whole JSON file'],
    ['a list', '[]', 'must be the key of a service account'],
    ['a person’s login', file({ type: 'authorized_user' }), 'not of type "authorized_user"'],
    ['no type', '{}', 'must be the key of a service account'],
    ['no email', file({ client_email: '' }), 'must have client_email, private_key and project_id'],
    ['no key', file({ private_key: null }), 'must have client_email, private_key and project_id'],
    ['no project', file({ project_id: 5 }), 'must have client_email, private_key and project_id'],
    [
      'a key that was cut',
      file({ private_key: PRIVATE_KEY.slice(0, 700) }),
      'private_key that is cut or changed',
    ],
    ['an elliptic-curve key', file({ private_key: curve }), 'must have an RSA key'],
    [
      'an address without TLS',
      file({ token_uri: 'http://token.example/token' }),
      'token_uri that is no https address',
    ],
    ['not an address', file({ token_uri: 'token' }), 'token_uri that is no https address'],
  ])('%s', (_, text, problem) => {
    const read = readServiceAccount(text)
    expect(read).toEqual({ problem: expect.stringContaining(problem) })
    expect(JSON.stringify(read)).not.toContain(PRIVATE_KEY.split('\n')[1] ?? '')
  })
})

test.each([
  ['{"type": "service_account"}', true],
  ['AIzaSyD-0123456789', false],
  ['', false],
])('%s is a service account: %p', (key, expected) => {
  expect(isServiceAccount(key)).toBe(expected)
})
