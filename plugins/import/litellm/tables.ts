// Rows of LiteLLM's database that the import holds in memory: keys, teams, users and the rows they refer to, but not the log.
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { jsonFields, textOf } from './values.ts'

/** Table names as in litellm 1.72.6 proxy/schema.prisma. A table that a version lacks has no rows. */
export interface LitellmRows {
  readonly keys: readonly SourceRow[]
  readonly teams: ReadonlyMap<string, SourceRow>
  readonly users: ReadonlyMap<string, SourceRow>
  readonly budgets: ReadonlyMap<string, SourceRow>
  readonly organisations: ReadonlyMap<string, SourceRow>
  readonly projects: ReadonlyMap<string, SourceRow>
  readonly access_groups: ReadonlyMap<string, SourceRow>
  readonly memberships: readonly SourceRow[]
  /** Aliases of models, by the `model_id` of a team. */
  readonly team_aliases: ReadonlyMap<string, SourceRow>
  readonly database_models: readonly SourceRow[]
  readonly credentials: readonly SourceRow[]
  readonly stored_settings: readonly SourceRow[]
  readonly end_users: readonly SourceRow[]
  readonly rotated_keys: readonly SourceRow[]
  readonly tags: readonly SourceRow[]
}

/** @returns rows without encrypted and secret columns @throws GatewayError invalid_request for a database without LiteLLM's keys */
export async function readRows(tables: SourceTables): Promise<LitellmRows> {
  const all = (table: string, ...columns: string[]) => rowsOf(tables, table, columns)
  const by = async (table: string, column: string) => byColumn(await all(table), column)
  return {
    keys: await Array.fromAsync(tables.rows('LiteLLM_VerificationToken')),
    teams: await by('LiteLLM_TeamTable', 'team_id'),
    users: await by('LiteLLM_UserTable', 'user_id'),
    budgets: await by('LiteLLM_BudgetTable', 'budget_id'),
    organisations: await by('LiteLLM_OrganizationTable', 'organization_id'),
    projects: await by('LiteLLM_ProjectTable', 'project_id'),
    access_groups: await by('LiteLLM_AccessGroupTable', 'access_group_id'),
    memberships: await all('LiteLLM_TeamMembership'),
    team_aliases: await by('LiteLLM_ModelTable', 'id'),
    database_models: await all('LiteLLM_ProxyModelTable', 'model_name'),
    credentials: await all('LiteLLM_CredentialsTable', 'credential_name'),
    stored_settings: await all('LiteLLM_Config', 'param_name'),
    end_users: await all('LiteLLM_EndUserTable'),
    rotated_keys: await all('LiteLLM_DeprecatedVerificationToken', 'active_token_id'),
    tags: await all('LiteLLM_TagTable'),
  }
}

async function rowsOf(
  tables: SourceTables,
  table: string,
  columns: readonly string[],
): Promise<readonly SourceRow[]> {
  if ((await tables.columnsOf(table)) === undefined) return []
  return await Array.fromAsync(tables.rows(table, columns.length === 0 ? {} : { columns }))
}

function byColumn(rows: readonly SourceRow[], column: string): ReadonlyMap<string, SourceRow> {
  return new Map(
    rows.flatMap((row) => {
      const id = textOf(row[column])
      return id === undefined ? [] : [[id, row] as const]
    }),
  )
}

/** Returns the row that a column refers to; undefined for an empty column or a deleted row. */
export function namedRow(
  rows: ReadonlyMap<string, SourceRow>,
  row: SourceRow,
  column: string,
): SourceRow | undefined {
  const id = textOf(row[column])
  return id === undefined ? undefined : rows.get(id)
}

/** The aliases of a team (`LiteLLM_ModelTable.aliases`) or of a key. */
export const aliasesOf = (row: SourceRow | undefined): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(jsonFields(row?.aliases ?? row?.model_aliases)))
