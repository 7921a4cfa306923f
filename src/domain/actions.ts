// Actions of the audit log, and their actors.

/** The actor of an action. */
export type Actor =
  | {
      kind: 'operator' | 'account' | 'key'
      session_id: number
      /** Undefined for a key. */
      person_id?: number | undefined
      address?: string | undefined
    }
  /** A command, such as `key create`, and the machine's user who ran it, if known. */
  | { kind: 'command'; command: string; machine_user?: string | undefined }
  /** The gateway itself, by a schedule or a changed file. */
  | { kind: 'system' }

/** The actor of an action, its time, and its request. A plain value. */
export interface ActionContext {
  actor: Actor
  now_ms: number
  request_id?: string | undefined
}

/** The subjects of actions, with their labels in the page's filter. */
export const AREAS = {
  account: 'Accounts',
  balance: 'Balances',
  key: 'API keys',
  sign_in: 'Sign-in',
  staff: 'Staff',
  catalogue: 'Catalogue',
  system: 'System',
} as const

export type Area = keyof typeof AREAS

interface DescribedAction {
  area: Area
  title: string
  /**
   * The fields of `before` and `after` that an account sees in its own audit log, which always shows the action itself. Notes of the
   * operator about an account are excluded. For actions without an account: `no fields`.
   */
  accounts_see: 'all fields' | 'no fields' | { all_but: readonly string[] }
}

