// The list of refused requests for callers, CSV files and the command line. The console shows them among calls.
import { Type } from '@sinclair/typebox'
import { integer, nullableText, text, time } from '../../src/app/list/columns.ts'
import { defineList } from '../../src/app/list/list.ts'
import { ModelName } from '../../src/http/parameters.ts'
import { Nullable } from '../../src/http/schema.ts'
import { listRefusals, type RecordedRefusal } from './listing.ts'
import { countRefused } from './sums.ts'

export const refused_requests = defineList<RecordedRefusal>()({
  name: 'refusals',
  field: 'refusals',
  of: 'key',
  max_rows: 500,
  filters: {
    model: {
      schema: { ...ModelName, description: 'Of this model only.', examples: ['sim-flash'] },
      option: ['--model <id>', 'only this model'],
    },
  },
  columns: {
    id: integer(({ id }) => id, { seen_by: ['operator'], table: { head: 'ID', right: true } }),
    refused: time(({ at_ms }) => at_ms, { description: 'When', table: { head: 'TIME' } }),
    request_id: text(({ request_id }) => request_id, {
      description: 'The id of the request, as its answer had it.',
    }),
    account: text(({ account_name }) => account_name, {
      seen_by: ['operator', 'account', 'key'],
      table: { head: 'ACCOUNT', elastic: true },
    }),
    key: text(({ key_name }) => key_name, {
      description: 'The name of the key.',
      table: { head: 'KEY', spare: 2, elastic: true },
    }),
    key_prefix: text(({ key_prefix }) => key_prefix, { description: 'The first 10 characters of the key.' }),
    surface: text(({ surface }) => surface, { description: 'The API of the request.' }),
    model: nullableText(({ model }) => model, {
      description: 'The model in the request; null if unknown.',
      table: { head: 'MODEL', spare: 1, elastic: true },
    }),
    status: integer(({ status }) => status, {
      description: 'The HTTP status.',
      table: { head: 'STATUS', right: true },
    }),
    code: text(({ code }) => code, { description: 'The error code.' }),
    message: text(({ sentence }) => sentence, {
      description: 'The error message.',
      table: { head: 'WHY', elastic: true },
    }),
  },
  read: listRefusals,
  totals: {
    fields: {
      refused: Nullable(
        Type.Integer({
          description:
            'All refused requests of the period, in whole hours, including those that are not listed; null with `model`.',
        }),
      ),
    },
    /** Null with `model`, because the sums are not kept by model. */
    read: async (db, { account_id, key_ids, model, since_ms, until_ms }) => ({
      refused:
        model === undefined
          ? await countRefused(db, {
              account_id,
              key_ids,
              from_ms: since_ms ?? 0,
              until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
              span: 'hour',
            })
          : null,
    }),
  },
})
