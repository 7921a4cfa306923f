// The rights of each role at the console, and the message of a refusal.
import { describe, expect, test } from 'bun:test'
import { may, RIGHT_NAMES, type Role, requireRight } from '../../src/access/rights.ts'
import type { Viewer } from '../../src/access/viewer.ts'

const OF_STAFF = { side: 'operator', session_id: 1, person_id: 1 } as const
const OF_ACCOUNT = {
  side: 'account',
  session_id: 1,
  person_id: 1,
  account_id: 1,
  account: 'ada',
  sees: 'account',
} as const
const VIEWERS: Readonly<Record<Role, Viewer>> = {
  operator: { ...OF_STAFF, role: 'operator' },
  support: { ...OF_STAFF, role: 'support' },
  auditor: { ...OF_STAFF, role: 'auditor' },
  owner: { ...OF_ACCOUNT, role: 'owner' },
  member: { ...OF_ACCOUNT, role: 'member' },
  billing: { ...OF_ACCOUNT, role: 'billing' },
  key: { side: 'key', role: 'key', session_id: 1, account_id: 1, account: 'ada', key_id: 1, sees: 'account' },
}

describe('a role', () => {
  test.each([
    ['operator', RIGHT_NAMES],
    [
      'support',
      [
        'read',
        'read_all',
        'see_contents',
        'leave',
        'change_own_sign_in',
        'see_team',
        'help_accounts',
        'credit',
        'see_payments',
      ],
    ],
    ['auditor', ['read', 'read_all', 'leave', 'change_own_sign_in', 'see_team', 'see_payments']],
    [
      'owner',
      [
        'read',
        'see_contents',
        'leave',
        'change_own_sign_in',
        'call',
        'manage_keys',
        'manage_account',
        'see_team',
        'manage_team',
        'pay',
        'buy',
        'see_payments',
      ],
    ],
    ['member', ['read', 'see_contents', 'leave', 'change_own_sign_in', 'call', 'manage_keys']],
    [
      'billing',
      ['read', 'see_contents', 'leave', 'change_own_sign_in', 'see_team', 'pay', 'buy', 'see_payments'],
    ],
    ['key', ['read', 'see_contents', 'leave', 'call']],
  ] as const)('%s', (role, rights) => {
    expect(RIGHT_NAMES.filter((right) => may(VIEWERS[role], right))).toEqual([...rights])
  })
})

test.each([
  ['auditor', 'operate', 'Your role is auditor, which may not do this. Ask an operator.'],
  ['support', 'operate', 'Your role is support, which may not do this. Ask an operator.'],
  ['owner', 'operate', 'Only an operator can do this. Ask the operator of this gateway.'],
  ['key', 'read_all', 'Only an operator can do this. Ask the operator of this gateway.'],
  [
    'billing',
    'manage_keys',
    'Your role in this account is billing, which may not do this. Ask an owner of the account.',
  ],
  [
    'member',
    'pay',
    'Your role in this account is member, which may not do this. Ask an owner of the account.',
  ],
  ['auditor', 'pay', 'Your role is auditor, which may not do this. Ask an operator.'],
  [
    'key',
    'see_payments',
    'You signed in with an API key, which may not do this. Sign in with the account’s password.',
  ],
  [
    'member',
    'manage_account',
    'Your role in this account is member, which may not do this. Ask an owner of the account.',
  ],
  [
    'key',
    'manage_keys',
    'You signed in with an API key, which may not do this. Sign in with the account’s password.',
  ],
] as const)('the refusal of %s names the role with the right to %s', (role, right, message) => {
  expect(() => requireRight(VIEWERS[role], right)).toThrow(
    expect.objectContaining({ kind: 'permission_denied', message }),
  )
})
