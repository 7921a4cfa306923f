// The report of an import as a value: imported rows with their names, rows left out with reasons, and the shadow bill.
import { existsSync } from 'node:fs'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import type { AppliedImport, ImportFiles } from './apply/apply.ts'
import type { CatalogueImport } from './apply/catalogue.ts'
import { secretsOf } from './apply/env-file.ts'
import type { HistorySums } from './apply/history.ts'
import { needsLink } from './apply/links.ts'
import type { IncomingKey, IncomingVouchers, LeftOut, ShadowBillRow } from './move-in.ts'
import { prefixOf } from './plan/identity.ts'
import type { Plan } from './plan/plan.ts'

interface ReportParts {
  plan: Plan
  catalogue: CatalogueImport
  vouchers: IncomingVouchers
  history: HistorySums
  shadow_bill: readonly ShadowBillRow[]
  /** The address of the source, without its password. */
  database: string
  files: ImportFiles
  /** Undefined for a dry run. */
  applied: AppliedImport | undefined
}

export type Report = ReturnType<typeof reportOf>

/** Builds the report. Amounts are in nano-dollars, and in USD as text. */
export function reportOf({
  plan,
  catalogue,
  vouchers,
  history,
  shadow_bill,
  database,
  files,
  applied,
}: ReportParts) {
  const { accounts, renamed, changed } = plan
  const fresh = accounts.filter(({ account_id }) => account_id === undefined)
  const balances = accounts.map(({ balance_nanos }) => balance_nanos)
  return {
    source: plan.source,
    database,
    applied: applied !== undefined,
    accounts: {
      new: fresh.length,
      known: plan.known_accounts,
      rows: fresh.map(({ incoming, name, display_name, email, balance_nanos, keys }) => ({
        row: incoming.source_id,
        name,
        display_name,
        email,
        status: incoming.status,
        ...money('balance', balance_nanos),
        keys: keys.length,
        signs_in_by: signInOf(incoming),
      })),
    },
    keys: {
      new: accounts.reduce((sum, { keys }) => sum + keys.length, 0),
      known: plan.known_keys,
      rows: accounts.flatMap((account) =>
        account.keys.map(({ incoming, name }) => ({ account: account.name, name, ...keyView(incoming) })),
      ),
    },
    balances: {
      accounts: balances.filter((nanos) => nanos > 0).length,
      ...money('credited', sum(balances.filter((nanos) => nanos > 0))),
      accounts_in_debt: balances.filter((nanos) => nanos < 0).length,
      ...money('debt', -sum(balances.filter((nanos) => nanos < 0))),
      accounts_without_balance: plan.without_balance,
    },
    vouchers: vouchersView(vouchers, applied),
    ...catalogueView(catalogue),
    history: {
      days_by_account_and_model: history.rows,
      calls: history.calls,
      ...money('charged', history.charged_nanos),
    },
    left_out: groupsOf([...plan.left_out, ...catalogue.plan.left_out]),
    guessable_keys: plan.guessable_keys,
    renamed,
    changed_since: changed,
    shadow_bill: {
      lines: sum(shadow_bill.map(({ count }) => count)),
      ...money('charged', sum(shadow_bill.map(({ charged_nanos }) => charged_nanos))),
      ...money('rated', sum(shadow_bill.map(({ rated_nanos }) => rated_nanos))),
      models: shadow_bill,
    },
    files: { ...files, has_variables: existsSync(files.variables) },
    links: applied?.links ?? fresh.filter(({ incoming }) => needsLink(incoming)).length,
  }
}

const vouchersView = ({ unused }: IncomingVouchers, applied: AppliedImport | undefined) => ({
  unused: unused.length,
  ...money('worth', sum(unused.map(({ amount_nanos }) => amount_nanos))),
  // Null for a dry run.
  created: applied?.vouchers.created ?? null,
  revoked: applied?.vouchers.revoked ?? null,
})

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

const money = <const Name extends string>(name: Name, nanos: Nanos) =>
  ({ [`${name}_nanos`]: nanos, [`${name}_usd`]: formatUsd(nanos) }) as {
    [N in Name as `${N}_nanos`]: Nanos
  } & {
    [N in Name as `${N}_usd`]: string
  }

function signInOf(account: Parameters<typeof needsLink>[0]): 'password' | 'link' | 'nothing yet' {
  if (account.password_hash !== null) return 'password'
  return needsLink(account) ? 'link' : 'nothing yet'
}

const keyView = ({
  source_id,
  spend_limit_nanos,
  expires_at_ms,
  models,
  addresses,
  ...key
}: IncomingKey) => ({
  row: source_id,
  prefix: prefixOf(key),
  spend_limit_nanos,
  expires_at: expires_at_ms === null ? null : new Date(expires_at_ms).toISOString(),
  models,
  addresses,
})

function catalogueView({ plan: { providers, models, limits, present }, variables }: CatalogueImport) {
  const isText = (value: unknown): value is string => typeof value === 'string'
  return {
    providers: {
      new: providers.length,
      known: present.providers,
      rows: providers.map(({ incoming, incoming: { source_id, fields }, name }) => ({
        row: source_id,
        name,
        server: [fields.server, fields.protocol].find(isText) ?? '',
        base_url: isText(fields.base_url) ? fields.base_url : null,
        variables: secretsOf(incoming).map(({ variable }) => variables.names.get(variable) ?? variable),
      })),
    },
    models: {
      new: models.length,
      known: present.models,
      rows: models.map(({ incoming: { id, fields, price, notes }, table }) => ({
        id,
        kind: fields.kind,
        routes: table.routes,
        price,
        notes,
      })),
    },
    limits: limits.length,
    variables: { added: [...variables.added.keys()], missing: variables.missing },
  }
}

export interface LeftOutGroup {
  readonly kind: string
  readonly reason: string
  readonly rows: readonly string[]
}

/** Groups by kind and reason, the most frequent reason first. */
function groupsOf(left_out: readonly LeftOut[]): LeftOutGroup[] {
  const groups = Map.groupBy(left_out, ({ kind, reason }) => JSON.stringify([kind, reason]))
  return [...groups.values()]
    .map((rows) => ({
      kind: rows[0]?.kind ?? '',
      reason: rows[0]?.reason ?? '',
      rows: rows.map(({ row }) => row),
    }))
    .sort((one, other) => one.kind.localeCompare(other.kind, 'en') || other.rows.length - one.rows.length)
}
