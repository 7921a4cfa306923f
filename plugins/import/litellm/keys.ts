// LiteLLM's virtual keys. Their SHA-256 is imported, so they keep working.
import { hashKey } from '../../../src/access/secret.ts'
import type { IncomingKey, LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { type BudgetRow, callLimitsOf, isSetValue, spendingLimitsOf } from './budgets.ts'
import { allowedModels, type ModelNames } from './model-access.ts'
import { DASHBOARD_TEAM, payerOfKey } from './owners.ts'
import { aliasesOf, type LitellmRows, namedRow } from './tables.ts'
import { columnTexts, jsonFields, momentOf, textOf } from './values.ts'

export interface Keys {
  /** By the `source_id` of the account that pays. */
  readonly by_account: ReadonlyMap<string, readonly IncomingKey[]>
  /** Accounts of all keys, including keys that are not imported. */
  readonly payers: ReadonlySet<string>
}

export interface KeyContext {
  readonly rows: LitellmRows
  readonly names: ModelNames
  readonly now_ms: number
  /** Collects rows that are not imported. */
  readonly left_out: LeftOut[]
}

export function keysOf(context: KeyContext): Keys {
  const { rows, left_out } = context
  const by_account = new Map<string, IncomingKey[]>()
  const payers = new Set<string>()
  const prefixes = new Prefixes(rows.keys)
  for (const row of rows.keys) {
    if (textOf(row.team_id) === DASHBOARD_TEAM) {
      left_out.push({ kind: 'dashboard sessions', row: nameOf(row), reason: 'They are not API keys.' })
      continue
    }
    const payer = payerOfKey(rows, row)
    payers.add(payer)
    const key = keyOf(row, prefixes.next(row), context)
    if ('reason' in key) left_out.push({ kind: 'keys', row: `key ${nameOf(row)}`, reason: key.reason })
    else by_account.set(payer, [...(by_account.get(payer) ?? []), key])
  }
  return { by_account, payers }
}

/** Names a key as LiteLLM's pages do: its alias, and the last characters of its text. */
function nameOf({ key_alias, key_name }: SourceRow): string {
  const ending = textOf(key_name)
  return `"${textOf(key_alias) ?? ''}"${ending === undefined ? '' : ` (${ending})`}`
}

const HASH = /^[0-9a-f]{64}$/

/** Older versions could store the key's text itself: litellm 1.72.6 proxy/_types.py hash_token. */
function sha256Of(row: SourceRow): Buffer | undefined {
  const token = textOf(row.token) ?? ''
  if (token.startsWith('sk-')) return hashKey(token)
  return HASH.test(token) ? Buffer.from(token, 'hex') : undefined
}

function keyOf(
  row: SourceRow,
  prefix: string,
  { rows, names, now_ms, left_out }: KeyContext,
): IncomingKey | { readonly reason: string } {
  const sha256 = sha256Of(row)
  if (!sha256) return { reason: 'Its token is not a SHA-256. Create a new key for its owner.' }
  const reason = reasonAgainst(row, rows, now_ms)
  if (reason !== undefined) return { reason }
  const models = modelsOfKey(row, rows, names)
  if (models?.length === 0) return { reason: 'Its lists of models allow none. Create a key with models.' }
  const budget: BudgetRow = {
    row,
    table_row: namedRow(rows.budgets, row, 'budget_id'),
    name: `key ${nameOf(row)}`,
  }
  const { left_nanos, budgets, budgets_used } = spendingLimitsOf(budget, now_ms, left_out)
  noteUnsupportedLimits(row, rows, left_out)
  return {
    source_id: `key ${sha256.toString('hex').slice(0, 16)}`,
    name: textOf(row.key_alias) ?? '',
    sha256,
    prefix,
    created_at_ms: momentOf(row.created_at) ?? null,
    expires_at_ms: momentOf(row.expires) ?? null,
    spend_limit_nanos: left_nanos === null ? null : Math.max(0, left_nanos),
    models,
    addresses: null,
    budgets,
    budgets_used,
    limits: callLimitsOf(budget),
  }
}

/** Routes that do not call models: litellm 1.110.2 proxy/_types.py LiteLLMRoutes, LiteLLMKeyType. */
const OTHER_ROUTES = ['management_routes', 'info_routes', 'scim_routes']

function reasonAgainst(row: SourceRow, rows: LitellmRows, now_ms: number): string | undefined {
  if (row.blocked === true || textOf(row.blocked) === 'true' || textOf(row.blocked) === '1')
    return 'It is blocked.'
  const expires_ms = momentOf(row.expires)
  if (expires_ms !== undefined && expires_ms <= now_ms)
    return `It expired on ${new Date(expires_ms).toISOString().slice(0, 10)}.`
  if (isSetValue(namedRow(rows.projects, row, 'project_id')?.blocked)) return 'Its project is blocked.'
  const routes = columnTexts(row.allowed_routes)
  return routes.length > 0 && routes.every((route) => OTHER_ROUTES.includes(route))
    ? "It is for LiteLLM's management alone."
    : undefined
}

function modelsOfKey(row: SourceRow, rows: LitellmRows, names: ModelNames): readonly string[] | null {
  const team = namedRow(rows.teams, row, 'team_id')
  const owner = team ?? namedRow(rows.users, row, 'user_id')
  const organisation = namedRow(rows.organisations, team ?? row, 'organization_id')
  const project = namedRow(rows.projects, row, 'project_id')
  const lists = [row, owner, project, organisation].flatMap((each) => (each ? [modelList(each, rows)] : []))
  return allowedModels(lists, names)
}

/** Returns a row's `models` and the models of its access groups. */
function modelList(row: SourceRow, { access_groups }: LitellmRows): readonly string[] {
  const own = columnTexts(row.models)
  const groups = columnTexts(row.access_group_ids).flatMap((id) =>
    columnTexts(access_groups.get(id)?.access_model_names),
  )
  // An empty list allows all models, even if the row has access groups.
  return own.length === 0 ? own : [...own, ...groups]
}

/** Lists limits without a counterpart. The key is imported and may do more than before. */
function noteUnsupportedLimits(row: SourceRow, rows: LitellmRows, left_out: LeftOut[]): void {
  const note = (what: string, reason: string) =>
    left_out.push({ kind: 'limits', row: `${what} of key ${nameOf(row)}`, reason })
  const metadata = jsonFields(row.metadata)
  const routes = columnTexts(row.allowed_routes).filter((route) => route !== 'llm_api_routes')
  if (routes.length > 0) note('allowed_routes', 'A key can call its models at every endpoint.')
  if (isSetValue(metadata.model_rpm_limit) || isSetValue(metadata.model_tpm_limit))
    note(
      'limits by model',
      'Tollgate limits keys, not models of a key. Create a key for that model with limits of its own.',
    )
  if (isSetValue(metadata.guardrails))
    note('guardrails', 'Tollgate has no guardrails. A custom plugin can check requests.')
  if (isSetValue(metadata.temp_budget_increase))
    note('temp_budget_increase', 'Its budget is imported without the increase. Raise it by hand.')
  if (isSetValue(row.auto_rotate))
    note('auto_rotate', 'Tollgate does not rotate keys by itself: `tollgate key rotate` does.')
  const aliases = [
    ...aliasesOf(row),
    ...aliasesOf(namedRow(rows.team_aliases, namedRow(rows.teams, row, 'team_id') ?? {}, 'model_id')),
  ]
  if (aliases.length > 0)
    note(
      'names of models',
      'Tollgate has no aliases of one key or team. Add the alias as a model for all, or change the caller.',
    )
}

const LAST_CHARACTERS = /^sk-\.{3}([A-Za-z0-9._-]{4})$/
const HASH_CHARACTERS = 3

/**
 * The prefixes of keys in lists and in `[limits.keys.PREFIX]`: `sk-...aB3d`, as on LiteLLM's pages. If several keys end alike, or
 * LiteLLM does not know the end, the prefix has characters of the hash.
 */
class Prefixes {
  readonly #counts = new Map<string, number>()
  readonly #taken = new Set<string>()

  constructor(rows: readonly SourceRow[]) {
    for (const row of rows) this.#counts.set(endingOf(row), (this.#counts.get(endingOf(row)) ?? 0) + 1)
  }

  next(row: SourceRow): string {
    const end = endingOf(row)
    const hash = textOf(row.token) ?? ''
    const digits = HASH.test(hash) ? hash : (sha256Of(row)?.toString('hex') ?? '')
    let prefix = `sk-...${end}`
    const is_shared = end === '' || (this.#counts.get(end) ?? 0) > 1
    for (let at = 0; (is_shared && at === 0) || this.#taken.has(prefix); at++) {
      if (at + HASH_CHARACTERS + 4 > digits.length) break
      const some = digits.slice(at, at + HASH_CHARACTERS)
      prefix = `sk-${some}${end === '' ? digits.slice(at + HASH_CHARACTERS, at + HASH_CHARACTERS + 4) : end}`
    }
    this.#taken.add(prefix)
    return prefix
  }
}

const endingOf = ({ key_name }: SourceRow): string => LAST_CHARACTERS.exec(textOf(key_name) ?? '')?.[1] ?? ''
