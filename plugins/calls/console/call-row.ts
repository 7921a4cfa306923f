// Rows of calls and refused requests in the lists of pages.
import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type FieldsOf, fieldsFor, rowFor } from '../../../src/app/list/columns.ts'
import { DISPLAY_NAME, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { OUTCOMES } from '../../../src/domain/outcomes.ts'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import type { RecordedRefusal } from '../../refusals/index.ts'
import { call_columns, type ListedCall, listed_call_columns } from '../columns.ts'
import type { RecordedCall } from '../listing.ts'

type Side = Viewer['side']
const SIDES: readonly Side[] = ['operator', 'account', 'key']

/** The fields of a call on all pages. */
export const ROW_FIELDS = {
  ...(fieldsFor(call_columns, SIDES) as FieldsOf<typeof call_columns, Side>),
  outcome: OneOf(OUTCOMES),
}
const Row = Type.Object(ROW_FIELDS)

export const ListedRow = Closed({
  ...(fieldsFor(listed_call_columns, SIDES) as FieldsOf<typeof listed_call_columns, Side>),
  ...DISPLAY_NAME,
})

export function callRow(call: RecordedCall, { side }: Viewer): Static<typeof Row> {
  const row: object = rowFor(call_columns, side, call)
  return row as Static<typeof Row>
}

export function listedRow(call: ListedCall, { side }: Viewer): Unnamed<Static<typeof ListedRow>> {
  const row: object = rowFor(listed_call_columns, side, call)
  return row as Unnamed<Static<typeof ListedRow>>
}

/** Converts a refused request to a row in the list of calls. */
export const refusedCall = ({ at_ms, sentence, model, ...refusal }: RecordedRefusal): ListedCall => ({
  ...NO_USAGE,
  ...refusal,
  model: model ?? '',
  started_at_ms: at_ms,
  outcome: 'refused',
  refusal: sentence,
  streamed: 0,
  estimated: 0,
  images: 0,
  hold_nanos: 0,
  cost_nanos: 0,
  unpaid_nanos: 0,
  refunded_nanos: 0,
  covered_nanos: 0,
  plan_period_id: null,
  price: '',
  trace: '',
  first_byte_ms: null,
  duration_ms: 0,
  provider: '',
  upstream_model: '',
  failed_tries: 0,
  provider_cost_nanos: null,
  reported_cost_nanos: null,
  computed_cost_nanos: null,
  costs_elsewhere: null,
})
