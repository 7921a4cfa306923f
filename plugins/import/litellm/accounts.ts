// Accounts made from LiteLLM's teams and users, with their keys.
import type { IncomingAccount, IncomingKey, LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { type BudgetRow, callLimitsOf, isSetValue, spendingLimitsOf } from './budgets.ts'
import type { KeyContext, Keys } from './keys.ts'
import { teamId, UNOWNED_KEYS, userId } from './owners.ts'
import { columnTexts, jsonFields, textOf } from './values.ts'

export function accountsOf(
  { by_account, payers }: Keys,
  { rows, now_ms, left_out }: KeyContext,
): readonly IncomingAccount[] {
  const accounts: IncomingAccount[] = []
  const keysFor = (id: string) => by_account.get(id) ?? []
  const accountOf = (
    source_id: string,
    row: SourceRow,
    of: Pick<IncomingAccount, 'name' | 'display_name' | 'email'>,
  ) => {
    const budget: BudgetRow = { row, table_row: undefined, name: `${source_id} "${of.name}"` }
    const { left_nanos, budgets, budgets_used } = spendingLimitsOf(budget, now_ms, left_out)
    return account({
      source_id,
      ...of,
      status: isSetValue(row.blocked) ? 'suspended' : 'active',
      balance_nanos: left_nanos,
      budgets,
      budgets_used,
      limits: callLimitsOf(budget),
      keys: keysFor(source_id),
    })
  }
  for (const [id, row] of rows.teams) {
    const alias = textOf(row.team_alias) ?? ''
    accounts.push(
      accountOf(teamId(id), row, { name: alias === '' ? id : alias, display_name: alias, email: '' }),
    )
  }
  for (const [id, row] of rows.users) {
    const [alias, email] = [textOf(row.user_alias) ?? '', textOf(row.user_email) ?? '']
    const name = [alias, email, id].find((each) => each !== '') ?? id
    const reason = payers.has(userId(id)) || isSetValue(row.max_budget) ? undefined : reasonAgainst(row)
    if (reason === undefined) accounts.push(accountOf(userId(id), row, { name, display_name: alias, email }))
    else left_out.push({ kind: 'users', row: `"${name}"`, reason })
  }
  const imported_ids = new Set(accounts.map(({ source_id }) => source_id))
  const others = [...payers].filter((payer) => !imported_ids.has(payer))
  return [...accounts, ...others.map((payer) => accountWithoutRow(payer, keysFor(payer)))]
}

const MEMBER =
  'They have only keys of teams, and a team is one account here. Let them sign in to it, or create an account for each.'
const ADMINISTRATOR =
  'An administrator without keys pays nothing. `tollgate console link` lets the operator sign in.'

/** The reason to leave out a user without a key and without a budget; undefined to import the user. */
function reasonAgainst(row: SourceRow): string | undefined {
  if (textOf(row.user_role)?.startsWith('proxy_admin')) return ADMINISTRATOR
  return columnTexts(row.teams).length > 0 || textOf(row.team_id) !== undefined ? MEMBER : undefined
}

/** Tollgate cannot check LiteLLM's password hashes: people get a link. */
const account = (fields: Omit<IncomingAccount, 'password_hash'>): IncomingAccount => ({
  ...fields,
  password_hash: null,
})

/** The account of keys whose user LiteLLM does not have, or that have no user. */
const accountWithoutRow = (source_id: string, keys: readonly IncomingKey[]): IncomingAccount =>
  account({
    source_id,
    name: source_id.slice(source_id.indexOf(' ') + 1),
    display_name: source_id === UNOWNED_KEYS ? 'Keys of LiteLLM without team and user' : '',
    email: '',
    status: 'active',
    balance_nanos: null,
    budgets: {},
    budgets_used: {},
    limits: {},
    keys,
  })

/** Lists rows of other tables that are not imported. */
export function noteOtherRows({ rows, left_out }: KeyContext): void {
  const add = (kind: string, name: unknown, reason: string, of = '') =>
    left_out.push({ kind, row: `${of}"${textOf(name) ?? ''}"`, reason })
  for (const { model_name } of rows.database_models)
    add('models', model_name, DATABASE_MODEL, 'in the database: ')
  for (const { credential_name } of rows.credentials)
    add('provider credentials', credential_name, ENCRYPTED, 'in the database: ')
  for (const { param_name } of rows.stored_settings)
    add(
      'settings',
      param_name,
      'The import reads config.yaml only. Add the settings that you need there.',
      'in the database: ',
    )
  for (const { organization_alias } of rows.organisations.values())
    add('organisations', organization_alias, ORGANISATION)
  for (const { project_alias, project_id } of rows.projects.values())
    add('projects', project_alias ?? project_id, PROJECT)
  for (const { user_id, team_id, budget_id } of rows.memberships)
    if (isSetValue(budget_id))
      add('limits', user_id, MEMBER_BUDGET, `budget in team "${textOf(team_id)}" of `)
  for (const { user_id, alias } of rows.end_users)
    add(
      'end users',
      alias ?? user_id,
      'Tollgate does not limit the `user` of a request. Make a key for each.',
    )
  for (const { active_token_id } of rows.rotated_keys)
    add(
      'rotated keys',
      textOf(active_token_id)?.slice(0, 8),
      'An old text works for a while after a rotation. Use the new one.',
    )
  for (const { tag_name, budget_id } of rows.tags)
    if (isSetValue(budget_id)) add('limits', tag_name, 'Tollgate does not count by tags.', 'budget of tag ')
  for (const [id, row] of rows.teams) noteTeam(id, row, left_out)
}

function noteTeam(id: string, row: SourceRow, left_out: LeftOut[]): void {
  const metadata = jsonFields(row.metadata)
  const note = (what: string, reason: string) =>
    left_out.push({ kind: 'limits', row: `${what} of ${teamId(id)}`, reason })
  if (isSetValue(metadata.guardrails))
    note('guardrails', 'Tollgate has no guardrails. A custom plugin can check requests.')
  if (isSetValue(metadata.model_rpm_limit) || isSetValue(metadata.model_tpm_limit))
    note('limits by model', 'Tollgate limits accounts, not models of an account.')
}

const ENCRYPTED = "They are encrypted with LiteLLM's salt key. Write their values into the configuration."
const DATABASE_MODEL =
  "LiteLLM encrypts their parameters with its salt key. Copy them into the configuration's model_list, and import again."
const ORGANISATION = 'Their teams and keys are imported. A budget over several accounts has no counterpart.'
const PROJECT =
  'Their keys are imported, with the limits of the key alone. Make an account for each project that has a budget.'
const MEMBER_BUDGET = 'A team is one account. Give the keys of its members budgets of their own.'
