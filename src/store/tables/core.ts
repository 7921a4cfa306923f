// The core's own tables. Plugins list theirs (app/plugin.ts).
import type { StoredTable } from '../stored-table.ts'
import { account_tables } from './accounts.ts'
import { action_tables } from './actions.ts'
import { call_tables } from './calls.ts'
import { image_tables } from './images.ts'
import { kept_tables } from './kept.ts'
import { money_tables } from './money.ts'
import { people_tables } from './people.ts'
import { service_tables } from './service.ts'

export const CORE_TABLES: readonly StoredTable[] = [
  ...account_tables,
  ...money_tables,
  ...call_tables,
  ...image_tables,
  ...kept_tables,
  ...people_tables,
  ...action_tables,
  ...service_tables,
]
