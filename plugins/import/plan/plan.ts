// The plan of an import: new rows and their names, changes since an earlier import, and rows that cannot be imported.
import { checkSettings } from '../../../src/access/key-settings.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { unseenIn } from '../../../src/utilities/visible-text.ts'
import type { IncomingAccount, IncomingKey, LeftOut, MoveIn } from '../move-in.ts'
import { TakenNames } from '../taken-names.ts'
import type { PlannedLimit } from './catalogue.ts'
import { deletedOrDisabledRows } from './deleted-rows.ts'
import { isGuessableKey } from './guessable-keys.ts'
import { accountContent, type ChangedValue, changesOf, keyContent } from './identity.ts'
import { type Known, type KnownRow, rowName } from './known.ts'
import { planLimits } from './limits.ts'
import { accountNameFor, keyNameFor } from './names.ts'
import { isSameAccount, isSameKey, refuseOtherDatabase } from './same-rows.ts'

export interface PlannedAccount {
  readonly incoming: IncomingAccount
  readonly name: string
  readonly display_name: string
  readonly email: string
  /** Its account here if an earlier import created it; its keys may be new. */
  readonly account_id: number | undefined
  /** The amount to credit; negative: a debt; 0: none, or credited before. */
  readonly balance_nanos: Nanos
  readonly keys: readonly PlannedKey[]
}

export interface PlannedKey {
  readonly incoming: IncomingKey
  readonly name: string
}

export interface Plan {
  /** The name of the import. */
  readonly source: string
  /** New accounts, and known ones with something left to import. */
  readonly accounts: readonly PlannedAccount[]
  /** Rows of accounts that exist here after the import; erased accounts excluded. */
  readonly rows_here: ReadonlySet<string>
  readonly known_accounts: number
  readonly known_keys: number
  readonly renamed: readonly Renamed[]
  readonly changed: readonly ChangedValue[]
  readonly left_out: readonly LeftOut[]
  readonly limits: readonly PlannedLimit[]
  /** Imported keys that are easy to guess. */
  readonly guessable_keys: readonly string[]
  /** Accounts without a total limit in the source, and without `--opening-balance`. */
  readonly without_balance: number
}

/** A name that had to change. */
interface Renamed {
  readonly kind: 'account' | 'key'
  readonly row: string
  readonly from: string
  readonly to: string
}

interface PlanOptions {
  /** The name of the import. */
  source: string
  /** Balance for accounts without a total limit in the source; undefined: none. */
  opening_balance_nanos: Nanos | undefined
  now_ms: number
}

/** @throws GatewayError conflict if rows of an earlier import are not from this database */
export function planAccounts(move_in: MoveIn, known: Known, options: PlanOptions): Plan {
  refuseOtherDatabase(move_in, known, options.source)
  const planner = new Planner(known, options)
  const accounts = move_in.accounts.flatMap((incoming) => planner.plan(incoming) ?? [])
  const { limits, left_out: unlimited } = planLimits(move_in, known, planner)
  const { known_accounts, known_keys, renamed, changed, left_out, guessable_keys, without_balance } = planner
  return {
    source: options.source,
    accounts,
    rows_here: new Set(planner.names.keys()),
    known_accounts,
    known_keys,
    renamed,
    changed: [...changed, ...deletedOrDisabledRows(move_in, known, options.now_ms)],
    left_out: [...move_in.left_out, ...left_out, ...unlimited],
    limits,
    guessable_keys,
    without_balance,
  }
}

class Planner {
  readonly renamed: Renamed[] = []
  readonly changed: ChangedValue[] = []
  readonly left_out: LeftOut[] = []
  readonly guessable_keys: string[] = []
  /** Names of known and new accounts, by their rows. */
  readonly names = new Map<string, string>()
  /** Rows of known and new keys. */
  readonly keys_here = new Set<string>()
  known_accounts = 0
  known_keys = 0
  without_balance = 0
  readonly #known: Known
  readonly #options: PlanOptions
  readonly #taken: TakenNames
  /** Account names of the keys' owners, by key hash. */
  readonly #hashes: Map<string, string>
  readonly #key_names: Map<number, string[]>

