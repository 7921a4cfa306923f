// Actions: what the audit log records, and who acts.

/** The actor of an action. */
export type Actor =
  | { kind: 'operator'; session_id: number; address?: string | undefined }
  /** Signed in with the account's password, or with one of its keys. */
  | { kind: 'account'; session_id: number; address?: string | undefined }
  | { kind: 'key'; session_id: number; address?: string | undefined }
  /** A command, such as `key create`, and the machine's user who ran it, where that is known. */
  | { kind: 'command'; command: string; machine_user?: string | undefined }
  /** The gateway by itself: a schedule, or a file that was changed. */
  | { kind: 'system' }

/** The actor of an action, its time, and its request. A plain value. */
export interface ActionContext {
  actor: Actor
  now_ms: number
  request_id?: string | undefined
}

/** The subjects of actions, in the words of the page's filter. */
export const AREAS = {
  account: 'Accounts',
  balance: 'Balances',
  key: 'API keys',
  sign_in: 'Sign-in',
  catalogue: 'Catalogue',
  system: 'System',
} as const

export type Area = keyof typeof AREAS

/** Actions by their names, in the words of the page. A name, once released, stays. */
export const ACTIONS = {
  'account.created': { area: 'account', title: 'Account created' },
  'account.renamed': { area: 'account', title: 'Account renamed' },
  'account.changed': { area: 'account', title: 'Account details changed' },
  'account.suspended': { area: 'account', title: 'Account suspended' },
  'account.resumed': { area: 'account', title: 'Account resumed' },
  'account.closed': { area: 'account', title: 'Account closed' },
  'account.erased': { area: 'account', title: 'Personal data erased' },
  'image.deleted': { area: 'account', title: 'Image deleted' },
  'file.deleted': { area: 'account', title: 'File deleted' },
  'balance.topped_up': { area: 'balance', title: 'Funds added' },
  'balance.debited': { area: 'balance', title: 'Balance debited' },
  'key.created': { area: 'key', title: 'API key created' },
  'key.changed': { area: 'key', title: 'API key changed' },
  'key.rotated': { area: 'key', title: 'API key rotated' },
  'key.revoked': { area: 'key', title: 'API key revoked' },
  'invitation.created': { area: 'sign_in', title: 'Invitation created' },
  'operator_link.created': { area: 'sign_in', title: 'Operator sign-in link created' },
  'operator.reset': { area: 'sign_in', title: 'Operator password removed' },
  'password.set': { area: 'sign_in', title: 'Password set' },
  'password.changed': { area: 'sign_in', title: 'Password changed' },
  'session.started': { area: 'sign_in', title: 'Signed in' },
  'session.ended': { area: 'sign_in', title: 'Signed out' },
  'catalogue.saved': { area: 'catalogue', title: 'Catalogue saved' },
  'model.added': { area: 'catalogue', title: 'Model added' },
  'model.changed': { area: 'catalogue', title: 'Model changed' },
  'model.removed': { area: 'catalogue', title: 'Model removed' },
  'price.changed': { area: 'catalogue', title: 'Price changed' },
  'provider.added': { area: 'catalogue', title: 'Provider added' },
  'provider.changed': { area: 'catalogue', title: 'Provider changed' },
  'provider.removed': { area: 'catalogue', title: 'Provider removed' },
  'setting.changed': { area: 'catalogue', title: 'Setting changed' },
  'backup.created': { area: 'system', title: 'Backup created' },
  'backup.restored': { area: 'system', title: 'Backup restored' },
  'database.moved': { area: 'system', title: 'Database moved' },
  'files.moved': { area: 'system', title: 'Files moved' },
  'audit.repaired': { area: 'system', title: 'Images found again' },
} as const satisfies Record<string, { area: Area; title: string }>

export type ActionName = keyof typeof ACTIONS

/** In the words of the page. @param name of a line, which a newer version may have written */
export const titleOf = (name: string): string =>
  Object.hasOwn(ACTIONS, name) ? ACTIONS[name as ActionName].title : name

export const actionsOf = (area: Area): string[] =>
  Object.entries(ACTIONS).flatMap(([name, action]) => (action.area === area ? [name] : []))

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
