// Actions: what the log of activity records, and who acts.

/** Who did something. */
export type Actor =
  | { kind: 'operator'; session_id: number; address?: string | undefined }
  /** Signed in with the account's password, or with one of its keys. */
  | { kind: 'account'; session_id: number; address?: string | undefined }
  | { kind: 'key'; session_id: number; address?: string | undefined }
  /** A command, such as `key create`, and the machine's user who ran it, where that is known. */
  | { kind: 'command'; command: string; machine_user?: string | undefined }
  /** The gateway by itself: a schedule, or a file that was changed. */
  | { kind: 'system' }

/** Who does something, when, and in which request. A plain value: it crosses to the ledger's thread. */
export interface By {
  actor: Actor
  now_ms: number
  request_id?: string | undefined
}

/** Actions by their names, in the words of the page. A name, once released, stays. */
export const ACTIONS = {
  'account.created': 'Account created',
  'account.renamed': 'Account renamed',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.closed': 'Account closed',
  'account.erased': 'Personal data erased',
  'balance.topped_up': 'Funds added',
  'balance.debited': 'Balance debited',
  'key.created': 'API key created',
  'key.changed': 'API key changed',
  'key.rotated': 'API key rotated',
  'key.revoked': 'API key revoked',
  'invitation.created': 'Invitation created',
  'operator_link.created': 'Operator sign-in link created',
  'operator.reset': 'Operator password removed',
  'password.set': 'Password set',
  'password.changed': 'Password changed',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'catalogue.saved': 'Catalogue saved',
  'model.added': 'Model added',
  'model.changed': 'Model changed',
  'model.removed': 'Model removed',
  'price.changed': 'Price changed',
  'provider.added': 'Provider added',
  'provider.changed': 'Provider changed',
  'provider.removed': 'Provider removed',
  'setting.changed': 'Setting changed',
  'backup.created': 'Backup created',
  'backup.restored': 'Backup restored',
  'audit.repaired': 'Images found again',
} as const

export type ActionName = keyof typeof ACTIONS

/** The fields that changed, by name. Never a secret. */
export type Fields = Readonly<Record<string, unknown>>

/** An action that was taken. */
export interface Action {
  action: ActionName
  account_id?: number | undefined
  key_id?: number | undefined
  /** The name of a model, provider, setting or backup. */
  subject?: string | undefined
  before?: Fields | undefined
  after?: Fields | undefined
}

/** Of the text of `before` and of `after`. */
export const MAX_FIELDS_CHARS = 4_000
const MAX_TEXT_CHARS = 500
const MAX_ITEMS = 20

/** Fields as JSON within a bound: long texts and lists are cut, and fields that are too much are counted. */
export function boundedJson(fields: Fields): string {
  const kept: Record<string, unknown> = {}
  let chars = 2
  let dropped = 0
  for (const [name, value] of Object.entries(fields)) {
    const cut = cutValue(value)
    const added = JSON.stringify({ [name]: cut }).length
    if (chars + added > MAX_FIELDS_CHARS - 40) dropped += 1
    else {
      kept[name] = cut
      chars += added
    }
  }
  return JSON.stringify(dropped === 0 ? kept : { ...kept, '…': `${dropped} more` })
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value
  if (Array.isArray(value) && value.length > MAX_ITEMS)
    return [...value.slice(0, MAX_ITEMS), `… ${value.length - MAX_ITEMS} more`]
  return value
}
