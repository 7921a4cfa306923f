// `import history`: calls of accounts before they were imported.
import { listCommand } from '../../../src/app/list/command.ts'
import { imported_history } from './list.ts'

export const addHistoryCommand = listCommand(imported_history, {
  name: 'history',
  account: 'argument',
  row: 'row',
  rows: 'rows',
  empty_text: 'No imported history.',
  summary: 'List calls before the import, by day and model.',
  description:
    'List the calls of accounts at the gateway that they were imported from: sums by day (UTC), account and model, newest first. They are ' +
    'history, not charges: no usage and no balance counts them.',
  example: 'import history alice --csv > before.csv',
})
