// The rights of roles in the console.
import { permissionDenied } from '../domain/errors.ts'
import type { SuspensionReason } from '../store/schema.ts'
import { ACCOUNT_SUSPENDED, suspendedAccount } from './suspension.ts'
import type { Viewer } from './viewer.ts'

/** The roles of the staff, of the people of an account, and of a session by key. */
export type Role = Viewer['role']

/**
 * The roles that have each right. The rows that a viewer sees depend on their side (`viewer.ts`).
 */
const RIGHTS = {
  /** To read the data of their side. */
  read: ['operator', 'support', 'auditor', 'owner', 'member', 'billing', 'key'],
  /** To read everything of all accounts. */
  read_all: ['operator', 'support', 'auditor'],
  /** To read contents of calls: texts, images, files. */
  see_contents: ['operator', 'support', 'owner', 'member', 'billing', 'key'],
  /** To end their own sessions. */
  leave: ['operator', 'support', 'auditor', 'owner', 'member', 'billing', 'key'],
  /** To change their own ways to sign in. */
  change_own_sign_in: ['operator', 'support', 'auditor', 'owner', 'member', 'billing'],
  /** To make calls that the account pays for, and to keep and delete its images and files. */
  call: ['operator', 'owner', 'member', 'key'],
  manage_keys: ['operator', 'owner', 'member'],
  /** To change the account's people and settings. */
  manage_account: ['operator', 'owner'],
  /** To see who belongs to an account. */
  see_team: ['operator', 'support', 'auditor', 'owner', 'billing'],
  /** To invite, change and remove people of an account. Not for support, who could make a person of their choice the owner of its balance. */
  manage_team: ['operator', 'owner'],
  /** To help accounts: invite their first owner, suspend and resume them. */
  help_accounts: ['operator', 'support'],
  /** To add money to accounts and refund their calls; support within a limit that the operator sets. */
  credit: ['operator', 'support'],
  /** To pay for an account: orders and saved cards. */
  pay: ['operator', 'owner', 'billing'],
  /** To buy plans, redeem vouchers, and have the account topped up automatically. */
  buy: ['operator', 'owner', 'billing'],
  /** To see what an account has paid, and how. */
  see_payments: ['operator', 'support', 'auditor', 'owner', 'billing'],
  /** To change everything else. */
  operate: ['operator'],
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof RIGHTS

export const RIGHT_NAMES = Object.keys(RIGHTS) as Right[]

/**
 * The rights of their role that people of a suspended account keep: to read and export, to pay, and to manage their own sign-in. Rights to make
 * calls or to add to the account return when it is resumed.
 */
const KEPT_WHILE_SUSPENDED: ReadonlySet<Right> = new Set<Right>([
  'read',
  'see_contents',
  'see_team',
  'see_payments',
  'leave',
  'change_own_sign_in',
  'pay',
])

/** A role in an account that may be suspended. */
interface RoleHolder {
  role: Role
  suspended_for?: SuspensionReason | undefined
}

/** Whether a viewer has a right. */
export const may = ({ role, suspended_for }: RoleHolder, right: Right): boolean =>
  hasRight(role, right) && (suspended_for === undefined || KEPT_WHILE_SUSPENDED.has(right))

const hasRight = (role: Role, right: Right): boolean => (RIGHTS[right] as readonly Role[]).includes(role)

/** @throws GatewayError permission_denied, with a message on who may do it, or what a suspended account has to do first */
export function requireRight(viewer: Viewer, right: Right): void {
  if (!hasRight(viewer.role, right))
    throw permissionDenied(refusalOf(viewer, right), { code: 'role_may_not' })
  if (viewer.side === 'account' && !may(viewer, right))
    throw suspendedAccount(viewer.suspended_for, ACCOUNT_SUSPENDED)
}

const refusalOf = ({ side, role }: Viewer, right: Right): string => {
  if (side === 'operator') return `Your role is ${role}, which may not do this. Ask an operator.`
  if (!hasRight('owner', right)) return 'Only an operator can do this. Ask the operator of this gateway.'
  return side === 'key'
    ? 'You signed in with an API key, which may not do this. Sign in with the account’s password.'
    : `Your role in this account is ${role}, which may not do this. Ask an owner of the account.`
}
