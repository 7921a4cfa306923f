// Users as accounts with their keys: balances by quota, sign-ins by email and bcrypt; lists what is not imported.

import { formatUsd, NANOS_PER_USD } from '../../../src/domain/money.ts'
import type { IncomingAccount, IncomingKey, IncomingPriceGroup, LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { nanosOfQuota } from './fraction.ts'
import { SourceGroups } from './groups.ts'
import { DEFAULT_GROUP, type Settings } from './options.ts'
import { readToken } from './tokens.ts'
import { isSet, textOf, wholeOf } from './values.ts'

/** States of a user in both programs: common/constants.go of new-api, model/user.go of one-api. */
const [ENABLED, DISABLED, DELETED] = [1, 2, 3]
const ADMINISTRATOR = 10

const BCRYPT = /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

interface Users {
  readonly accounts: readonly IncomingAccount[]
  /** Groups that pay another ratio than the imported prices. */
  readonly price_groups: readonly IncomingPriceGroup[]
  readonly left_out: readonly LeftOut[]
}

interface UserParts {
  readonly users: AsyncIterable<SourceRow>
  readonly tokens: AsyncIterable<SourceRow>
  readonly settings: Settings
  readonly now_ms: number
}

export async function readUsers({ users, tokens, settings, now_ms }: UserParts): Promise<Users> {
  const left_out: LeftOut[] = []
  const groups = new SourceGroups(settings)
  const accounts = new Map<number, IncomingAccount & { keys: IncomingKey[] }>()
  const groups_of_users = new Map<number, string>()
  const skipped = new Set<number>()
  for await (const row of users) {
    const id = wholeOf(row, 'id')
    const fault = invalidReason(row)
    if (fault === undefined) {
      const group = textOf(row, 'group') || DEFAULT_GROUP
      const price_group = groups.nameOf(group)
      accounts.set(id, {
        ...accountOf(row, settings),
        ...(price_group === undefined ? {} : { price_group }),
        keys: [],
      })
      left_out.push(...partsLeftOut(row, settings))
      groups_of_users.set(id, group)
      groups.add(group, 'users')
    } else {
      skipped.add(id)
      const balance = balanceOf(row, settings)
      const money = balance === 0 ? '' : ` Its balance is ${formatUsd(balance)} USD.`
      left_out.push({ kind: 'users', row: labelOf(row), reason: fault + money })
    }
  }
  for await (const row of tokens) {
    const user = wholeOf(row, 'user_id')
    const account = accounts.get(user)
    if (!account) {
      const reason = skipped.has(user) ? 'Its user is not imported.' : 'Its user does not exist.'
      left_out.push({ kind: 'keys', row: `token ${wholeOf(row, 'id')} of user ${user}`, reason })
      continue
    }
    const read = readToken(row, `user ${user}`, { ...settings, now_ms })
    if ('left_out' in read) left_out.push(read.left_out)
    else {
      account.keys.push(read.key)
      const group = textOf(row, 'group')
      if (group !== '' && group !== groups_of_users.get(user)) groups.add(group, 'keys')
    }
  }
  return {
    accounts: [...accounts.values()],
    price_groups: groups.all,
    left_out: [...left_out, ...groups.leftOut()],
  }
}

const labelOf = (row: SourceRow): string => `user ${wholeOf(row, 'id')} "${textOf(row, 'username')}"`

const balanceOf = (row: SourceRow, { quota_per_usd }: Settings): number =>
  nanosOfQuota(wholeOf(row, 'quota'), quota_per_usd)

/**
 * A higher balance cannot be paid money, and several such balances exceed the largest safe integer. The first user of each one-api has
 * 1,000,000,000 USD (model/main.go).
 */
const MAX_BALANCE_NANOS = 1_000_000 * NANOS_PER_USD

function invalidReason(row: SourceRow): string | undefined {
  if (isSet(row.deleted_at)) return 'It is deleted.'
  const status = wholeOf(row, 'status')
  if (status === DELETED) return 'It is deleted.'
  return status === ENABLED || status === DISABLED ? undefined : `Its status is ${status}, which is unknown.`
}

function accountOf(row: SourceRow, settings: Settings): IncomingAccount {
  const [name, password, email] = [textOf(row, 'username'), textOf(row, 'password'), textOf(row, 'email')]
  return {
    source_id: `user ${wholeOf(row, 'id')}`,
    name,
    display_name: textOf(row, 'display_name') || name,
    email: EMAIL.test(email) ? email : '',
    status: wholeOf(row, 'status') === ENABLED ? 'active' : 'suspended',
    balance_nanos: isCredited(row, settings) ? balanceOf(row, settings) : 0,
    password_hash: BCRYPT.test(password) ? password : null,
    budgets: {},
    limits: {},
    keys: [],
  }
}

const isCredited = (row: SourceRow, settings: Settings): boolean =>
  balanceOf(row, settings) <= MAX_BALANCE_NANOS

function partsLeftOut(row: SourceRow, settings: Settings): LeftOut[] {
  const { quota_per_usd } = settings
  const email = textOf(row, 'email')
  const referral = wholeOf(row, 'aff_quota')
  const usd = formatUsd(nanosOfQuota(referral, quota_per_usd))
  const parts: (readonly [kind: string, reason: string | false])[] = [
    [
      'mail addresses',
      email !== '' &&
        !EMAIL.test(email) &&
        'It is not an email address. Send the person a sign-in link yourself.',
    ],
    [
      'referral balances',
      referral > 0 &&
        `${usd} USD of referral rewards are not part of the balance. Have the user transfer them in the source first, or top up by hand.`,
    ],
    [
      'balances',
      !isCredited(row, settings) &&
        'It is more than 1,000,000 USD, and nothing of it is added: top up by hand what the user may spend.',
    ],
    [
      'administrators',
      wholeOf(row, 'role') >= ADMINISTRATOR &&
        'Imported as a paying account, without operator rights. The operator signs in with a separate password.',
    ],
  ]
  return parts.flatMap(([kind, reason]) => (reason === false ? [] : [{ kind, row: labelOf(row), reason }]))
}
