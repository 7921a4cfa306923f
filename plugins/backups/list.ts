// The columns of the list of archives in the console, in CSV and on the command line. The list has no filters and no pages.
import { boolean, columnsOf, integer, tableOnly, text, time } from '../../src/app/list/columns.ts'
import type { Archive } from './places/place.ts'

export const archive_columns = columnsOf<Archive>()({
  name: text(({ name }) => name, { table: { head: 'NAME' } }),
  bytes: integer(({ bytes }) => bytes, { description: 'bytes', table: { head: 'BYTES', right: true } }),
  encrypted_head: tableOnly({
    head: 'ENCRYPTED',
    text: ({ is_encrypted }) => (is_encrypted ? 'yes' : 'no'),
  }),
  by_head: tableOnly({ head: 'BY', text: ({ is_scheduled }) => (is_scheduled ? 'schedule' : 'hand') }),
  made: time(({ made_at_ms }) => made_at_ms),
  encrypted: boolean(({ is_encrypted }) => is_encrypted, {
    description: 'only encrypted backups can be downloaded',
  }),
  scheduled: boolean(({ is_scheduled }) => is_scheduled, {
    description: 'created by the schedule, which will delete it',
  }),
})