  constructor(known: Known, options: PlanOptions) {
    this.#known = known
    this.#options = options
    this.#taken = new TakenNames([...known.accounts.values()].map(({ name }) => name))
    this.#hashes = new Map(
      known.keys.map(({ sha256, account_id }) => [
        sha256.toString('hex'),
        known.accounts.get(account_id)?.name ?? '',
      ]),
    )
    this.#key_names = new Map()
    for (const { account_id, name, revoked_at_ms } of known.keys)
      if (revoked_at_ms === null || revoked_at_ms > options.now_ms)
        this.#key_names.set(account_id, [...(this.#key_names.get(account_id) ?? []), name])
  }

  /** @returns undefined if nothing of the account is left to import */
  plan(incoming: IncomingAccount): PlannedAccount | undefined {
    const row = this.#known.rows.get(rowName('account', incoming.source_id))
    const account = row && this.#known.accounts.get(row.account_id)
    if (row) {
      this.known_accounts += 1
      // An erased person is not imported again.
      if (row.identity === '') return undefined
      if (!isSameAccount(incoming, this.#known.rows)) {
        const reason = `Its row was that of ${account?.name} at an earlier import. Create an account by hand.`
        this.left_out.push({ kind: 'accounts', row: `${incoming.source_id} "${incoming.name}"`, reason })
        return undefined
      }
      this.changed.push(...changesOf(incoming.source_id, row, accountContent(incoming, undefined)))
    }
    const name = account?.name ?? accountNameFor(incoming.name, incoming.source_id, this.#taken)
    this.names.set(incoming.source_id, name)
    if (!account && name !== incoming.name) this.#rename('account', incoming.source_id, incoming.name, name)
    const keys = this.#planKeys(incoming, name, row)
    const balance_nanos = this.#balanceOf(incoming, row)
    if (row && keys.length === 0 && balance_nanos === 0) return undefined
    const own_name = incoming.display_name || (name === incoming.name ? '' : incoming.name)
    return {
      incoming,
      name,
      display_name: normalizeDisplayName(own_name),
      email: this.#emailOf(incoming),
      account_id: row?.account_id,
      balance_nanos,
      keys,
    }
  }

  #balanceOf({ balance_nanos }: IncomingAccount, row: KnownRow | undefined): Nanos {
    if (row?.is_settled === 1) return 0
    // The balance at the first import: the ledger does not accept another amount for the same reference.
    const first: { balance_nanos?: Nanos | null } = row ? JSON.parse(row.content) : {}
    const balance = row ? (first.balance_nanos ?? null) : balance_nanos
    const credited = balance ?? this.#options.opening_balance_nanos
    if (credited === undefined) this.without_balance += 1
    return credited ?? 0
  }

  #planKeys(account: IncomingAccount, account_name: string, row: KnownRow | undefined): PlannedKey[] {
    const taken = new TakenNames(row ? this.#key_names.get(row.account_id) : [])
    return account.keys.flatMap((incoming) => {
      const text = `${incoming.source_id} "${incoming.name}" of ${account_name}`
      if (!isSameKey(incoming, this.#known.rows)) {
        const reason = 'Its row was that of another key at an earlier import. Create a key by hand.'
        this.left_out.push({ kind: 'keys', row: text, reason })
        return []
      }
      const known_key = this.#known.rows.get(rowName('key', incoming.source_id))
      if (known_key) {
        this.known_keys += 1
        this.keys_here.add(incoming.source_id)
        this.changed.push(...changesOf(incoming.source_id, known_key, keyContent(incoming)))
        return []
      }
      const name = keyNameFor(incoming.name, incoming.source_id, taken)
      const is_closed = row !== undefined && this.#known.closed.has(row.account_id)
      const reason = is_closed ? closedReason(account_name) : this.#refusalOf(incoming, name, account_name)
      if (reason !== undefined) {
        this.left_out.push({ kind: 'keys', row: text, reason })
        return []
      }
      this.keys_here.add(incoming.source_id)
      if (isGuessableKey(incoming.sha256)) this.guessable_keys.push(text)
      if (name !== incoming.name) this.#rename('key', incoming.source_id, incoming.name, name)
      return [{ incoming, name }]
    })
  }

  /** The reason why a key cannot be imported; undefined if it can. */
  #refusalOf(
    { sha256, budgets, ...incoming }: IncomingKey,
    name: string,
    account_name: string,
  ): string | undefined {
    const { now_ms } = this.#options
    const hash = sha256.toString('hex')
    const owner = this.#hashes.get(hash)
    if (owner !== undefined) return `Account ${owner} already has a key with the same text.`
    if (incoming.expires_at_ms !== null && incoming.expires_at_ms <= now_ms) return 'It has expired.'
    try {
      checkSettings({ ...incoming, name, concurrent_calls: null }, now_ms)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      return `${thrown.message} Create a key by hand.`
    }
    this.#hashes.set(hash, account_name)
    return undefined
  }

  #rename(kind: Renamed['kind'], row: string, from: string, to: string): void {
    this.renamed.push({ kind, row, from, to })
  }

  #emailOf({ email, source_id }: IncomingAccount): string {
    const text = email.trim()
    if (text === '' || (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 && unseenIn(text) === undefined))
      return text
    const reason = 'It is not an email address. Set one with `tollgate account change`.'
    this.left_out.push({ kind: 'email addresses', row: source_id, reason })
    return ''
  }
}

const closedReason = (account_name: string): string =>
  `Its account is closed. Open it with \`tollgate account resume ${account_name}\`, and import again.`

/** Normalizes a display name as account details require it. */
const normalizeDisplayName = (text: string): string =>
  [...[...text.trim().normalize('NFC')].filter((sign) => unseenIn(sign) === undefined).join('')]
    .slice(0, 100)
    .join('')