/** Actions by name, with their titles on the page. A released name never changes. */
const ACTIONS = {
  'account.created': { area: 'account', title: 'Account created', accounts_see: 'all fields' },
  'account.signed_up': { area: 'account', title: 'Signed up', accounts_see: 'all fields' },
  'account.referred': { area: 'account', title: 'Signed up by a referral', accounts_see: 'no fields' },
  'terms.accepted': { area: 'account', title: 'Terms accepted', accounts_see: 'all fields' },
  'account.renamed': { area: 'account', title: 'Account renamed', accounts_see: 'all fields' },
  'account.changed': {
    area: 'account',
    title: 'Account details changed',
    accounts_see: { all_but: ['display_name', 'email', 'note'] },
  },
  'account.price_group_changed': {
    area: 'account',
    title: 'Price group changed',
    accounts_see: 'all fields',
  },
  'account.limited': { area: 'account', title: 'Spend limits changed', accounts_see: 'all fields' },
  'account.suspended': { area: 'account', title: 'Account suspended', accounts_see: 'all fields' },
  'account.resumed': { area: 'account', title: 'Account resumed', accounts_see: 'all fields' },
  'account.closed': { area: 'account', title: 'Account closed', accounts_see: 'all fields' },
  'account.erased': { area: 'account', title: 'Personal data erased', accounts_see: 'all fields' },
  'image.deleted': { area: 'account', title: 'Image deleted', accounts_see: 'all fields' },
  'file.deleted': { area: 'account', title: 'File deleted', accounts_see: 'all fields' },
  'balance.topped_up': { area: 'balance', title: 'Funds added', accounts_see: 'all fields' },
  'balance.debited': { area: 'balance', title: 'Balance debited', accounts_see: 'all fields' },
  'balance.debt_opened': { area: 'balance', title: 'Debt recorded', accounts_see: 'all fields' },
  'plan.begun': { area: 'balance', title: 'Plan started', accounts_see: 'all fields' },
  'plan.renewed': { area: 'balance', title: 'Plan renewed', accounts_see: 'all fields' },
  'plan.changed': { area: 'balance', title: 'Next plan chosen', accounts_see: 'all fields' },
  'plan.cancelled': { area: 'balance', title: 'Plan cancelled', accounts_see: 'all fields' },
  'plan.kept': { area: 'balance', title: 'Plan kept', accounts_see: 'all fields' },
  'plan.payment_changed': { area: 'balance', title: 'Plan payment changed', accounts_see: 'all fields' },
  'plan.ended': { area: 'balance', title: 'Plan ended', accounts_see: 'all fields' },
  'order.created': { area: 'balance', title: 'Order created', accounts_see: 'all fields' },
  'order.cancelled': { area: 'balance', title: 'Order cancelled', accounts_see: 'all fields' },
  'order.marked_paid': { area: 'balance', title: 'Order marked as paid', accounts_see: 'all fields' },
  'order.refunded': { area: 'balance', title: 'Payment refunded', accounts_see: 'all fields' },
  'automatic_top_up.changed': {
    area: 'balance',
    title: 'Automatic top-up changed',
    accounts_see: 'all fields',
  },
  'automatic_top_up.ended': {
    area: 'balance',
    title: 'Automatic top-up turned off',
    accounts_see: 'all fields',
  },
  'card.saved': { area: 'balance', title: 'Card saved', accounts_see: 'all fields' },
  'card.removed': { area: 'balance', title: 'Card removed', accounts_see: 'all fields' },
  'customer.deleted': { area: 'balance', title: 'Customer deleted at Stripe', accounts_see: 'all fields' },
  'voucher.created': { area: 'balance', title: 'Vouchers created', accounts_see: 'no fields' },
  'voucher.revoked': { area: 'balance', title: 'Vouchers revoked', accounts_see: 'no fields' },
  'call.refunded': { area: 'balance', title: 'Call refunded', accounts_see: 'all fields' },
  'key.created': { area: 'key', title: 'API key created', accounts_see: 'all fields' },
  'key.imported': { area: 'key', title: 'API key imported', accounts_see: 'all fields' },
  'key.changed': { area: 'key', title: 'API key changed', accounts_see: 'all fields' },
  'key.rotated': { area: 'key', title: 'API key rotated', accounts_see: 'all fields' },
  'key.revoked': { area: 'key', title: 'API key revoked', accounts_see: 'all fields' },
  'invitation.created': { area: 'sign_in', title: 'Invitation created', accounts_see: 'all fields' },
  'member.invited': { area: 'sign_in', title: 'Person invited', accounts_see: 'all fields' },
  'member.joined': { area: 'sign_in', title: 'Person joined', accounts_see: 'all fields' },
  'member.changed': { area: 'sign_in', title: 'Role of a person changed', accounts_see: 'all fields' },
  'member.limited': {
    area: 'sign_in',
    title: 'Spend limits of a person changed',
    accounts_see: 'all fields',
  },
  'member.removed': { area: 'sign_in', title: 'Person removed', accounts_see: 'all fields' },
  'invitation.revoked': { area: 'sign_in', title: 'Invitation revoked', accounts_see: 'all fields' },
  'key.handed_over': { area: 'key', title: 'API key handed over', accounts_see: 'all fields' },
  'session.switched': { area: 'sign_in', title: 'Account switched', accounts_see: 'all fields' },
  'sign_up.invited': { area: 'sign_in', title: 'Invitation to sign up created', accounts_see: 'no fields' },
  'sign_up.invitation_revoked': {
    area: 'sign_in',
    title: 'Invitation to sign up revoked',
    accounts_see: 'no fields',
  },
  'operator_link.created': {
    area: 'sign_in',
    title: 'Operator sign-in link created',
    accounts_see: 'no fields',
  },
  'sign_in_link.mailed': { area: 'sign_in', title: 'Sign-in link mailed', accounts_see: 'all fields' },
  'person.renamed': { area: 'sign_in', title: 'Person renamed', accounts_see: 'all fields' },
  'person.email_changed': { area: 'sign_in', title: 'Email address changed', accounts_see: 'all fields' },
  'operator.reset': { area: 'sign_in', title: 'Operator password removed', accounts_see: 'no fields' },
  'password.set': { area: 'sign_in', title: 'Password set', accounts_see: 'all fields' },
  'password.changed': { area: 'sign_in', title: 'Password changed', accounts_see: 'all fields' },
  'identity.linked': { area: 'sign_in', title: 'Identity linked', accounts_see: 'all fields' },
  'identity.unlinked': { area: 'sign_in', title: 'Identity unlinked', accounts_see: 'all fields' },
  'passkey.added': { area: 'sign_in', title: 'Passkey added', accounts_see: 'all fields' },
  'passkey.renamed': { area: 'sign_in', title: 'Passkey renamed', accounts_see: 'all fields' },
  'passkey.removed': { area: 'sign_in', title: 'Passkey removed', accounts_see: 'all fields' },
  'passkey.refused': { area: 'sign_in', title: 'Copied passkey refused', accounts_see: 'all fields' },
  'session.started': { area: 'sign_in', title: 'Signed in', accounts_see: 'all fields' },
  'session.confirmed': { area: 'sign_in', title: 'Sign-in confirmed', accounts_see: 'all fields' },
  'session.ended': { area: 'sign_in', title: 'Signed out', accounts_see: 'all fields' },
  'staff.added': { area: 'staff', title: 'Staff added', accounts_see: 'no fields' },
  'staff.changed': { area: 'staff', title: 'Staff changed', accounts_see: 'no fields' },
  'staff.removed': { area: 'staff', title: 'Staff removed', accounts_see: 'no fields' },
  'person.disabled': { area: 'staff', title: 'Person disabled', accounts_see: 'no fields' },
  'person.enabled': { area: 'staff', title: 'Person enabled', accounts_see: 'no fields' },
  'catalogue.saved': { area: 'catalogue', title: 'Configuration saved', accounts_see: 'no fields' },
  'model.added': { area: 'catalogue', title: 'Model added', accounts_see: 'no fields' },
  'model.changed': { area: 'catalogue', title: 'Model changed', accounts_see: 'no fields' },
  'model.removed': { area: 'catalogue', title: 'Model removed', accounts_see: 'no fields' },
  'price.changed': { area: 'catalogue', title: 'Price changed', accounts_see: 'no fields' },
  'price_group.added': { area: 'catalogue', title: 'Price group added', accounts_see: 'no fields' },
  'price_group.changed': { area: 'catalogue', title: 'Price group changed', accounts_see: 'no fields' },
  'price_group.removed': { area: 'catalogue', title: 'Price group removed', accounts_see: 'no fields' },
  'provider.added': { area: 'catalogue', title: 'Provider added', accounts_see: 'no fields' },
  'provider.changed': { area: 'catalogue', title: 'Provider changed', accounts_see: 'no fields' },
  'provider.removed': { area: 'catalogue', title: 'Provider removed', accounts_see: 'no fields' },
  'setting.changed': { area: 'catalogue', title: 'Setting changed', accounts_see: 'no fields' },
  'incident.opened': { area: 'system', title: 'Incident opened', accounts_see: 'no fields' },
  'incident.updated': { area: 'system', title: 'Incident updated', accounts_see: 'no fields' },
  'incident.resolved': { area: 'system', title: 'Incident resolved', accounts_see: 'no fields' },
  'backup.created': { area: 'system', title: 'Backup created', accounts_see: 'no fields' },
  'backup.restored': { area: 'system', title: 'Backup restored', accounts_see: 'no fields' },
  'database.moved': { area: 'system', title: 'Database moved', accounts_see: 'no fields' },
  'files.moved': { area: 'system', title: 'Files moved', accounts_see: 'no fields' },
  'mail.retried': { area: 'system', title: 'Mail sent again', accounts_see: 'no fields' },
  'mail.deleted': { area: 'system', title: 'Mail deleted', accounts_see: 'no fields' },
  'audit.repaired': { area: 'system', title: 'Missing images restored', accounts_see: 'no fields' },
} as const satisfies Record<string, DescribedAction>

export type ActionName = keyof typeof ACTIONS

/** Returns an action's title. @param name may be unknown, written by a newer version */
export const titleOf = (name: string): string =>
  Object.hasOwn(ACTIONS, name) ? ACTIONS[name as ActionName].title : name

/** Whether an account sees a field of an action in its own audit log. @param name if unknown, written by a newer version, it sees none */
export function isForAccounts(name: string, field: string): boolean {
  if (!Object.hasOwn(ACTIONS, name)) return false
  const { accounts_see }: DescribedAction = ACTIONS[name as ActionName]
  if (typeof accounts_see === 'object') return !accounts_see.all_but.includes(field)
  return accounts_see === 'all fields'
}

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

/** The maximum length of the JSON of `before` and of `after`. */
export const MAX_FIELDS_CHARS = 4_000
const MAX_TEXT_CHARS = 500
const MAX_ITEMS = 20

/** Writes fields as JSON within the maximum: long texts and lists are cut, and excess fields are only counted. */
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
