// The Drizzle definitions of all tables, of the core and of plugins.
import { plugins } from '../../plugins/index.ts'
import { tablesOf } from '../../src/app/plugins.ts'

export const ALL_TABLES = await tablesOf(plugins)
