// All tables of the database as Drizzle sees them: the core's and the plugins'.
import { plugins } from '../../plugins/index.ts'
import { tablesOf } from '../../src/app/plugins.ts'

export const ALL_TABLES = await tablesOf(plugins)
