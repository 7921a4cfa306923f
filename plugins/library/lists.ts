// Lists of generated images and uploaded files for commands, without prompts and content, which are private.
import {
  integer,
  nullableInteger,
  nullableMoney,
  nullableText,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { defineList } from '../../src/app/list/list.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { OneOf } from '../../src/http/schema.ts'
import { listFiles, type StoredFile } from '../../src/library/files.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import { type HistoryImage, listGenerations } from './history.ts'

const KINDS = ['generation', 'edit', 'compose'] as const
const IMAGE_STATES = ['generating', 'stored', 'failed', 'missing'] as const

export const image_list = defineList<HistoryImage>()({
  name: 'images',
  field: 'images',
  of: 'account',
  max_rows: 1_000,
  filters: {
    model: { schema: ModelName, option: ['--model <id>', 'only this model'] },
    kind: { schema: OneOf(KINDS), option: ['--kind <kind>', 'only these'] },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    image: text(({ uuid }) => uuid, { table: { head: 'IMAGE' } }),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    model: text(({ model }) => model, { table: { head: 'MODEL', elastic: true, spare: 1 } }),
    kind: text(({ kind }) => kind),
    state: word(
      OneOf(IMAGE_STATES),
      ({ state, missing_since_ms }) => (missing_since_ms === null ? state : 'missing'),
      { table: { head: 'STATE' } },
    ),
    bytes: nullableInteger(({ bytes }) => bytes),
    request_id: nullableText(({ request_id }) => request_id),
    cost: nullableMoney(({ cost_nanos }) => cost_nanos, { table: { head: 'COST', spare: 2 } }),
  },
  read: (db, filter, page) => listGenerations(db, filter, page),
})

export const file_list = defineList<StoredFile>()({
  name: 'files',
  field: 'files',
  of: 'account',
  max_rows: 1_000,
  filters: {},
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME', spare: 1 } }),
    key: text(({ key }) => key, { table: { head: 'FILE' } }),
    mime: text(({ mime }) => mime),
    bytes: integer(({ bytes }) => bytes),
    size_head: tableOnly({ head: 'SIZE', text: ({ bytes }) => sizeText(bytes), right: true }),
    state: word(
      OneOf(['stored', 'missing'] as const),
      ({ missing_since_ms }) => (missing_since_ms === null ? 'stored' : 'missing'),
      { table: { head: 'STATE', spare: 2 } },
    ),
  },
  // Never the files of all accounts: the command requires an account.
  read: async (db, { account_id, ...time }, page) =>
    account_id === undefined ? undefined : await listFiles(db, account_id, page, time),
})
